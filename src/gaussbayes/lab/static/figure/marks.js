// The shape that stands for a class, as a path about a place: for SVG and for Path2D alike.

import { classVariable } from "./colours.js";
import { el, svgEl } from "./elements.js";

const CROSS = [[-1, -0.35], [-0.35, -0.35], [-0.35, -1], [0.35, -1], [0.35, -0.35], [1, -0.35],
	[1, 0.35], [0.35, 0.35], [0.35, 1], [-0.35, 1], [-0.35, 0.35], [-1, 0.35]].map(([x, y]) => [1.15 * x, 1.15 * y]);

// The markers of gaussbayes.plots, in its order: o s ^ D v P X.
const SHAPES = [
	null,
	[[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]],
	[[0, -1.15], [1.05, 0.8], [-1.05, 0.8]],
	[[0, -1.25], [1.05, 0], [0, 1.25], [-1.05, 0]],
	[[0, 1.15], [1.05, -0.8], [-1.05, -0.8]],
	CROSS,
	CROSS.map(([x, y]) => [(x - y) * Math.SQRT1_2, (x + y) * Math.SQRT1_2]),
];

/** The path of a class's mark of a radius about (x, y); −1, an unlabelled row, is a small disc. */
export function markPath(code, radius, x = 0, y = 0) {
	const at = (value) => Number(value.toFixed(2));
	const corners = SHAPES[code % SHAPES.length];
	if (corners) return `M${corners.map(([dx, dy]) => `${at(x + radius * dx)} ${at(y + radius * dy)}`).join("L")}Z`;
	const r = at(radius * (code < 0 ? 0.72 : 1));
	return `M${at(x - r)} ${at(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

/** A small drawing of a class's mark. */
export function markIcon(code) {
	const attributes = { class: "gb-mark", viewBox: "-8 -8 16 16", "aria-hidden": "true", own: { "--own": classVariable(code) } };
	return svgEl("svg", attributes, svgEl("path", { d: markPath(code, 5.5) }));
}

/** A class's mark and its name. */
export const className = (code, label) => el("span", { class: "gb-class" }, markIcon(code), el("span", {}, String(label)));
