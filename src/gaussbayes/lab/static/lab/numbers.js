// The panel of numbers: errors, confusion matrix, parameters.

import { el } from "../figure/elements.js";
import { className } from "../figure/marks.js";
import { countText, percentText, shortNumber } from "../figure/numbers.js";
import { quantityOf } from "../figure/quantities.js";
import { predictedCodes } from "../figure/scene.js";
import { fit } from "../density.js";
import { rowsOf } from "../figure/dataset.js";

const MOST_IN_MATRIX = 12; // classes of a confusion matrix, and of the Bayes error; rows of more are counted class by class
const MOST_LEFT_OUT = 1500; // rows of which each is left out in turn
const MOST_FEATURES = 30; // features of the model of all of them

/**
 * Errors, confusion matrix and parameters of what a figure shows.
 * @param {object} scene of the figure
 * @returns {Node[]} tables
 */
export function numberTables(scene) {
	if (!scene.model && !scene.layers.neighbours) return [el("p", { class: "lab-quiet" }, scene.problem ?? "No model is fitted yet.")];
	return [errorTable(scene), confusionTable(scene), ...parameterTables(scene)].filter(Boolean);
}

function tableElement(caption, header, rows) {
	const head = header && el("thead", {}, el("tr", {}, header.map((cell) => el("th", { scope: "col" }, cell))));
	const body = el("tbody", {}, rows.map(([name, ...cells]) =>
		el("tr", {}, el("th", { scope: "row" }, name), cells.map((cell) => el("td", cell?.wrong ? { class: "lab-wrong" } : {}, cell?.text ?? cell)))));
	const table = el("table", { class: "lab-table" }, el("caption", {}, caption), head, body);
	const place = el("div", { class: "lab-scroll", role: "group", "aria-label": caption }, table);
	new ResizeObserver(() => (place.tabIndex = place.scrollWidth > place.clientWidth ? 0 : -1)).observe(place); // scrolled by keys only if need be
	return place;
}

function errorTable(scene) {
	const { table, columns, held, state, layers, model } = scene;
	if (!table.n) return null;
	const rows = [];
	const add = (name, value) => Number.isFinite(value) && rows.push([name, percentText(value)]);
	if (layers.neighbours) add(`${quantityOf(scene, "k")} neighbours, ${held ? "held-out" : "training"} rows`, quantityOf(scene, "neighbour_error"));
	add("training error", quantityOf(scene, "error"));
	if (held) add("test error (held-out rows)", quantityOf(scene, "test_error"));
	const fitted = model && !state.model?.parameters && !state.model?.grid;
	if (fitted && table.n <= MOST_LEFT_OUT) add("leave-one-out error", quantityOf(scene, "leave_one_out_error"));
	if (fitted && columns.length < table.names.length) add(`training error of all ${table.names.length} features`, errorOfAll(scene));
	if (model?.factors && model.classes.length <= MOST_IN_MATRIX) add("Bayes error of this model", quantityOf(scene, "bayes_error"));
	if (fitted && model.nParameters) rows.push(["free parameters", String(model.nParameters)]);
	return tableElement("Errors", null, rows);
}

/** The training error of the same model fitted to all features; NaN where that is too much work or not possible. */
function errorOfAll({ table, held, state }) {
	if (table.names.length > MOST_FEATURES || table.n > 20000) return NaN;
	try {
		const columns = table.names.map((_, j) => j);
		const training = Array.from(table.labels.keys()).filter((i) => !held?.[i]);
		const all = rowsOf(table, columns);
		const [rows, labels] = [training.map((i) => all[i]), training.map((i) => table.labels[i])];
		const categorical = columns.filter((j) => table.kinds[j] === "category");
		const model = fit(rows, labels, { ...state.model, categorical, smoothing: categorical.length ? 1 : 0, features: table.names });
		const known = labels.flatMap((label, i) => (label === null ? [] : [i]));
		return known.filter((i) => model.classes[model.label(rows[i])] !== labels[i]).length / known.length;
	} catch {
		return NaN;
	}
}

function confusionTable(scene) {
	const { codes, classes, held } = scene;
	const predicted = predictedCodes(scene);
	if (!predicted || !scene.table.n) return null;
	const k = classes.length;
	const counts = Array.from({ length: k }, () => new Array(k).fill(0));
	for (let i = 0; i < codes.length; i++) {
		if (codes[i] >= 0 && predicted[i] >= 0 && (!held || held[i])) counts[codes[i]][predicted[i]]++;
	}
	const caption = `Confusion matrix${held ? " of the held-out rows" : ""}`;
	if (k > MOST_IN_MATRIX) {
		const rows = counts.map((row, c) => {
			const all = row.reduce((a, b) => a + b, 0);
			return [className(c, classes[c]), countText(all), countText(all - row[c])];
		});
		return tableElement("Rows and errors of each class", [scene.table.target, "rows", "misclassified"], rows);
	}
	const rows = counts.map((row, c) => [className(c, classes[c]), ...row.map((count, b) => ({ text: countText(count), wrong: count > 0 && b !== c }))]);
	return tableElement(caption, ["true ↓ predicted →", ...classes.map((label, c) => className(c, label))], rows);
}

function parameterTables({ model, classes, names }) {
	if (!model?.means?.length || !model.means[0].length) return [];
	const shown = model.classes.slice(0, 30);
	const number = (value) => shortNumber(value, 4);
	const means = tableElement("Priors and means", ["class", "prior", ...names], shown.map((label, c) =>
		[className(classes.indexOf(label), label), shortNumber(model.priors[c], 3), ...model.means[c].map(number)]));
	if (names.length > 2) return [means];
	const header = names.length === 1 ? ["class", "variance", "sd"] : ["class", "variance 1", "covariance", "variance 2", "correlation"];
	const covariances = tableElement("Covariances", header, shown.map((label, c) => {
		const [[a, b], second] = model.covariances[c];
		const cells = second ? [a, b, second[1], model.correlations[c][0][1]] : [a, Math.sqrt(a)];
		return [className(classes.indexOf(label), label), ...cells.map(number)];
	}));
	return [means, covariances];
}
