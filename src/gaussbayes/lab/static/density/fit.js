// Rows and labels → model: by counting and averaging, or by EM if values or labels are missing.

import { estimateCovariances } from "./covariance.js";
import { expectationMaximisation } from "./em.js";
import { buildModel, readPriors } from "./model.js";
import { classMoments, countCategories, estimateProbabilities } from "./moments.js";
import { FIT_OPTIONS, isMissing, readTable } from "./table.js";

/**
 * Fit a model to rows: one Gaussian for each class, and probabilities of categories.
 * @param {Array[]} rows a cell is a number, null (missing) or, in a categorical column, a string
 * @param {Array} labels null for unlabelled rows
 * @param {object} [options]
 * @param {"full"|"diagonal"|"spherical"} [options.covariance]
 * @param {boolean|number} [options.shared] one covariance for all classes, or the degree of pooling
 * @param {null|number|"oas"} [options.shrinkage] towards the `shrinkageTarget`, "diagonal" or "spherical"
 * @param {null|"uniform"|number[]} [options.priors] in the order of the classes; null estimates them
 * @param {"mle"|"unbiased"} [options.divisor] N or N − 1
 * @param {number} [options.smoothing] pseudo-count of every category
 * @param {number[]} [options.weights] sample weights
 * @param {Array} [options.classes] the labels in the requested order; by default those that occur, sorted
 * @param {number[]} [options.categorical] columns of categories; by default those that contain a string
 * @param {string[]} [options.features] names of the columns, for messages
 * @param {number} [options.iterations] plain steps of EM, from the model `start`; undefined iterates to the maximum
 * @returns {object} a model, see `buildModel`; an Error in one sentence if there is none
 */
export function fit(rows, labels, options = {}) {
	const settings = { ...FIT_OPTIONS, ...options };
	checkSettings(settings);
	const table = readTable(rows, labels, settings);
	if (isComplete(table)) return modelOfSums(sumRows(table), table, settings);
	const start = settings.start ?? (table.targets.includes(-1) ? labelledModel(rows, labels, settings, table) : null);
	const { sums, ...progress } = expectationMaximisation(table, settings, start);
	return modelOfSums(sums, table, settings, progress);
}

/** Whether no number and no label is missing in a table (`readTable`). */
export const isComplete = ({ targets, numbers }) => !targets.includes(-1) && !numbers.some((row) => row.some(Number.isNaN));

/** Statistics of complete, labelled rows: moments and counts. */
export const sumRows = (table) => ({ moments: classMoments(table), counts: countCategories(table) });

/** The model of sums over the rows of a table, or of expected sums with the progress of EM. */
export function modelOfSums({ moments, counts }, table, settings, progress = { steps: [] }) {
	const { classes, numeric, categorical } = table;
	const { start, iterations, ...options } = { ...settings, weights: undefined };
	const { weights, anchors, offsets } = moments;
	const priors = readPriors(settings.priors, classes, weights);
	const covariances = estimateCovariances(moments, settings, classes);
	const probabilities = estimateProbabilities(counts, table, settings);
	const parameters = { priors, anchors, offsets, covariances, probabilities };
	return buildModel({ classes, numeric, categorical, ...parameters, weights, options, ...progress });
}

/** Estimates from labelled rows alone, as a start; null if they are too few. */
function labelledModel(rows, labels, settings, { classes, categorical, which, weights }) {
	const known = which.map((_, at) => at).filter((at) => !isMissing(labels[which[at]]));
	const plain = { shared: Number(settings.shared) === 1, shrinkage: null, divisor: "mle", iterations: undefined };
	const options = { ...settings, ...plain, classes, categorical, weights: known.map((at) => weights[at]) };
	try {
		const model = fit(known.map((at) => rows[which[at]]), known.map((at) => labels[which[at]]), options);
		return model.factors.every(({ unexplained }) => unexplained > 1e-6) ? model : null;
	} catch {
		return null;
	}
}

function checkSettings({ covariance, shared, shrinkage, shrinkageTarget, divisor, smoothing }) {
	const proportion = (value) => typeof value === "number" && value >= 0 && value <= 1;
	const right = {
		covariance: ["full", "diagonal", "spherical"].includes(covariance),
		shared: typeof shared === "boolean" || proportion(shared),
		shrinkage: [null, undefined, "oas"].includes(shrinkage) || proportion(shrinkage),
		shrinkageTarget: ["diagonal", "spherical"].includes(shrinkageTarget),
		divisor: ["mle", "unbiased"].includes(divisor),
		smoothing: smoothing >= 0 && smoothing < Infinity,
	};
	for (const name in right) if (!right[name]) throw new Error(`the option ${name} has a value that it cannot have`);
}
