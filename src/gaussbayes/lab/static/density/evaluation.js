// How well a model describes and predicts labelled rows; rows without a label do not count.

import { fit, modelOfSums, sumRows } from "./fit.js";
import { largestPlace } from "./model.js";
import { momentsWithout } from "./moments.js";
import { FIT_OPTIONS, isMissing, readTable } from "./table.js";

/**
 * −Σ log p(x, y) in its two parts.
 * @param {object} model
 * @param {Array[]} rows
 * @param {Array} labels
 * @param {number[]} [weights]
 * @returns {{labels: number, features: number, total: number}}
 */
export function negativeLogLikelihood(model, rows, labels, weights) {
	const result = { labels: 0, features: 0, total: 0 };
	rows.forEach((row, i) => {
		const c = isMissing(labels[i]) ? -1 : model.classes.indexOf(labels[i]);
		if (c < 0) return;
		const weight = weights?.[i] ?? 1;
		result.labels -= weight * Math.log(model.priors[c]);
		result.features -= weight * model.logLikelihood(row)[c];
	});
	result.total = result.labels + result.features;
	return result;
}

/**
 * How often rows of each class (rows of the matrix) get each label (columns).
 * @param {object} model anything with `classes` and `label(row)`
 * @param {Array[]} rows
 * @param {Array} labels
 * @returns {number[][]}
 */
export function confusion(model, rows, labels) {
	const matrix = model.classes.map(() => new Array(model.classes.length).fill(0));
	rows.forEach((row, i) => {
		const c = isMissing(labels[i]) ? -1 : model.classes.indexOf(labels[i]);
		if (c >= 0) matrix[c][model.label(row)] += 1;
	});
	return matrix;
}

/**
 * Every labelled row predicted by the model of all others.
 * @param {Array[]} rows
 * @param {Array} labels
 * @param {object} [options] as in `fit`
 * @returns {{labels: Array, posterior: Array, errors: number, n: number}} predicted labels, and posteriors in the order
 *   of the classes; null for rows without a label and for the only row of a class, which do not count; `n` rows count
 */
export function leaveOneOut(rows, labels, options = {}) {
	const settings = { ...FIT_OPTIONS, ...options };
	const table = readTable(rows, labels, settings);
	const { classes, targets } = table;
	const complete = !targets.includes(-1) && !table.numbers.some((row) => row.some(Number.isNaN));
	const sums = complete ? sumRows(table) : null;
	const start = complete ? undefined : fit(rows, labels, options);
	const sizes = classes.map((_, c) => targets.filter((target) => target === c).length);
	const result = { labels: rows.map(() => null), posterior: rows.map(() => null), errors: 0, n: 0 };
	targets.forEach((c, at) => {
		if (c < 0 || sizes[c] === 1) return;
		const i = table.which[at];
		const model = modelWithout(sums, table, at, settings) ?? refitWithout(rows, labels, i, { ...options, classes, start });
		result.posterior[i] = model.posterior(rows[i]);
		const best = largestPlace(result.posterior[i]);
		result.labels[i] = classes[best];
		result.errors += best !== c;
		result.n += 1;
	});
	return result;
}

/** By taking the row from the sums; null where that would lose digits, or values are missing. */
function modelWithout(sums, table, at, settings) {
	const [c, weight] = [table.targets[at], table.weights[at]];
	const moments = sums && momentsWithout(sums.moments, table.numbers[at], c, weight);
	if (!moments || !Number.isInteger(weight)) return null;
	const counts = sums.counts.map((count, q) =>
		count.map((line, b) => line.map((value, m) => (b === c && m === table.codes[at][q] ? value - weight : value))),
	);
	return modelOfSums({ moments, counts }, table, settings);
}

function refitWithout(rows, labels, i, options) {
	const others = (values) => values.filter((_, at) => at !== i);
	const weights = options.weights && others(options.weights);
	return fit(others(rows), others(labels), { ...options, weights });
}
