// A figure as SVG text or PNG: canvases become embedded images, styles become attributes.

import { svgEl } from "./elements.js";
import { markPath } from "./marks.js";

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
	"stroke-linejoin", "opacity", "font-size", "font-family", "font-weight", "text-anchor", "paint-order", "visibility"];
const HEAD = 26; // pixels of the legend

/** Copy an element of the page with its computed styles. */
function styledCopy(element) {
	const copy = element.cloneNode(false);
	if (element.nodeType !== 1) return copy;
	const style = getComputedStyle(element);
	for (const name of STYLES) copy.setAttribute(name, style.getPropertyValue(name));
	for (const name of ["style", "class", "tabindex"]) copy.removeAttribute(name);
	copy.append(...[...element.childNodes].map(styledCopy));
	return copy;
}

/** The figure's plot and legend as SVG text. */
export function svgOf({ stage, scene, colours }) {
	const box = stage.getBoundingClientRect();
	const [width, height] = [Math.round(box.width), Math.round(box.height) + HEAD];
	const ground = svgEl("rect", { x: 0, y: -HEAD, width, height, fill: colours.paper });
	const drawings = [...stage.querySelectorAll("canvas, svg")].map((element) => {
		const at = element.getBoundingClientRect();
		const place = { x: at.left - box.left, y: at.top - box.top, width: at.width, height: at.height };
		if (element.tagName === "CANVAS") return svgEl("image", { ...place, href: element.toDataURL(), preserveAspectRatio: "none" });
		return svgEl("svg", { ...place, overflow: "visible" }, [...element.childNodes].map(styledCopy));
	});
	const size = { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 ${-HEAD} ${width} ${height}`, width, height };
	return new XMLSerializer().serializeToString(svgEl("svg", size, ground, legendOf(scene, colours, width), drawings));
}

function legendOf({ classes }, colours, width) {
	let left = 14;
	return classes.slice(0, 12).map((label, code) => {
		const [text, at] = [String(label).slice(0, 24), left];
		left += 30 + 7.5 * text.length;
		if (left > width) return [];
		const style = { fill: colours.ink, "font-size": "13px", "font-family": "system-ui, sans-serif" };
		const mark = svgEl("path", { d: markPath(code, 5.5, at, -12), fill: colours.classes(code) });
		return [mark, svgEl("text", { x: at + 11, y: -7.5, ...style }, text)];
	});
}

/** The same as PNG at twice the size. */
export async function pngOf(figure) {
	const address = URL.createObjectURL(new Blob([svgOf(figure)], { type: "image/svg+xml" }));
	const image = Object.assign(new Image(), { src: address });
	await image.decode().finally(() => URL.revokeObjectURL(address));
	const canvas = document.createElement("canvas");
	Object.assign(canvas, { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
	canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
	return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
