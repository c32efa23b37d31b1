// The state of a figure → its scene: table, features, model, classes. Everything is computed once for the same inputs.

import { fit, fromParameters, neighbours, planeFit, random } from "../density.js";
import { columnsNamed, defaultName, heldOut, rowsOf, tableOf } from "./dataset.js";
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

/** The last result of `compute` for the same inputs, or a new one. */
export function remembered(memo, slot, inputs, compute) {
	const isKnown = memo[slot]?.inputs.every((input, i) => Object.is(input, inputs[i]));
	if (!isKnown) memo[slot] = { inputs, value: compute() };
	return memo[slot].value;
}

/**
 * The scene of a state.
 * @param {object} state a spec
 * @param {object} memo kept by the figure from one scene to the next
 * @returns {object} state, memo, view, table, columns and names (of the features), hidden, held, rows(), model or null, problem,
 *   classes, codes, row (the query with null for what is hidden), layers
 */
export function sceneOf(state, memo) {
	const { view = "plane", model: settings, query } = state;
	const bare = state.data ? null : JSON.stringify(dataOfParameters(settings?.parameters));
	const table = remembered(memo, "table", [state.data, bare], () => tableOf(state.data ?? JSON.parse(bare)));
	const columns = remembered(memo, "columns", [table, view, state.features], () => usedColumns(table, view, state.features));
	const hidden = remembered(memo, "hidden", [columns, state.hidden], () => {
		const unmeasured = columnsNamed(table, state.hidden ?? []);
		return columns.map((column) => unmeasured.includes(column));
	});
	const held = remembered(memo, "held", [table, state.test], () => heldOut(table, state.test, random(state.test?.seed ?? 1)));
	const rows = remembered(memo, "rows", [table, columns], () => {
		let made = null;
		return () => (made ??= rowsOf(table, columns));
	});
	const inputs = [table, columns, held, settings, state.step];
	const { model, problem } = remembered(memo, "model", inputs, () => modelOf(state, { table, columns, rows, held }));
	const classes = remembered(memo, "classes", [table, model], () => allClasses(model, table));
	const codes = remembered(memo, "codes", [table, classes], () => sceneCodes(table, classes));
	const names = columns.map((column) => table.names[column]);
	const row = query ? columns.map((_, i) => (hidden[i] ? null : (query[i] ?? null))) : null;
	const layers = layersOf(state);
	return { state, memo, view, table, columns, names, hidden, held, rows, model, problem, classes, codes, row, layers };
}

/** Columns of a figure that has parameters and no data. */
function dataOfParameters({ means = [[]], probabilities = [], features = [] } = {}) {
	const numbers = means[0].map((_, j) => ({ name: features[j] ?? defaultName(j), kind: "number", values: [] }));
	const categories = probabilities.map(({ name }, j) => ({ name: name ?? `feature ${j + 1}`, kind: "category", values: [] }));
	return { columns: [...numbers, ...categories], labels: [] };
}

function usedColumns(table, view, features) {
	const chosen = features ? columnsNamed(table, features) : table.names.map((_, j) => j);
	if (view === "bars") return chosen;
	const fitting = chosen.filter((j) => table.kinds[j] === (view === "areas" ? "category" : "number"));
	const needed = AXES[view] ?? fitting.length;
	if (fitting.length < needed) throw new Error(`This view needs ${needed === 1 ? "one column" : "two columns"} of numbers.`);
	return fitting.slice(0, needed);
}

function modelOf(state, parts) {
	const { table, columns } = parts;
	const settings = state.model ?? {};
	const parameters = settings.parameters ?? (table.n === 0 && !state.model ? table.truth : null);
	try {
		if (settings.grid) return { model: gridModel(settings.grid, columns), problem: null };
		const named = state.features && columnsNamed(table, state.features);
		if (parameters) return { model: givenModel(parameters, columns, named), problem: null };
		return { model: table.n ? fittedModel(settings, state.step, parts) : null, problem: null };
	} catch ({ message }) {
		return { model: null, problem: `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}` };
	}
}

/** Given parameters are those of the features that the spec names, or of all columns; others of them are integrated out. */
function givenModel(parameters, columns, named) {
	const model = fromParameters(parameters);
	const found = model.numeric.length + model.categorical.length;
	const places = found === named?.length ? columns.map((column) => named.indexOf(column)) : columns;
	if (found === columns.length) return model;
	const isShort = places.some((place) => place >= found);
	if (isShort) throw new Error(`the parameters have ${found} features, this view needs ${columns.length}`);
	return model.marginal(places);
}

function fittedModel(settings, step, { table, columns, rows, held }) {
	const { codes, classes, labels, n } = table;
	const options = { ...settings, features: columns.map((column) => table.names[column]) };
	const isNumbers = columns.length === 2 && columns.every((j) => table.kinds[j] === "number");
	if (n > FAST_FROM && isNumbers && !codes.includes(-1) && !columns.some((j) => table.columns[j].some(Number.isNaN))) {
		const counted = held ? codes.map((code, i) => (held[i] ? -1 : code)) : codes;
		const found = planeFit(...columns.map((j) => table.columns[j]), counted, classes.length, { ...options, classes });
		return fromParameters({ ...options, ...found, classes });
	}
	const categorical = columns.flatMap((column, i) => (table.kinds[column] === "category" ? [i] : []));
	const taken = (values) => (held ? values.filter((_, i) => !held[i]) : values);
	return fit(taken(rows()), taken(labels), { ...options, categorical, iterations: Number.isInteger(step) ? step : undefined });
}

/** Classes of the model, then those that only rows have: 1 and "1" are the same. */
function allClasses(model, { classes }) {
	const known = model?.classes ?? [];
	const names = new Set(known.map(String));
	return [...known, ...classes.filter((label) => !names.has(String(label)))];
}

function sceneCodes(table, classes) {
	const codes = table.classes.map((label) => classes.findIndex((name) => String(name) === String(label)));
	return codes.every((code, i) => code === i) ? table.codes : table.codes.map((code) => (code < 0 ? -1 : codes[code]));
}

/** The generating Gaussians in the columns that are shown: {code (of the class), prior, mean, covariance}; none if not known. */
export function truthOf({ table: { truth }, columns, classes }) {
	if (!truth?.means?.[0]?.length) return [];
	const code = (c) => classes.findIndex((name) => String(name) === String(truth.classes[c]));
	const seen = (covariance) => columns.map((i) => columns.map((j) => covariance[i][j]));
	const prior = (c) => truth.priors?.[c] ?? 1 / truth.means.length;
	const mean = (c) => columns.map((j) => truth.means[c][j]);
	const gaussian = (covariance, c) => ({ code: code(c), prior: prior(c), mean: mean(c), covariance: seen(covariance) });
	return truth.covariances.map(gaussian).filter((found) => found.code >= 0);
}

/** The whole window of one or two features: generating Gaussians or those given, and the points. */
export function wholeWindow(scene) {
	const { table, columns, model, state, view } = scene;
	if (!AXES[view]) return { x: [0, 1], y: [0, 1] };
	const given = state.model?.parameters && model ? model.means.map((mean, c) => ({ mean, covariance: model.covariances[c] })) : [];
	const gaussians = [...truthOf(scene), ...given];
	const [x, y = [0, 1]] = columns.map((column, j) => {
		const reach = ({ covariance }) => REACH * Math.sqrt(covariance[j][j]);
		const ends = gaussians.flatMap((gaussian) => [-1, 1].map((side) => gaussian.mean[j] + side * reach(gaussian)));
		const inner = rangeOf(ends, 0);
		const slack = 0.15 * (inner[1] - inner[0]);
		// A sample that is drawn anew does not move the window unless a point is far from the others.
		const isFar = (value) => !ends.length || value < inner[0] - slack || value > inner[1] + slack;
		const points = [...table.columns[column].filter(isFar), ...(ends.length ? [] : [state.query?.[j] ?? NaN])];
		return points.length ? rangeOf([...ends, ...points]) : inner;
	});
	return { x, y };
}

/** The k-nearest-neighbour rule of the rows that are not held out. */
export function neighbourRule({ memo, table, rows, held, classes, codes, state: { neighbours: k = 5 } }) {
	return remembered(memo, "neighbours", [table, held, rows, classes, k], () =>
		neighbours(rows(), Array.from(codes, (code, i) => (held?.[i] ? null : (classes[code] ?? null))), k, classes));
}

/** The predicted class of every row: by the neighbours where these are drawn, else by the model; null without either. */
export function predictedCodes(scene) {
	const { memo, table, columns, model, hidden, layers, rows } = scene;
	const rule = layers.neighbours ? neighbourRule(scene) : model;
	return remembered(memo, "predicted", [table, columns, rule, hidden.join()], () => {
		if (!rule) return null;
		if (layers.neighbours) return Int32Array.from(rows(), (row) => (row.includes(null) ? -1 : rule.label(row)));
		const isPlane = model.factors && columns.length === 2 && model.numeric.length === 2 && !hidden.includes(true);
		if (isPlane) return planeLabels(model, ...columns.map((column) => table.columns[column]));
		return Int32Array.from(rows(), (row) => model.label(row.map((value, i) => (hidden[i] ? null : value))));
	});
}

/** The most probable classes of many points; missing values are integrated out by the model itself. */
function planeLabels(model, x, y) {
	const [priors, dets] = [model.priors.map(Math.log), model.factors.map(({ logDeterminant }) => logDeterminant)];
	return Int32Array.from(x, (value, i) => {
		if (Number.isNaN(value + y[i])) return model.label([value, y[i]]);
		let [best, top] = [0, -Infinity];
		for (let c = 0; c < priors.length; c++) {
			const { whitener } = model.factors[c];
			const u = value - model.means[c][0];
			const v = whitener[1][0] * u + whitener[1][1] * (y[i] - model.means[c][1]);
			const score = priors[c] - 0.5 * (dets[c] + (whitener[0][0] * u) ** 2 + v * v);
			if (score > top) [best, top] = [c, score];
		}
		return best;
	});
}
