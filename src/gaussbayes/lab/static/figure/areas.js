// Bayes' rule for categories as areas of a square: widths are priors, filled heights likelihoods, filled areas joint probabilities.
// The bar below puts the filled areas side by side: their shares are the posteriors.

import { boxOutline, fittedName, xAxis, yAxis } from "./axes.js";
import { classVariable } from "./colours.js";
import { svgEl } from "./elements.js";
import { HandleLayer } from "./handles.js";
import { probabilityText, shortNumber } from "./numbers.js";
import { marginsOf } from "./plane.js";
import { rescaled } from "./paths.js";

const BAR = 30; // height of the bar of posteriors
const QUARTERS = [0, 0.25, 0.5, 0.75, 1].map((value) => ({ value, text: String(value) }));

export class AreasView {
	constructor(figure, stage) {
		this.figure = figure;
		this.shapes = svgEl("g", { "aria-hidden": "true" });
		this.root = svgEl("svg", { class: "gb-areas" }, this.shapes);
		this.handles = new HandleLayer(figure, this.root);
		stage.append(this.root);
	}

	draw({ scene, model, width, height }) {
		const { left, right, top } = marginsOf(width);
		const bottom = 46 + BAR + 34;
		const box = { left, top: top + 18, width: Math.max(40, width - left - right), height: Math.max(40, height - top - 18 - bottom) };
		if (!model || !scene.row) return this.shapes.replaceChildren();
		const likelihoods = model.logLikelihood(scene.row).map(Math.exp);
		const posterior = model.posterior(scene.row);
		const columns = columnsOf(model.priors, likelihoods, box);
		const known = scene.row.map((value, i) => (value === null ? null : `${scene.names[i]} = ${value}`)).filter(Boolean).join(", ");
		this.shapes.replaceChildren(
			...columns.flatMap((column, c) => columnShapes(column, c, scene.classes[c], likelihoods[c], model.priors[c], box)),
			boxOutline(box),
			...xAxis(box, [0, 1], "prior", { ticks: { marks: QUARTERS, note: "" } }),
			...yAxis(box, [0, 1], `likelihood of ${known}`, { ticks: { marks: QUARTERS, note: "" } }),
			...posteriorBar(posterior, scene.classes, { left, width: box.width, top: box.top + box.height + 72 }),
		);
		this.handles.show(this.listHandles(scene, model, columns, box, likelihoods));
	}

	listHandles({ state, classes, columns: used }, model, columns, box, likelihoods) {
		const moves = new Set(state.move ?? []);
		const given = state.model?.parameters;
		const dividers = moves.has("priors") ? columns.slice(0, -1).map((column, c) => this.dividerHandle(classes, model.priors, column, c, box)) : [];
		if (!given || used.length !== 1 || !moves.has("likelihoods")) return dividers;
		return [...dividers, ...columns.map((column, c) => this.heightHandle(classes, column, c, box, likelihoods[c]))];
	}

	/** Between two columns: moves probability from one class to all others. */
	dividerHandle(classes, priors, { right }, c, box) {
		const start = priors.slice(0, c + 1).reduce((sum, prior) => sum + prior, 0) - priors[c];
		const patch = (value) => {
			const put = Number(Math.min(Math.max(value - start, 0), 1).toFixed(3));
			return { [this.figure.state.model?.parameters ? "model.parameters.priors" : "model.priors"]: rescaled(priors, c, put) };
		};
		return {
			id: `prior-${c}`, kind: "across", code: c, at: [right, box.top + 0.55 * box.height], label: `prior of ${classes[c]}`, value: priors[c], text: probabilityText(priors[c]),
			grab: () => ([by]) => patch((right + by - box.left) / box.width),
			step: ([across, up]) => ({ [`prior.${classes[c]}`]: Math.min(Math.max(this.figure.quantity(`prior.${classes[c]}`) + 0.01 * (across + up), 0), 1) }),
		};
	}

	heightHandle(classes, { left, right, top }, c, box, likelihood) {
		const path = `likelihood.${classes[c]}`;
		const put = (value) => ({ [path]: Number(Math.min(Math.max(value, 0), 1).toFixed(3)) });
		return {
			id: `likelihood-${c}`, kind: "up", code: c, at: [Math.max((left + right) / 2, box.left + 12), top], label: `likelihood of ${classes[c]}`,
			value: likelihood, text: probabilityText(likelihood),
			grab: () => ([, up]) => put((box.top + box.height - top + up) / box.height),
			step: ([across, up]) => put(this.figure.quantity(path) + 0.01 * (across + up)),
		};
	}
}

function columnsOf(priors, likelihoods, box) {
	let sum = 0;
	return priors.map((prior, c) => {
		const left = box.left + sum * box.width;
		sum += prior;
		return { left, right: box.left + sum * box.width, top: box.top + box.height * (1 - likelihoods[c]) };
	});
}

/** A column: faint as a whole, filled up to the likelihood; its name above, its joint probability inside. */
function columnShapes({ left, right, top }, c, label, likelihood, prior, box) {
	const [width, bottom, own] = [Math.max(0.5, right - left), box.top + box.height, { "--own": classVariable(c) }];
	const isLast = right > box.left + box.width - 4;
	const anchor = width > 90 ? "middle" : isLast ? "end" : "start";
	const at = anchor === "middle" ? (left + right) / 2 : isLast ? right : left;
	const shapes = [
		svgEl("rect", { class: "gb-whole", x: left, width, y: box.top, height: box.height, own }),
		svgEl("rect", { class: "gb-filled", x: left, width, y: top, height: bottom - top, own }),
		svgEl("text", { class: "gb-name", x: at, y: box.top - 7, "text-anchor": anchor }, fittedName(String(label), Math.max(width, 120))),
	];
	if (width > 74 && bottom - top > 22) {
		shapes.push(svgEl("text", { class: "gb-note", x: (left + right) / 2, y: (top + bottom) / 2 + 5, "text-anchor": "middle" }, shortNumber(prior * likelihood)));
	}
	return shapes;
}

function posteriorBar(posterior, classes, { left, width, top }) {
	let sum = 0;
	const parts = posterior.flatMap((share, c) => {
		const x = left + sum * width;
		sum += share;
		const rect = svgEl("rect", { class: "gb-filled", x, width: Math.max(0, share * width), y: top, height: BAR, own: { "--own": classVariable(c) } });
		const text = `${classes[c]} ${probabilityText(share)}`;
		const fits = share * width > 7.4 * text.length;
		return fits ? [rect, svgEl("text", { class: "gb-note", x: x + (share * width) / 2, y: top + BAR / 2 + 4.5, "text-anchor": "middle" }, text)] : [rect];
	});
	return [...parts, svgEl("text", { class: "gb-name", x: left, y: top - 8 }, "posterior: each class’s share of the filled area")];
}
