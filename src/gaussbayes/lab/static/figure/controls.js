// Controls and readouts under a figure.

import { el, putText } from "./elements.js";
import { numberLike, percentText, probabilityText, shortNumber } from "./numbers.js";
import { isSlow, quantityOf, splitName } from "./quantities.js";

const MOST_SEGMENTS = 5; // more values are a list
const isSameValue = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
const named = (label) => label && el("span", { class: "gb-label" }, label);

/** The controls of a spec: {element, refresh()}. */
export function controlsOf(figure, controls) {
	const made = controls.map((control) => {
		if (control.press) return pressControl(figure, control);
		if (!control.values) return (control.max === undefined ? checkControl : sliderControl)(figure, control);
		return (control.list || control.values.length > MOST_SEGMENTS ? listControl : segmentControl)(figure, control);
	});
	const element = el("div", { class: "gb-controls" }, made.map((control) => control.element));
	return { element, refresh: () => made.forEach((control) => control.refresh?.()) };
}

function pressControl(figure, { press, label = press }) {
	return { element: el("button", { type: "button", class: "gb-button", on: { click: () => figure.press(press) } }, label) };
}

function segmentControl(figure, { set, label, values }) {
	const button = (value) => ({ type: "button", class: "gb-segment", on: { click: () => figure.set({ [set]: value }) } });
	const buttons = values.map(([name, value]) => el("button", button(value), String(name)));
	const isChosen = ([, value]) => isSameValue(figure.get(set), value);
	const refresh = () => values.forEach((entry, i) => buttons[i].setAttribute("aria-pressed", isChosen(entry)));
	const what = { class: "gb-control", role: "group", "aria-label": label };
	return { element: el("div", what, named(label), el("span", { class: "gb-segments" }, buttons)), refresh };
}

function listControl(figure, { set, label, values }) {
	const options = values.map(([name], i) => el("option", { value: i }, String(name)));
	const list = el("select", { on: { change: () => figure.set({ [set]: values[list.value][1] }) } }, options);
	const refresh = () => (list.value = String(values.findIndex(([, value]) => isSameValue(figure.get(set), value))));
	return { element: el("label", { class: "gb-control" }, named(label), list), refresh };
}

function checkControl(figure, { set, label }) {
	const box = el("input", { type: "checkbox", on: { change: () => figure.set({ [set]: box.checked }) } });
	const element = el("label", { class: "gb-control gb-check" }, box, el("span", {}, label));
	return { element, refresh: () => (box.checked = Boolean(figure.get(set))) };
}

function sliderControl(figure, { set, label, min = 0, max, step, scale }) {
	const [inside, outside] = scale === "log" ? [Math.log10, (value) => Number((10 ** value).toPrecision(4))] : [Number, Number];
	const size = step ?? (scale === "log" ? 0.01 : Number(((max - min) / 100).toPrecision(2)));
	const output = el("output", { class: "gb-value" });
	const on = { input: () => figure.move({ [set]: outside(slider.value) }), change: () => figure.settle() };
	const slider = el("input", { type: "range", min: inside(min), max: inside(max), step: size, on });
	const refresh = () => {
		const value = Number(figure.get(set) ?? 0);
		if (outside(slider.value) !== value) slider.value = String(inside(value));
		putText(output, shortNumber(value, 4));
		slider.setAttribute("aria-valuetext", output.textContent);
	};
	return { element: el("label", { class: "gb-control gb-slider" }, named(label), slider, output), refresh };
}

const LABELS = {
	prior: "prior of %", likelihood: "likelihood of %", log_likelihood: "log-likelihood of %", joint: "prior × likelihood of %",
	evidence: "evidence p(x)", log_evidence: "log evidence", posterior: "posterior of %", log_odds: "log-odds %",
	squared_distance: "squared distance to %", distance: "distance to %", p_value: "p-value of %", mean: "mean of %",
	variance: "variance of %", sd: "standard deviation of %", covariance: "covariance of %", correlation: "correlation of %",
	boundary: "boundary", n: "rows", errors: "misclassified", error: "training error", test_errors: "misclassified test rows",
	test_error: "test error", bayes_error: "Bayes error (plug-in)", leave_one_out_error: "leave-one-out error",
	data_log_likelihood: "log-likelihood of the data", nll: "negative log-likelihood (%)", n_parameters: "parameters",
	query: "query %", k: "neighbours k", vote: "votes for %", neighbour_error: "k-NN error", em_step: "EM step",
	em_log_likelihood: "log-likelihood", contribution: "contribution of %", base: "log-odds at the reference",
	learning: "% test error",
};
const PERCENT = /^(error|test_error|bayes_error|leave_one_out_error|neighbour_error|vote\.|learning\.)/;
const PROBABILITY = /^(prior|posterior|p_value)\./;

/** The default label of a quantity. */
function labelOf({ names }, name) {
	const [kind, rest] = splitName(name);
	const [, front, index] = /^(.*?)\.?(\d+)$/.exec(rest) ?? [];
	const isFeature = /^(contribution|query)$/.test(kind) || (/^(mean|variance|sd)$/.test(kind) && front);
	const [feature, isOnly] = [names[Number(index)] ?? index, names.length === 1];
	const of = !isFeature ? rest : !front ? feature : isOnly ? front : `${front}, ${feature}`;
	if (kind === "n" && rest) return `rows of ${rest}`;
	return (LABELS[kind] ?? name).replace("%", () => (kind === "log_odds" ? rest.replaceAll(".", " : ") : of));
}

/** A quantity as text: in the format of an example, or one that suits it. */
export function quantityText(name, value, format) {
	if (format) return numberLike(value, format);
	if (PERCENT.test(name)) return percentText(value);
	return PROBABILITY.test(name) ? probabilityText(value) : shortNumber(value, 4);
}

/** The row of numbers under a figure: {element, refresh(settled)}. */
export function readoutsOf(figure, readouts) {
	const entries = readouts.map((readout) => {
		const given = typeof readout === "string" ? { quantity: readout } : readout;
		const [name, output] = [el("dt"), el("dd")];
		return { ...given, name, output, element: el("div", { class: "gb-readout" }, name, output) };
	});
	const refresh = (settled) => entries.forEach(({ quantity, label, format, name, output }) => {
		putText(name, label ?? labelOf(figure.scene, quantity));
		followQuantity(figure, output, quantity, settled, (value) => quantityText(quantity, value, format));
	});
	return { element: el("dl", { class: "gb-readouts" }, entries.map(({ element }) => element)), refresh };
}

/** Write a quantity into an element; slow quantities turn grey at once and are computed after the drag. */
export function followQuantity(figure, output, quantity, settled, write) {
	const isPending = !settled && isSlow(figure.scene, quantity);
	output.classList.toggle("gb-old", isPending);
	if (!isPending) putText(output, write(quantityOf(figure.scene, quantity)));
}
