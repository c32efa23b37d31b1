// The panel of numbers: errors, confusion matrix, parameters.

import { fit } from "../density.js";
import { rowsOf } from "../figure/dataset.js";
import { el } from "../figure/elements.js";
import { className } from "../figure/marks.js";
import { countText, percentText, shortNumber } from "../figure/numbers.js";
import { quantityOf } from "../figure/quantities.js";
import { predictedCodes } from "../figure/scene.js";

const MOST_IN_MATRIX = 12; // classes of a confusion matrix, and of the Bayes error; rows of more are counted class by class
const MOST_ONE_BY_ONE = 1500; // rows of leave-one-out
const MOST_FEATURES = 30; // features, and rows, of the model of all features
const MOST_FITTED = 20000;

/** Errors, confusion matrix and parameters of a scene, as tables. */
export function numberTables(scene) {
	const nothing = el("p", { class: "lab-quiet" }, scene.problem ?? "No model is fitted yet.");
	if (!scene.model && !scene.layers.neighbours) return [nothing];
	return [errorTable(scene), confusionTable(scene), ...parameterTables(scene)].filter(Boolean);
}

function tableElement(caption, header, rows) {
	const head = header && el("thead", {}, el("tr", {}, header.map((cell) => el("th", { scope: "col" }, cell))));
	const line = ([name, ...cells]) => el("tr", {}, el("th", { scope: "row" }, name),
		cells.map((cell) => (cell.wrong ? el("td", { class: "lab-wrong" }, cell.wrong) : el("td", {}, cell))));
	const table = el("table", { class: "lab-table" }, el("caption", {}, caption), head, el("tbody", {}, rows.map(line)));
	const place = el("div", { class: "lab-scroll", role: "group", "aria-label": caption }, table);
	// It can be reached, and scrolled, by keys only where it is too wide.
	new ResizeObserver(() => (place.tabIndex = place.scrollWidth > place.clientWidth ? 0 : -1)).observe(place);
	return place;
}

function errorTable(scene) {
	const { table, columns, held, state, layers, model } = scene;
	if (!table.n) return null;
	const rows = [];
	const add = (name, value) => Number.isFinite(value) && rows.push([name, percentText(value)]);
	const addQuantity = (name, quantity) => add(name, quantityOf(scene, quantity));
	const counted = held ? "held-out" : "training";
	if (layers.neighbours) {
		addQuantity(`${state.neighbours ?? 5} neighbours, ${counted} rows`, "neighbour_error");
		addQuantity(`Gaussians, ${counted} rows`, held ? "test_error" : "error");
		return tableElement("Errors", null, rows);
	}
	addQuantity("training error", "error");
	if (held) addQuantity("test error (held-out rows)", "test_error");
	const isFitted = model && !state.model?.parameters && !state.model?.grid;
	if (isFitted && table.n <= MOST_ONE_BY_ONE) addQuantity("leave-one-out error", "leave_one_out_error");
	const d = table.names.length;
	if (isFitted && columns.length < d) add(`training error of all ${d} features`, errorOfAll(scene));
	if (model?.factors && model.classes.length <= MOST_IN_MATRIX) addQuantity("Bayes error if the model is right", "bayes_error");
	if (isFitted) rows.push(["free parameters", String(model.nParameters)]);
	return tableElement("Errors", null, rows);
}

/** The training error of the same model fitted to all features; NaN where that is too much work or not possible. */
function errorOfAll({ table, held, state }) {
	if (table.names.length > MOST_FEATURES || table.n > MOST_FITTED) return NaN;
	try {
		const columns = table.names.map((_, j) => j);
		const categorical = columns.filter((j) => table.kinds[j] === "category");
		const isTraining = (_, i) => !held?.[i];
		const [rows, labels] = [rowsOf(table, columns).filter(isTraining), table.labels.filter(isTraining)];
		const model = fit(rows, labels, { ...state.model, categorical, features: table.names });
		const known = labels.flatMap((label, i) => (label === null ? [] : [i]));
		return known.filter((i) => model.classes[model.label(rows[i])] !== labels[i]).length / known.length;
	} catch {
		return NaN; // a covariance of all features may be singular
	}
}

function confusionTable(scene) {
	const { codes, classes, held, table } = scene;
	const predicted = predictedCodes(scene);
	if (!predicted || !table.n) return null;
	const counts = classes.map(() => classes.map(() => 0));
	for (let i = 0; i < codes.length; i++) {
		if (codes[i] >= 0 && predicted[i] >= 0 && (!held || held[i])) counts[codes[i]][predicted[i]]++;
	}
	const named = classes.map((label, c) => className(c, label));
	if (classes.length > MOST_IN_MATRIX) {
		const rows = counts.map((row, c) => {
			const all = row.reduce((a, b) => a + b, 0);
			return [named[c], countText(all), countText(all - row[c])];
		});
		return tableElement("Rows and errors of each class", [table.target, "rows", "misclassified"], rows);
	}
	const cell = (count, isWrong) => (isWrong && count ? { wrong: countText(count) } : countText(count));
	const rows = counts.map((row, c) => [named[c].cloneNode(true), ...row.map((count, b) => cell(count, b !== c))]);
	return tableElement(`Confusion matrix${held ? " of the held-out rows" : ""}`, ["true ↓ predicted →", ...named], rows);
}

function parameterTables({ model, classes, names }) {
	if (!model?.means?.[0]?.length) return [];
	const shown = model.classes.slice(0, MOST_FEATURES).map((label, c) => [className(classes.indexOf(label), label), c]);
	const texts = (values) => values.map((value) => shortNumber(value, 4));
	const means = shown.map(([name, c]) => [name, ...texts([model.priors[c], ...model.means[c]])]);
	const tables = [tableElement("Priors and means", ["class", "prior", ...names], means)];
	if (names.length > 2) return tables;
	const moments = names.length === 1 ? ["variance", "sd"] : ["variance 1", "covariance", "variance 2", "correlation"];
	const covariances = shown.map(([name, c]) => {
		const [[a, b], second] = model.covariances[c];
		return [name.cloneNode(true), ...texts(second ? [a, b, second[1], model.correlations[c][0][1]] : [a, Math.sqrt(a)])];
	});
	return [...tables, tableElement("Covariances", ["class", ...moments], covariances)];
}
