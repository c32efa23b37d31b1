// Marching squares: curves of equal value, and boundaries between classes, on the grid of `posteriorGrid`.

/** The curves, polylines in data coordinates, on which values of a grid (`posteriorGrid`), row by row, have a level. */
export function contourLines(values, grid, level) {
	const segments = [];
	forEachCell(grid, (at) => values[at] > level, (corners, i, row) => {
		marchCell(corners.map((at) => values[at] - level), i, row, grid.width, (p, q) => segments.push([p, q]));
	});
	return joinSegments(segments, grid);
}

/**
 * The boundaries between the regions of most probable classes on a grid (`posteriorGrid`, or `posterior` and `label`
 * alone): polylines {a, b, points} in data coordinates; a and b are the codes of the classes on both sides.
 */
export function boundaryCurves(grid) {
	const { posterior, logRatio, label, width, height } = grid;
	// Logarithms are smooth where posteriors jump from 0 to 1 within a pixel.
	const score = (at) => (logRatio ? logRatio[at] : Math.log(Math.max(posterior[at], 1e-38)));
	const pairs = new Map();
	forEachCell(grid, (at) => label[at], (corners, i, row) => {
		const present = [...new Set(corners.map((at) => label[at]))].sort((p, q) => p - q);
		const scores = new Map(present.map((c) => [c, corners.map((at) => score(c * width * height + at))]));
		present.forEach((a, first) => present.slice(first + 1).forEach((b) => {
			const others = present.filter((c) => c !== a && c !== b);
			const between = (c, { from, to, t }) => (1 - t) * scores.get(c)[from] + t * scores.get(c)[to];
			// The margin of the pair's score over all others, at the end of a segment.
			const lead = (end) => Math.min(Infinity, ...others.map((c) => between(a, end) - between(c, end)));
			const pair = pairs.get(`${a},${b}`) ?? { a, b, segments: [] };
			pairs.set(`${a},${b}`, pair);
			marchCell(scores.get(a).map((value, at) => value - scores.get(b)[at]), i, row, width, (p, q) => {
				const part = clipSegment(p, q, lead(p), lead(q));
				if (part) pair.segments.push(part);
			});
		}));
	});
	const lines = ({ a, b, segments }) => joinSegments(segments, grid).map((points) => ({ a, b, points }));
	return [...pairs.values()].flatMap(lines);
}

/** Visit the cells whose corners are not all on the same side. */
function forEachCell({ width, height }, side, visit) {
	for (let row = 0, at = 0; row + 1 < height; row++, at++) {
		for (let i = 0; i + 1 < width; i++, at++) {
			const here = side(at);
			if (here === side(at + 1) && here === side(at + width + 1) && here === side(at + width)) continue;
			visit([at, at + 1, at + width + 1, at + width], i, row);
		}
	}
}

/** Emit the segments on which values at the corners of a cell, linear along its edges, are 0. */
function marchCell(values, i, row, width, emit) {
	const [corners, edges] = [[[0, 0], [1, 0], [1, 1], [0, 1]], [[0, 1], [1, 2], [3, 2], [0, 3]]];
	const ends = edges.flatMap(([from, to], edge) => {
		if (values[from] > 0 === values[to] > 0) return [];
		const t = values[from] / (values[from] - values[to]);
		const [u, v] = [0, 1].map((axis) => corners[from][axis] * (1 - t) + corners[to][axis] * t);
		const key = 2 * ((row + (edge === 2)) * width + i + (edge === 1)) + (edge % 2);
		return [{ x: i + u, y: row + v, key, from, to, t }];
	});
	// At a saddle the centre decides which corners belong together.
	const middle = values[0] + values[1] + values[2] + values[3] > 0 === values[0] > 0;
	const order = ends.length === 4 && !middle ? [0, 3, 1, 2] : [0, 1, 2, 3];
	for (let n = 0; n < ends.length; n += 2) emit(ends[order[n]], ends[order[n + 1]]);
}

/** The part of a segment on which a linear function is not negative. */
function clipSegment(p, q, atP, atQ) {
	if (!(atP < 0 || atQ < 0)) return [p, q];
	if (atP < 0 && atQ < 0) return null;
	const t = atP / (atP - atQ);
	const cut = { x: p.x + t * (q.x - p.x), y: p.y + t * (q.y - p.y), key: Symbol("cut") };
	return atP < 0 ? [cut, q] : [p, cut];
}

/** Segments whose ends have keys, joined at equal keys, in data coordinates. */
function joinSegments(segments, { x, y, width, height }) {
	const [touching, used] = [new Map(), new Set()];
	segments.forEach((segment) => segment.forEach(({ key }) => touching.set(key, [...(touching.get(key) ?? []), segment])));
	const follow = (end) => {
		const line = [end];
		for (let next; (next = touching.get(line.at(-1).key).find((segment) => !used.has(segment))); ) {
			used.add(next);
			line.push(next.find(({ key }) => key !== line.at(-1).key));
		}
		return line;
	};
	const place = ([low, high], at, n) => low + ((at + 0.5) * (high - low)) / n;
	return segments.flatMap((segment) => {
		if (used.has(segment)) return [];
		used.add(segment);
		const line = [...follow(segment[0]).reverse(), ...follow(segment[1])];
		return [line.map((end) => [place(x, end.x, width), place(y, end.y, height)])];
	});
}
