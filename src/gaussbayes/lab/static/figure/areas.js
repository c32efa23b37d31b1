// Bayes' rule for categories as areas of a square: widths are priors, filled heights likelihoods, filled areas their products.
// The bar below shows the filled areas side by side: their proportions are the posteriors.

import { boxAt, boxOutline, fittedName, MARGINS, textAt, ticksAt, xAxis, yAxis } from "./axes.js";
import { svgEl } from "./elements.js";
import { HandleLayer } from "./handles.js";
import { probabilityText, shortNumber } from "./numbers.js";
import { rescaled } from "./paths.js";

const BAR = 30; // height of the bar of posteriors
const BELOW = 110; // pixels under the square
const QUARTERS = ticksAt([0, 0.25, 0.5, 0.75, 1]);
const atLeast0 = (value) => Number(Math.min(Math.max(value, 0), 1).toFixed(3));

export class AreasView {
	constructor(figure, stage) {
		this.figure = figure;
		this.shapes = svgEl("g", { "aria-hidden": "true" });
		this.root = svgEl("svg", {}, this.shapes);
		this.handles = new HandleLayer(figure, this.root);
		stage.append(this.root);
	}

	draw({ scene, model, width, height }) {
		const { left, right, top } = MARGINS;
		const box = { left, top: top + 18, width: Math.max(40, width - left - right), height: Math.max(40, height - top - 18 - BELOW) };
		if (!model?.factors || !scene.row) return this.shapes.replaceChildren();
		const likelihoods = model.logLikelihood(scene.row).map(Math.exp);
		const sums = model.priors.map((_, c) => model.priors.slice(0, c).reduce((sum, prior) => sum + prior, 0));
		const columns = model.priors.map((prior, c) => ({
			left: box.left + sums[c] * box.width, width: prior * box.width, height: likelihoods[c] * box.height,
			bottom: box.top + box.height, label: scene.classes[c], prior, likelihood: likelihoods[c], before: sums[c],
		}));
		const known = scene.row.flatMap((value, i) => (value === null ? [] : [`${scene.names[i]} = ${value}`])).join(", ");
		this.shapes.replaceChildren(...columns.flatMap((column, c) => columnShapes(column, c, box)), boxOutline(box),
			...xAxis(box, [0, 1], "prior", QUARTERS), ...yAxis(box, [0, 1], `likelihood of ${known}`, QUARTERS),
			...posteriorBar(model.posterior(scene.row), scene.classes, { ...box, top: box.top + box.height + 72 }));
		const moves = new Set(scene.state.move);
		const isGiven = scene.state.model?.parameters && scene.columns.length === 1;
		this.handles.show([
			...(moves.has("priors") ? columns.slice(0, -1).map((column, c) => this.priorHandle(column, c, box, model.priors)) : []),
			...(moves.has("likelihoods") && isGiven ? columns.map((column, c) => this.likelihoodHandle(column, c, box)) : []),
		]);
	}

	/** Between two columns: moves probability from one class to all others. */
	priorHandle({ left, width, label, prior, before }, c, box, priors) {
		const path = this.figure.state.model?.parameters ? "model.parameters.priors" : "model.priors";
		return {
			id: `prior-${c}`, kind: "across", code: c, at: [left + width, box.top + 0.55 * box.height],
			label: `prior of ${label}`, value: prior, text: probabilityText(prior),
			grab: () => ([right]) => ({ [path]: rescaled(priors, c, atLeast0((left + width + right - box.left) / box.width - before)) }),
			step: ([right, up]) => ({ [`prior.${label}`]: atLeast0(this.figure.quantity(`prior.${label}`) + 0.01 * (right + up)) }),
		};
	}

	likelihoodHandle({ left, width, height, bottom, label, likelihood }, c, box) {
		const path = `likelihood.${label}`;
		return {
			id: `likelihood-${c}`, kind: "up", code: c, at: [Math.max(left + width / 2, box.left + 12), bottom - height],
			label: `likelihood of ${label}`, value: likelihood, text: probabilityText(likelihood),
			grab: () => ([, up]) => ({ [path]: atLeast0((height + up) / box.height) }),
			step: ([right, up]) => ({ [path]: atLeast0(this.figure.quantity(path) + 0.01 * (right + up)) }),
		};
	}
}

/** A column: faint as a whole, filled up to the likelihood; its name above, its joint probability inside. */
function columnShapes({ left, width, height, bottom, label, prior, likelihood }, c, box) {
	const isLast = left + width > box.left + box.width - 4;
	const [anchor, at] = width > 90 ? ["middle", left + width / 2] : isLast ? ["end", left + width] : ["start", left];
	const joint = textAt("note", left + width / 2, bottom - height / 2 + 5, "middle", shortNumber(prior * likelihood));
	return [
		boxAt("whole", [left, box.top], width, box.height, c),
		boxAt("filled", [left, bottom - height], width, height, c),
		textAt("name", at, box.top - 7, anchor, fittedName(String(label), Math.max(width, 120))),
		...(width > 74 && height > 22 ? [joint] : []),
	];
}

function posteriorBar(posterior, classes, { left, width, top }) {
	let sum = 0;
	const parts = posterior.flatMap((share, c) => {
		const x = left + sum * width;
		sum += share;
		const text = `${classes[c]} ${probabilityText(share)}`;
		const note = textAt("note", x + (share * width) / 2, top + BAR / 2 + 4.5, "middle", text);
		return [boxAt("filled", [x, top], share * width, BAR, c), ...(share * width > 7.4 * text.length ? [note] : [])];
	});
	return [...parts, textAt("name", left, top - 8, "start", "posterior: share of the filled area")];
}
