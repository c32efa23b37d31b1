// The shape that stands for a class, as a path about the origin: for SVG and for Path2D alike.

import { NO_CODE } from "../answer_reader.js";
import { classColour, el, svg } from "./elements.js";

export const NO_LABEL = "no label";
const UNLABELLED_SIZE = 0.72; // of other marks

const round = (corners, radius) =>
	Array.from({ length: corners }, (_, i) => {
		const angle = (2 * Math.PI * i) / corners;
		return [radius(i) * Math.sin(angle), -radius(i) * Math.cos(angle)];
	});

const CROSS = [[-1, -0.35], [-0.35, -0.35], [-0.35, -1], [0.35, -1], [0.35, -0.35], [1, -0.35],
	[1, 0.35], [0.35, 0.35], [0.35, 1], [-0.35, 1], [-0.35, 0.35], [-1, 0.35]];
const turned = CROSS.map(([x, y]) => [(x - y) * Math.SQRT1_2, (x + y) * Math.SQRT1_2]);

const SHAPES = {
	circle: null,
	square: [[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]],
	triangle: [[0, -1.15], [1.05, 0.8], [-1.05, 0.8]],
	diamond: [[0, -1.25], [1.05, 0], [0, 1.25], [-1.05, 0]],
	down: [[0, 1.15], [1.05, -0.8], [-1.05, -0.8]],
	plus: CROSS.map(([x, y]) => [1.15 * x, 1.15 * y]),
	cross: turned.map(([x, y]) => [1.15 * x, 1.15 * y]),
	star: round(10, (i) => (i % 2 ? 0.55 : 1.25)),
	pentagon: round(5, () => 1.1),
	hexagon: round(6, () => 1.1),
};

/** The path of a shape of a radius about (x, y); a shape that is not known is a circle. */
export function markPath(shape, radius, x = 0, y = 0) {
	const at = (value) => Number(value.toFixed(2));
	const corners = SHAPES[shape];
	if (!corners) {
		const r = at(radius);
		return `M${at(x - radius)} ${at(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
	}
	const places = corners.map(([dx, dy]) => `${at(x + radius * dx)} ${at(y + radius * dy)}`);
	return `M${places.join("L")}Z`;
}

/** The path of a class's shape; rows without label have a small dot. */
export function classPath(app, code, radius, x = 0, y = 0) {
	const { shapes } = app.about;
	if (code === NO_CODE) return markPath("circle", UNLABELLED_SIZE * radius, x, y);
	return markPath(shapes[code % shapes.length], radius, x, y);
}

export function mark(app, code) {
	return svg(
		"svg",
		{ class: "mark", viewBox: "-8 -8 16 16", "aria-hidden": "true", own: { "--own": classColour(code) } },
		svg("path", { d: classPath(app, code, 5.5) }),
	);
}

export function className(app, code, label) {
	return el("span", { class: "class-name" }, mark(app, code), el("span", {}, String(label)));
}
