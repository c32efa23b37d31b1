// The lines of a scene in the data's coordinates, and how each kind of them is drawn.

import { borders, contour, levelsOf, smoothed } from "./contours.js";

/** All lines a scene brings: [{kind, class, sigma, lines: [[[x, y], …], …]}], lowest first. */
export function linesOf(answer, layers, truth) {
	const { head, arrays, request } = answer;
	const grid = request.view;
	const found = [];
	if (layers.evidence && arrays.evidence) {
		const { data } = arrays.evidence;
		const lines = levelsOf(data).flatMap((level) => contour(data, grid, level));
		found.push({ kind: "evidence", lines });
	}
	if (layers.joint && arrays.joint) found.push(...joints(arrays.joint, grid));
	if (layers.density) {
		for (const { class: code, sigma, x, y } of head.ellipses ?? []) {
			found.push({ kind: "density", class: code, sigma, lines: [x.map((value, i) => [value, y[i]])] });
		}
	}
	if (layers.boundary && arrays.label && arrays.margin) {
		const lines = borders(arrays.label.data, arrays.margin.data, grid);
		found.push({ kind: "boundary", lines });
	}
	if (truth) found.push(truth);
	return found;
}

/** The true model's boundary: only labels come with it, so its steps are smoothed. */
export function truthOf({ arrays, request }) {
	if (!arrays.truth) return null;
	const lines = borders(arrays.truth.data, null, request.view);
	return { kind: "truth", lines: lines.map((line) => smoothed(line)) };
}

function joints({ data, shape: [count, height, width] }, grid) {
	const levels = levelsOf(data);
	return Array.from({ length: count }, (_, code) => {
		const field = data.subarray(code * width * height, (code + 1) * width * height);
		return { kind: "joint", class: code, lines: levels.flatMap((level) => contour(field, grid, level)) };
	});
}

/** Strokes of a kind of line, the lower ones first: colour, width, dash, opacity. */
export function strokesOf({ kind, class: code, sigma }, colours) {
	const own = code === undefined ? colours.ink : colours.lines[code % colours.lines.length];
	if (kind === "density") {
		const width = sigma <= 1 ? 2.2 : sigma <= 2 ? 1.6 : 1.2;
		const opacity = sigma <= 1 ? 1 : sigma <= 2 ? 0.8 : 0.6;
		return [{ colour: own, width, opacity, dash: [] }];
	}
	if (kind === "joint") return [{ colour: own, width: 1.1, opacity: 0.75, dash: [5, 2] }];
	if (kind === "evidence") return [{ colour: own, width: 0.9, opacity: 0.55, dash: [] }];
	const halo = { colour: colours.paper, width: 4.2, opacity: 0.75, dash: [] };
	if (kind === "truth") return [halo, { colour: own, width: 1.9, opacity: 1, dash: [8, 5] }];
	return [halo, { colour: own, width: 1.9, opacity: 1, dash: [] }];
}

/** An outline goes round: cubic curves leave an ellipse of 60 places by a millionth of its size. */
export function trace(path, { kind, lines }, view) {
	for (const line of lines) {
		const places = line.map(([x, y]) => view.toPixel(x, y));
		path.moveTo(...places[0]);
		const n = places.length - 1;
		const pull = (i, sign) => {
			const [before, after] = [places[(i + n - 1) % n], places[(i + 1) % n]];
			return places[i % n].map((at, j) => at + (sign * (after[j] - before[j])) / 6);
		};
		for (let i = 1; i <= n; i++) {
			if (kind === "density") path.bezierCurveTo(...pull(i - 1, 1), ...pull(i, -1), ...places[i]);
			else path.lineTo(...places[i]);
		}
	}
	return path;
}

export class WrittenPath {
	text = "";

	constructor() {
		for (const [name, letter] of [["moveTo", "M"], ["lineTo", "L"], ["bezierCurveTo", "C"]]) {
			this[name] = (...places) => (this.text += letter + places.map((at) => at.toFixed(2)).join(" "));
		}
	}
}

export function stroke(context, found, view, colours) {
	context.lineJoin = "round";
	context.lineCap = "butt";
	for (const group of found) {
		const path = trace(new Path2D(), group, view);
		for (const { colour, width, opacity, dash } of strokesOf(group, colours)) {
			context.strokeStyle = colour;
			context.lineWidth = width;
			context.globalAlpha = opacity;
			context.setLineDash(dash);
			context.stroke(path);
		}
	}
	context.globalAlpha = 1;
	context.setLineDash([]);
}
