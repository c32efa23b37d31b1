// The state of a figure → what is drawn: table, features, model, classes. Everything is computed once for the same inputs.

import { fit, fromParameters, neighbours, planeFit, random } from "../density.js";
import { columnsNamed, heldOut, rowsOf, tableOf } from "./dataset.js";
import { gridModel } from "./grid_model.js";
import { rangeOf } from "./window.js";

const AXES = { plane: 2, surface: 2, line: 1 };
const FAST_FROM = 3000; // rows from which two features are fitted by typed arrays
const REACH = 3.2; // standard deviations about a mean that a window shows
const LAYERS = {
	plane: { regions: "blend", points: true, ellipses: true, boundary: true, errors: true },
	line: { regions: "labels", points: true, boundary: true, joint: true, evidence: true },
	surface: { points: true, evidence: true },
};

/** The layers that are shown: those of the spec, or the defaults of its view. */
export const layersOf = (state) => ({ ...LAYERS[state.view ?? "plane"], ...state.layers });

/** What `compute` returned for the same inputs last time, or what it returns now. */
export function remembered(memo, slot, inputs, compute) {
	const before = memo[slot];
	if (before && before.inputs.every((input, i) => Object.is(input, inputs[i]))) return before.value;
	memo[slot] = { inputs, value: compute() };
	return memo[slot].value;
}

/**
 * The scene of a state.
 * @param {object} state a spec
 * @param {object} memo kept by the figure from one scene to the next
 * @returns {object} view, table, features (columns, names, hidden), model (or null), problem, classes, codes, held, truth, row (the query
 *   with null for what is hidden), layers
 */
export function sceneOf(state, memo) {
	const view = state.view ?? "plane";
	const given = state.model?.parameters;
	const shape = state.data ? null : JSON.stringify([given?.means?.[0]?.length, given?.probabilities?.map(({ name }) => name), given?.features]);
	const table = remembered(memo, "table", [state.data, shape], () => tableOf(state.data ?? dataOfParameters(given)));
	const columns = remembered(memo, "columns", [table, view, state.features], () => usedColumns(table, view, state.features));
	const hidden = remembered(memo, "hidden", [columns, state.hidden], () => {
		const names = new Set(columnsNamed(table, state.hidden ?? []));
		return columns.map((column) => names.has(column));
	});
	const held = remembered(memo, "held", [table, state.test], () => heldOut(table, state.test, random(state.test?.seed ?? 1)));
	const rows = remembered(memo, "rows", [table, columns], () => lazily(() => rowsOf(table, columns)));
	const fitted = { table, columns, rows, held };
	const { model, problem } = remembered(memo, "model", [table, columns, held, state.model, state.step], () => modelOf(state, fitted));
	const classes = remembered(memo, "classes", [table, model], () => allClasses(model, table));
	const codes = remembered(memo, "codes", [table, classes], () => sceneCodes(table, classes));
	const names = columns.map((column) => table.names[column]);
	const query = state.query ?? null;
	const row = query && columns.map((_, i) => (hidden[i] ? null : (query[i] ?? null)));
	return { state, memo, view, table, columns, names, hidden, held, rows, model, problem, classes, codes, row, layers: layersOf(state) };
}

/** A function that computes its value when it is first called. */
function lazily(compute) {
	let value = null;
	return () => (value ??= compute());
}

/** Columns of a figure that has parameters and no data. */
function dataOfParameters(given) {
	const numbers = (given?.means?.[0] ?? []).map((_, j) => ({ name: given.features?.[j] ?? `x${"₁₂₃₄₅₆₇₈₉"[j] ?? j + 1}`, kind: "number", values: [] }));
	const categories = (given?.probabilities ?? []).map(({ name }, j) => ({ name: name ?? `feature ${j + 1}`, kind: "category", values: [] }));
	return { columns: [...numbers, ...categories], labels: [] };
}

function usedColumns(table, view, features) {
	const all = table.names.map((_, j) => j);
	const numbers = all.filter((j) => table.kinds[j] === "number");
	if (view === "areas") return features ? columnsNamed(table, features) : all.filter((j) => table.kinds[j] === "category");
	if (view === "bars") return features ? columnsNamed(table, features) : all;
	const chosen = (features ? columnsNamed(table, features) : numbers).filter((j) => table.kinds[j] === "number");
	const needed = AXES[view] ?? chosen.length;
	if (chosen.length < needed) throw new Error(`This view needs ${needed === 1 ? "one column" : "two columns"} of numbers.`);
	return chosen.slice(0, needed);
}

function modelOf(state, { table, columns, rows, held }) {
	const settings = state.model ?? {};
	const parameters = settings.parameters ?? (table.n === 0 && !state.model ? table.truth : null);
	try {
		if (settings.grid) return { model: gridModel(settings.grid, columns), problem: null };
		if (parameters) return { model: givenModel(parameters, columns), problem: null };
		if (!table.n) return { model: null, problem: null };
		return { model: fittedModel(settings, state.step, { table, columns, rows, held }), problem: null };
	} catch (error) {
		return { model: null, problem: asSentence(error.message) };
	}
}

const asSentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

function givenModel(parameters, columns) {
	const model = fromParameters(parameters);
	return model.numeric.length + model.categorical.length === columns.length ? model : model.marginal(columns);
}

function fittedModel(settings, step, { table, columns, rows, held }) {
	const { codes, classes, labels, n } = table;
	const options = { ...settings, features: columns.map((column) => table.names[column]) };
	const isComplete = () => !codes.includes(-1) && columns.every((column) => !table.columns[column].some(Number.isNaN));
	if (n > FAST_FROM && columns.length === 2 && columns.every((j) => table.kinds[j] === "number") && isComplete()) {
		const training = held ? codes.map((code, i) => (held[i] ? -1 : code)) : codes;
		const found = planeFit(...columns.map((column) => table.columns[column]), training, classes.length, { ...options, classes });
		return fromParameters({ ...found, classes, ...options, priors: found.priors });
	}
	const training = held ? Array.from(labels.keys()).filter((i) => !held[i]) : null;
	const taken = (values) => (training ? training.map((i) => values[i]) : values);
	const categorical = columns.flatMap((column, i) => (table.kinds[column] === "category" ? [i] : []));
	return fit(taken(rows()), taken(labels), { ...options, categorical, ...(Number.isInteger(step) ? { iterations: step } : {}) });
}

/** Classes of the model, then those that only rows have: 1 and "1" are the same. */
function allClasses(model, { classes }) {
	const known = new Set((model?.classes ?? []).map(String));
	return [...(model?.classes ?? []), ...classes.filter((label) => !known.has(String(label)))];
}

function sceneCodes(table, classes) {
	const places = new Map(classes.map((label, code) => [String(label), code]));
	const codes = table.classes.map((label) => places.get(String(label)));
	return codes.every((code, i) => code === i) ? table.codes : table.codes.map((code) => (code < 0 ? -1 : codes[code]));
}

/** The generating Gaussians in the columns that are shown, with `code` of their class; none if they are not known. */
export function truthOf({ table, columns, classes }) {
	const { truth } = table;
	if (!truth?.means?.[0]?.length) return [];
	const codes = new Map(classes.map((label, code) => [String(label), code]));
	return truth.means.flatMap((mean, c) => {
		const code = codes.get(String(truth.classes[c]));
		if (code === undefined) return [];
		const covariance = columns.map((i) => columns.map((j) => truth.covariances[c][i][j]));
		return [{ code, mean: columns.map((j) => mean[j]), covariance }];
	});
}

/** The whole window of one or two features: generating Gaussians or those given, and the points. */
export function wholeWindow(scene) {
	const { table, columns, model, state, view } = scene;
	if (!AXES[view]) return { x: [0, 1], y: [0, 1] };
	const gaussians = table.n && !table.truth ? [] : truthOf(scene);
	const given = state.model?.parameters && model ? model.means.map((mean, c) => ({ mean, covariance: model.covariances[c] })) : [];
	const ranges = columns.map((column, j) => {
		const ends = [...gaussians, ...given].flatMap(({ mean, covariance }) => {
			const reach = REACH * Math.sqrt(covariance[j][j]);
			return [mean[j] - reach, mean[j] + reach];
		});
		const inner = ends.length ? rangeOf([ends], 0) : null;
		const slack = inner ? 0.15 * (inner[1] - inner[0]) : 0;
		// A sample that is drawn anew does not move the window unless a point is far out.
		const isFar = (value) => !inner || value < inner[0] - slack || value > inner[1] + slack;
		const points = table.kinds[column] === "number" ? table.columns[column].filter(isFar) : [];
		return points.length || !inner ? rangeOf([ends, points, state.query?.[j] === undefined ? [] : [state.query[j]]]) : inner;
	});
	return { x: ranges[0], y: ranges[1] ?? [0, 1] };
}

/** The k-nearest-neighbour rule of the rows that are not held out. */
export function neighbourRule({ memo, table, rows, held, classes, state }) {
	return remembered(memo, "neighbours", [table, held, rows, classes, state.neighbours], () => {
		const labels = table.labels.map((label, i) => (label === null || held?.[i] ? null : classes.find((name) => String(name) === String(label))));
		return neighbours(rows(), labels, state.neighbours ?? 5, classes);
	});
}

/** The predicted class of every row: by the neighbours where these are drawn, else by the model; null without either. */
export function predictedCodes(scene) {
	const { memo, table, columns, model, hidden, layers, rows } = scene;
	const rule = layers.neighbours ? neighbourRule(scene) : model;
	return remembered(memo, "predicted", [table, columns, rule, hidden.join()], () => {
		if (!rule) return null;
		const isPlane = !layers.neighbours && columns.length === 2 && model.factors && model.numeric.length === 2 && !hidden.includes(true);
		if (isPlane) return planeLabels(model, ...columns.map((column) => table.columns[column]));
		const seen = (row) => row.map((value, i) => (hidden[i] ? null : value));
		return Int32Array.from(rows(), (row) => (layers.neighbours && row.includes(null) ? -1 : rule.label(layers.neighbours ? row : seen(row))));
	});
}

/** The most probable classes of many points; missing values are integrated out by the model itself. */
function planeLabels(model, x, y) {
	const scores = model.factors.map(({ whitener: [[p], [q, r]], logDeterminant }, c) => {
		const [mx, my] = model.means[c];
		return { p, q, r, mx, my, constant: Math.log(model.priors[c]) - 0.5 * logDeterminant };
	});
	return Int32Array.from(x, (value, i) => {
		if (Number.isNaN(value + y[i])) return model.label([value, y[i]]);
		let [best, top] = [0, -Infinity];
		for (let c = 0; c < scores.length; c++) {
			const { p, q, r, mx, my, constant } = scores[c];
			const [u, v] = [value - mx, y[i] - my];
			const score = constant - 0.5 * ((p * u) ** 2 + (q * u + r * v) ** 2);
			if (score > top) [best, top] = [c, score];
		}
		return best;
	});
}
