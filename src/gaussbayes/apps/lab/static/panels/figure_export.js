// The plot as a figure to keep, SVG or PNG. Of the plane, regions are an image, all else paths and texts; the line is
// SVG already, the surface an image.

import { colourOf } from "../drawing/colours.js";
import { strokesOf, trace, WrittenPath } from "../drawing/lines.js";
import { radiusOf } from "../drawing/points.js";
import { NO_CODE } from "../answer_reader.js";
import { find, svg } from "./elements.js";
import { classPath, markPath, NO_LABEL } from "./marks.js";

const FINER = 2; // pixels of a PNG for each of the page
const STYLES = [
	...["fill", "fill-opacity", "opacity", "paint-order"],
	...["stroke", "stroke-width", "stroke-opacity", "stroke-dasharray"],
	...["stroke-linejoin", "stroke-linecap"],
	...["font-size", "font-family", "font-weight", "text-anchor"],
];
const KEY_WIDTH = 130; // of a class in the legend
const KEY_HEIGHT = 20;

const path = (d, attributes, label = null) =>
	svg("path", { d, fill: "none", "stroke-linejoin": "round", ...attributes }, label && svg("title", {}, label));

/** The plane as the text of an SVG file. */
export function planeSvg(app) {
	const { view, margin: { left, top, right, bottom }, axes, canvas } = app.plot;
	const { width, height } = view;
	const plane = svg("svg", { x: left, y: top, width, height },
		svg("image", { width, height, href: canvas.regions.toDataURL("image/png"), preserveAspectRatio: "none" }),
		lines(app, view), points(app, view), rings(app, view));
	const perLine = Math.max(1, Math.floor(width / KEY_WIDTH));
	const foot = top + height + bottom;
	const keys = legend(app, left, foot + 8, perLine);
	return file(app, left + width + right, foot + KEY_HEIGHT * Math.ceil(keys.length / perLine) + 4, plane, styled(axes), keys);
}

/** The line as the text of an SVG file. */
export function lineSvg(app) {
	const root = find("line");
	const { width, height } = root.getBoundingClientRect();
	return file(app, width, height, styled(root));
}

function file({ colours: { paper, ink } }, width, height, ...children) {
	const font = { "font-family": getComputedStyle(document.body).fontFamily, "font-size": 12, fill: ink };
	const size = { width, height, viewBox: `0 0 ${width} ${height}` };
	const root = svg("svg", { ...size, ...font }, svg("rect", { width, height, fill: paper }), ...children);
	return new XMLSerializer().serializeToString(root);
}

/** A copy of an SVG of the page: what the page's style says becomes attributes. */
function styled(root) {
	const copy = root.cloneNode(true);
	const originals = [root, ...root.querySelectorAll("*")];
	[copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
		const style = getComputedStyle(originals[i]);
		for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
		for (const name of ["class", "style", "role", "tabindex", "id"]) element.removeAttribute(name);
	});
	return copy;
}

/** The classes by code and name; rows without label are the last. */
function named({ data: { classes, unlabelled } }) {
	const all = classes.map((label, code) => [code, String(label)]);
	return unlabelled ? [...all, [NO_CODE, NO_LABEL]] : all;
}

function legend(app, left, top, perLine) {
	return named(app).map(([code, label], i) => {
		const [x, y] = [left + KEY_WIDTH * (i % perLine) + 8, top + KEY_HEIGHT * Math.floor(i / perLine)];
		const mark = path(classPath(app, code, 5, x, y), { fill: colourOf(app.colours, code) });
		return svg("g", {}, mark, svg("text", { x: x + 11, y: y + 4 }, label.slice(0, 18)));
	});
}

function lines({ plot, colours }, view) {
	return plot.shownLines().flatMap((group) => {
		const { text } = trace(new WrittenPath(), group, view);
		return strokesOf(group, colours).map(({ colour, width, opacity, dash }) => path(text, {
			stroke: colour, "stroke-width": width, "stroke-opacity": opacity, "stroke-dasharray": dash.join(" ") || null,
		}));
	});
}

/** The rows that can be seen, each with its place in pixels. */
function* seen({ plot: { points: all } }, view) {
	const { agrees } = all;
	for (let row = 0; row < all.count; row++) {
		if (agrees && !agrees(row)) continue;
		const [x, y] = view.toPixel(...all.place(row));
		if (x >= 0 && x <= view.width && y >= 0 && y <= view.height) yield [row, x, y];
	}
}

function points(app, view) {
	const { codes, test, n } = app.data;
	const { paper } = app.colours;
	const found = new Map(named(app).map(([code]) => [code, ["", ""]]));
	for (const [row, x, y] of seen(app, view)) {
		found.get(codes[row])[test[row]] += classPath(app, codes[row], radiusOf(n), x, y);
	}
	const below = ([code]) => Number(code !== NO_CODE); // points without label are under the others
	return named(app).sort((a, b) => below(a) - below(b)).flatMap(([code, label]) => {
		const [train, held] = found.get(code);
		const colour = colourOf(app.colours, code);
		return [
			train && path(train, { fill: colour, stroke: paper, "stroke-width": 0.8 }, label),
			held && path(held, { fill: paper, stroke: colour, "stroke-width": 1.7 }, `${label}, held out`),
		];
	}).filter(Boolean);
}

function rings(app, view) {
	const wrong = app.answers.scene?.arrays.wrong?.data;
	if (!wrong || !app.state.layers.errors) return [];
	const radius = radiusOf(app.data.n) + 3.4;
	let d = "";
	for (const [row, x, y] of seen(app, view)) if (wrong[row]) d += markPath("circle", radius, x, y);
	const { paper, ring } = app.colours;
	const both = [[{ stroke: paper, "stroke-width": 3.2 }], [{ stroke: ring, "stroke-width": 1.5 }, "errors"]];
	return d ? both.map((drawn) => path(d, ...drawn)) : [];
}

/** The text of an SVG file as PNG. */
export async function asPng(text) {
	const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
	try {
		const image = new Image();
		image.src = address;
		await image.decode();
		const canvas = document.createElement("canvas");
		canvas.width = image.naturalWidth * FINER;
		canvas.height = image.naturalHeight * FINER;
		canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
		return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
	} finally {
		URL.revokeObjectURL(address);
	}
}

export async function surfacePng(app) {
	const drawing = find("surface-plot");
	if (!window.Plotly || !drawing?.layout) throw new Error("The 3-D view is not drawn yet.");
	const { width, height } = drawing.getBoundingClientRect();
	const figure = { data: drawing.data, layout: { ...drawing.layout, paper_bgcolor: app.colours.paper } };
	const address = await window.Plotly.toImage(figure, { format: "png", width, height, scale: FINER });
	return new Blob([bytesOf(address.split(",")[1])], { type: "image/png" });
}

export const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
