// Marching squares: curves of equal value, and boundaries between classes, on the grid of `posteriorGrid`.

/**
 * The curves on which values of a grid have a certain level.
 * @param {Float32Array} values row by row, as in `posteriorGrid`
 * @param {{x: number[], y: number[], width: number, height: number}} grid
 * @param {number} level
 * @returns {number[][][]} polylines of points in data coordinates
 */
export function contourLines(values, grid, level) {
	const segments = [];
	forEachCell(grid, (corners, i, row) => {
		marchCell(corners.map((at) => values[at] - level), i, row, grid.width, (p, q) => segments.push([p, q]));
	});
	return joinSegments(segments, grid);
}

/**
 * The boundaries between the regions of most probable classes.
 * @param {object} grid from `posteriorGrid`, or one with `posterior` and `label` alone
 * @returns {{a: number, b: number, points: number[][]}[]} polylines, with the places of the classes on both sides
 */
export function boundaryCurves(grid) {
	const { posterior, logRatio, label, width, height } = grid;
	const size = width * height;
	// Logarithms are smooth where posteriors jump from 0 to 1 within a pixel.
	const score = (c, at) => (logRatio ? logRatio[c * size + at] : Math.log(Math.max(posterior[c * size + at], 1e-38)));
	const pairs = new Map();
	forEachCell(grid, (corners, i, row) => {
		const [first, ...rest] = corners.map((at) => label[at]);
		if (rest.every((other) => other === first)) return;
		const present = [...new Set([first, ...rest])].sort((p, q) => p - q);
		const scores = new Map(present.map((c) => [c, corners.map((at) => score(c, at))]));
		for (const a of present) {
			for (const b of present.filter((other) => other > a)) {
				const apart = scores.get(a).map((value, at) => value - scores.get(b)[at]);
				const others = present.filter((c) => c !== a && c !== b);
				// How much larger the pair's score is than those of the others, at the end of a segment.
				const lead = ({ from, to, t }) => {
					const at = (c) => (1 - t) * scores.get(c)[from] + t * scores.get(c)[to];
					return Math.min(...others.map((c) => at(a) - at(c)));
				};
				const key = `${a},${b}`;
				if (!pairs.has(key)) pairs.set(key, { a, b, segments: [] });
				marchCell(apart, i, row, width, (p, q) => {
					const part = others.length ? clipSegment(p, q, lead(p), lead(q)) : [p, q];
					if (part) pairs.get(key).segments.push(part);
				});
			}
		}
	});
	return [...pairs.values()].flatMap(({ a, b, segments }) =>
		joinSegments(segments, grid).map((points) => ({ a, b, points })),
	);
}

function forEachCell({ width, height }, visit) {
	for (let row = 0; row + 1 < height; row++) {
		for (let i = 0; i + 1 < width; i++) {
			const at = row * width + i;
			visit([at, at + 1, at + width + 1, at + width], i, row);
		}
	}
}

const EDGES = [[0, 1], [1, 2], [3, 2], [0, 3]];
const CORNERS = [[0, 0], [1, 0], [1, 1], [0, 1]];

/** Emit the segments on which values at the corners of a cell, linear along its edges, are 0. */
function marchCell(values, i, row, width, emit) {
	const ends = [];
	EDGES.forEach(([from, to], edge) => {
		if (values[from] > 0 === values[to] > 0) return;
		const t = values[from] / (values[from] - values[to]);
		const [u, v] = [0, 1].map((axis) => CORNERS[from][axis] * (1 - t) + CORNERS[to][axis] * t);
		const key = 2 * ((row + (edge === 2)) * width + i + (edge === 1)) + (edge % 2);
		ends.push({ x: i + u, y: row + v, key, from, to, t });
	});
	if (ends.length === 2) emit(ends[0], ends[1]);
	if (ends.length < 4) return;
	// A saddle: the middle says which corners belong together.
	const middle = values[0] + values[1] + values[2] + values[3] > 0;
	const [p, q] = middle === values[0] > 0 ? [[0, 1], [2, 3]] : [[0, 3], [1, 2]];
	emit(ends[p[0]], ends[p[1]]);
	emit(ends[q[0]], ends[q[1]]);
}

/** The part of a segment on which something that is linear along it is not negative. */
function clipSegment(p, q, atP, atQ) {
	if (atP >= 0 && atQ >= 0) return [p, q];
	if (atP < 0 && atQ < 0) return null;
	const t = atP / (atP - atQ);
	const cut = { x: p.x + t * (q.x - p.x), y: p.y + t * (q.y - p.y), key: Symbol("cut") };
	return atP < 0 ? [cut, q] : [p, cut];
}

/** Segments whose ends have keys, joined where these are the same, in data coordinates. */
function joinSegments(segments, { x, y, width, height }) {
	const touching = new Map();
	const used = new Set();
	segments.forEach((segment, number) => {
		for (const { key } of segment) touching.set(key, [...(touching.get(key) ?? []), number]);
	});
	const follow = (end, line) => {
		for (;;) {
			const number = touching.get(end.key).find((other) => !used.has(other));
			if (number === undefined) return line;
			used.add(number);
			end = segments[number].find(({ key }) => key !== end.key);
			line.push(end);
		}
	};
	const point = (end) => [
		x[0] + ((end.x + 0.5) * (x[1] - x[0])) / width,
		y[0] + ((end.y + 0.5) * (y[1] - y[0])) / height,
	];
	const lines = [];
	segments.forEach(([p, q], number) => {
		if (used.has(number)) return;
		used.add(number);
		const forwards = follow(q, [q]);
		lines.push([...follow(p, [p]).reverse(), ...forwards].map(point));
	});
	return lines;
}
