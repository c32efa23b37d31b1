// The quality of a model for labelled rows; rows without a label are ignored.

import { fit, isComplete, modelOfSums, sumRows } from "./fit.js";
import { largestPlace } from "./model.js";
import { momentsWithout } from "./moments.js";
import { FIT_OPTIONS, isMissing, readTable } from "./table.js";

const codesAmong = (classes, labels) => labels.map((label) => (isMissing(label) ? -1 : classes.indexOf(label)));

/** −Σ w log p(x, y) over labelled rows: that of the labels, of the features, and their total. */
export function negativeLogLikelihood(model, rows, labels, weights) {
	let [ofLabels, ofFeatures] = [0, 0];
	codesAmong(model.classes, labels).forEach((c, i) => {
		const weight = weights?.[i] ?? 1;
		if (c < 0 || weight === 0) return;
		ofLabels -= weight * Math.log(model.priors[c]);
		ofFeatures -= weight * model.logLikelihood(rows[i])[c];
	});
	return { labels: ofLabels, features: ofFeatures, total: ofLabels + ofFeatures };
}

/** The confusion matrix of a classifier with `label(row)`: true classes by row, predicted classes by column. */
export function confusion(model, rows, labels) {
	const matrix = model.classes.map(() => model.classes.map(() => 0));
	codesAmong(model.classes, labels).forEach((c, i) => c >= 0 && (matrix[c][model.label(rows[i])] += 1));
	return matrix;
}

/**
 * Every labelled row predicted by the model of all others, with options of `fit`: the predicted `labels`, the `posterior`
 * of each (null for rows without a label and for the only row of a class), and the number of `errors` among `n` rows.
 */
export function leaveOneOut(rows, labels, options = {}) {
	const settings = { ...FIT_OPTIONS, ...options };
	const table = readTable(rows, labels, settings);
	const sums = isComplete(table) ? sumRows(table) : null;
	// With unlabelled rows there may be several maxima: each model has a separate start.
	const start = sums || table.targets.includes(-1) ? undefined : fit(rows, labels, options);
	const result = { labels: rows.map(() => null), posterior: rows.map(() => null), errors: 0, n: 0 };
	const codes = codesAmong(table.classes, labels);
	codes.forEach((c, i) => {
		if (c < 0 || codes.indexOf(c) === codes.lastIndexOf(c)) return;
		const model = modelWithout(sums, table, table.which.indexOf(i), settings) ?? refit(i);
		const posterior = model.posterior(rows[i]);
		const best = largestPlace(posterior);
		Object.assign(result, { errors: result.errors + (best !== c), n: result.n + 1 });
		[result.posterior[i], result.labels[i]] = [posterior, table.classes[best]];
	});
	return result;

	function refit(i) {
		const [some, known, weights] = [rows, labels, options.weights].map((values) => values?.filter((_, at) => at !== i));
		return fit(some, known, { ...options, weights, start, classes: table.classes, categorical: table.categorical });
	}
}

/** By subtracting the row from the sums; null if this would lose digits, a value is missing, or the weight is 0. */
function modelWithout(sums, table, at, settings) {
	const [c, weight] = [table.targets[at], table.weights[at]];
	const moments = sums && Number.isInteger(weight) ? momentsWithout(sums.moments, table.numbers[at], c, weight) : null;
	if (!moments) return null;
	const without = (value, b, m, q) => (b === c && m === table.codes[at][q] ? value - weight : value);
	const counts = sums.counts.map((count, q) => count.map((line, b) => line.map((value, m) => without(value, b, m, q))));
	return modelOfSums({ moments, counts }, table, settings);
}
