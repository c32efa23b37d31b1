// A figure as SVG text or PNG: canvases become embedded images, styles become attributes.

import { svgEl } from "./elements.js";
import { markPath } from "./marks.js";

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity",
	"font-size", "font-family", "font-weight", "text-anchor", "paint-order", "visibility"];

/** Copy an element of the page with its computed styles. */
function styledCopy(element) {
	const copy = element.cloneNode(false);
	if (element.nodeType !== 1) return copy;
	const style = getComputedStyle(element);
	if (style.display === "none") return svgEl("g");
	for (const name of STYLES) copy.setAttribute(name, style.getPropertyValue(name));
	copy.removeAttribute("style");
	copy.removeAttribute("class");
	copy.append(...[...element.childNodes].map(styledCopy));
	return copy;
}

/** The figure's plot, legend and caption-free, as SVG text. */
export function svgOf({ stage, scene, colours }) {
	const box = stage.getBoundingClientRect();
	const [width, height] = [Math.round(box.width), Math.round(box.height)];
	const head = 26;
	const root = svgEl("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 ${-head} ${width} ${height + head}`, width, height: height + head });
	root.append(svgEl("rect", { x: 0, y: -head, width, height: height + head, fill: colours.paper }), ...legend(scene, colours, width));
	for (const element of stage.querySelectorAll("canvas, svg")) {
		const at = element.getBoundingClientRect();
		const place = { x: at.left - box.left, y: at.top - box.top, width: at.width, height: at.height };
		if (element.closest(".gb-chips") || !at.width) continue;
		if (element.tagName === "CANVAS") root.append(svgEl("image", { ...place, href: element.toDataURL("image/png"), preserveAspectRatio: "none" }));
		else root.append(svgEl("svg", { ...place, overflow: "visible" }, [...element.childNodes].map(styledCopy)));
	}
	return new XMLSerializer().serializeToString(root);
}

function legend({ classes }, colours, width) {
	let left = 14;
	return classes.slice(0, 12).flatMap((label, code) => {
		const text = String(label).slice(0, 24);
		const at = left;
		left += 30 + 7.5 * text.length;
		if (left > width) return [];
		const style = { fill: colours.ink, "font-size": "13px", "font-family": "system-ui, sans-serif" };
		return [svgEl("path", { d: markPath(code, 5.5, at, -12), fill: colours.classes(code) }), svgEl("text", { x: at + 11, y: -7.5, ...style }, text)];
	});
}

/** The same as PNG at twice the size. */
export async function pngOf(figure) {
	const text = svgOf(figure);
	const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
	try {
		const image = new Image();
		image.src = address;
		await image.decode();
		const canvas = document.createElement("canvas");
		Object.assign(canvas, { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
		canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
		return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
	} finally {
		URL.revokeObjectURL(address);
	}
}
