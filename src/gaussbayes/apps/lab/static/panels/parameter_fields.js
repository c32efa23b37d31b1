// The model by hand in numbers: means, standard deviations and correlation of every class.

import { widened } from "../drawing/ellipse.js";
import { number } from "./controls.js";
import { el, term } from "./elements.js";
import { className } from "./marks.js";

const CLOSEST = 0.999;
const FIELD = { dense: true, digits: 4 };

/** Fields of every class; a number that makes no covariance is refused with the reason. */
export function parameterFields(app) {
	const root = el("div", { class: "by-hand", id: "model-hand" });
	let classes = [];
	let shown = "";

	/** Make the mean or the covariance of a class anew: `name` is that of the list in the state. */
	function change(code, name, make) {
		const list = app.state.model[name].map((one, i) => (i === code ? make(one) : one));
		app.change({ model: { [name]: list } });
	}

	function fields(code, label, features) {
		const id = `model-hand-${code}`;
		const means = features.map((feature, i) => {
			const take = (value) => change(code, "means", (mean) => mean.map((old, j) => (i === j ? value : old)));
			return number(`${id}-mean-${i}`, `Mean of ${feature}, ${label}`, {}, take, FIELD);
		});
		const deviations = features.map((feature, i) => {
			const title = `Standard deviation of ${feature}, ${label}`;
			const take = (value) => change(code, "covariances", (before) => widened(before, i, possibleDeviation(value)));
			return number(`${id}-deviation-${i}`, title, {}, take, FIELD);
		});
		const take = (value) =>
			change(code, "covariances", (before) => withCorrelation(before, possibleCorrelation(value)));
		const correlation = features.length > 1 ? number(`${id}-correlation`, `Correlation, ${label}`, {}, take, FIELD) : null;
		const line = (title, inputs) =>
			el("div", { class: "line" }, el("span", {}, term(title)), inputs.map((one) => one.root));
		const box = el("fieldset", { class: "hand-class" },
			el("legend", {}, className(app, code, label)),
			el("div", { class: "line heads", "aria-hidden": "true" },
				["", ...features].map((name) => el("span", {}, name))),
			line("mean", means),
			line("st. dev.", deviations),
			correlation && line("correlation", [correlation]),
		);
		return {
			box,
			set(mean, covariance) {
				const [a, b] = deviationsOf(covariance);
				means.forEach((field, i) => field.set(mean[i], [a, b][i] / 1000));
				deviations.forEach((field, i) => field.set([a, b][i]));
				correlation?.set(covariance[0][1] / (a * b));
			},
		};
	}

	return {
		root,
		refresh() {
			const { model } = app.state;
			const head = app.answers.data?.head;
			root.hidden = model.from !== "hand";
			if (root.hidden || !head || !model.means) return;
			const pair = app.flat ? [0] : app.state.pair;
			const features = pair.map((i) => head.features[i] ?? `feature ${i}`);
			const now = JSON.stringify([head.classes, features]);
			if (now !== shown) {
				shown = now;
				classes = head.classes.map((label, code) => fields(code, label, features));
				root.replaceChildren(...classes.map((one) => one.box));
			}
			classes.forEach((one, code) => model.means[code] && one.set(model.means[code], model.covariances[code]));
		},
	};
}

function possibleDeviation(value) {
	if (value > 0) return value;
	throw new Error(`A standard deviation is above 0, not ${value}: otherwise there is no density.`);
}

function possibleCorrelation(value) {
	if (Math.abs(value) <= CLOSEST) return value;
	const limits = `A correlation lies between −1 and 1, at most ±${CLOSEST} here, not ${value}`;
	throw new Error(`${limits}: beyond it the matrix is no covariance.`);
}

function deviationsOf(covariance) {
	return [Math.sqrt(covariance[0][0]), Math.sqrt(covariance[1][1])];
}

function withCorrelation(covariance, value) {
	const [a, b] = deviationsOf(covariance);
	const cross = value * a * b;
	return [[covariance[0][0], cross], [cross, covariance[1][1]]];
}
