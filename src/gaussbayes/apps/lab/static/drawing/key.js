// The key above the plane: what rings, lines and shading mean, those that are drawn now.

import { el, helped, svg } from "../panels/elements.js";
import { isFitted } from "../state.js";

const line = (attributes) => svg("line", { x1: 1, x2: 19, y1: 7, y2: 7, ...attributes });
const hatch = (d) => svg("path", { d });

/** [whether it is drawn, sign, words]. */
function entries(app) {
	const { layers, hide, model } = app.state;
	const { test, unlabelled, truth } = app.data;
	const blend = layers.regions === "blend";
	const handles = app.gaussians !== null;
	return [
		[handles, [svg("circle", { cx: 10, cy: 7, r: 5, class: "open" })], "mean"],
		[handles && hide === null, [svg("rect", { x: 6, y: 3, width: 8, height: 8, rx: 2, class: "open" })], "axis"],
		[layers.density && model.from !== "neighbours", [svg("ellipse", { cx: 10, cy: 7, rx: 8, ry: 4.5, class: "own" })], "1, 2, 3 σ"],
		[layers.boundary, [line({ class: "thick" })], "boundary"],
		[layers.truth && truth, [line({ class: "thick", "stroke-dasharray": "5 3" })], "Bayes boundary"],
		[layers.regions !== "none", [svg("rect", { x: 1, y: 1, width: 18, height: 12, class: blend ? "blend" : "hard" })],
			blend ? "probability" : "prediction"],
		[layers.joint, [line({ class: "own", "stroke-dasharray": "4 2" })], "prior × density"],
		[layers.evidence, [line({})], "evidence"],
		[layers.reject !== null, [hatch("M1 13L13 1M7 13L19 1")], "left open"],
		[layers.novelty !== null, [hatch("M1 1L13 13M7 1L19 13")], "novel"],
		[layers.errors, [svg("circle", { cx: 10, cy: 7, r: 6 }), svg("circle", { cx: 10, cy: 7, r: 2.5, class: "dot" })], "wrong"],
		[test.includes(1), [svg("circle", { cx: 10, cy: 7, r: 4, class: "own" })], "held out"],
		[unlabelled > 0, [svg("circle", { cx: 10, cy: 7, r: 3, class: "grey" })], "no label"],
	].filter(([drawn]) => drawn);
}

export function mountKey(app, root) {
	let shown = "";
	const update = () => {
		if (!app.data || app.dragging) return;
		const found = entries(app);
		const now = JSON.stringify([found.map(([, , words]) => words), isFitted(app.state.model)]);
		if (now === shown) return;
		shown = now;
		const item = ([, sign, words]) =>
			el("li", helped(words),
				svg("svg", { viewBox: "0 0 20 14", "aria-hidden": "true" }, sign), words);
		root.replaceChildren(...found.map(item));
	};
	app.on("state data fitted", update);
}
