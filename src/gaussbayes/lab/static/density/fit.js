// Rows and labels → model: by counting and averaging where everything is known, by EM where values or labels are not.

import { countCategories, estimateProbabilities } from "./categories.js";
import { estimateCovariances } from "./covariance.js";
import { expectationMaximisation } from "./em.js";
import { buildModel, readPriors } from "./model.js";
import { classMoments } from "./moments.js";
import { FIT_OPTIONS, isMissing, readTable } from "./table.js";

/**
 * The model that fits rows best: one Gaussian for each class, and probabilities of categories.
 * @param {Array[]} rows a cell is a number, null (missing) or, in a categorical column, a string
 * @param {Array} labels null where there is none
 * @param {object} [options]
 * @param {"full"|"diagonal"|"spherical"} [options.covariance]
 * @param {boolean|number} [options.shared] one covariance for all classes, or how far each is drawn to the pooled one
 * @param {null|number|"oas"} [options.shrinkage]
 * @param {"diagonal"|"spherical"} [options.shrinkageTarget]
 * @param {null|"uniform"|number[]} [options.priors] in the order of the classes; null estimates them
 * @param {"mle"|"unbiased"} [options.divisor] N or N − 1
 * @param {number} [options.smoothing] what is added to the weight of every category
 * @param {number[]} [options.weights] how much each row counts
 * @param {Array} [options.classes] the labels in the order wanted; otherwise those that occur, sorted
 * @param {number[]} [options.categorical] columns of categories; otherwise those that hold a string
 * @param {string[]} [options.features] names of the columns, for messages
 * @param {object} [options.start] a model to start EM from
 * @param {number} [options.iterations] plain steps of EM to take; undefined goes to the maximum
 * @returns {object} a model, see `buildModel`; an Error in one sentence where there is none
 */
export function fit(rows, labels, options = {}) {
	const settings = { ...FIT_OPTIONS, ...options };
	checkSettings(settings);
	const table = readTable(rows, labels, settings);
	const unlabelled = table.targets.includes(-1);
	if (!unlabelled && !table.numbers.some((row) => row.some(Number.isNaN))) {
		return modelOfSums(sumRows(table), table, settings);
	}
	const start = settings.start ?? (unlabelled ? labelledModel(rows, labels, settings, table) : null);
	const { sums, steps } = expectationMaximisation(table, settings, start);
	return modelOfSums(sums, table, settings, steps);
}

/** What labelled rows alone say, to start from; null if that is too little. */
function labelledModel(rows, labels, settings, { classes, categorical, which, weights }) {
	const known = which.map((i, at) => [i, weights[at]]).filter(([i]) => !isMissing(labels[i]));
	const plain = { shared: Number(settings.shared) === 1, shrinkage: null, divisor: "mle", iterations: undefined };
	const options = { ...settings, ...plain, classes, categorical, weights: known.map(([, weight]) => weight) };
	try {
		const model = fit(known.map(([i]) => rows[i]), known.map(([i]) => labels[i]), options);
		return model.factors.every(({ unexplained }) => unexplained > 1e-6) ? model : null;
	} catch {
		return null;
	}
}

/**
 * What complete, labelled rows say.
 * @param {object} table see `readTable`
 * @returns {{moments: object, counts: number[][][]}}
 */
export function sumRows(table) {
	const k = table.classes.length;
	return { moments: classMoments(table, k, table.numeric.length), counts: countCategories(table, k) };
}

/**
 * The model of sums over rows, or of what they are expected to be.
 * @param {{moments: object, counts: number[][][]}} sums
 * @param {object} table whose rows they are
 * @param {object} settings of `fit`
 * @param {number[]} [steps] log-likelihoods on the way of EM
 * @returns {object}
 */
export function modelOfSums({ moments, counts }, table, settings, steps = []) {
	const { classes, numeric, categorical } = table;
	const { start, weights, iterations, ...options } = settings;
	return buildModel({
		classes, numeric, categorical, options, steps,
		priors: readPriors(settings.priors, classes, moments.weights),
		anchors: moments.anchors,
		offsets: moments.offsets,
		covariances: estimateCovariances(moments, settings, classes),
		probabilities: estimateProbabilities(counts, table, settings),
		weights: moments.weights,
	});
}

function checkSettings({ covariance, shared, shrinkage, shrinkageTarget, divisor, smoothing }) {
	const proportion = (value) => typeof value === "number" && value >= 0 && value <= 1;
	const among = (value, ...known) => known.includes(value);
	const wrong = Object.entries({
		covariance: !among(covariance, "full", "diagonal", "spherical"),
		shared: !(typeof shared === "boolean" || proportion(shared)),
		shrinkage: !(among(shrinkage, null, undefined, "oas") || proportion(shrinkage)),
		shrinkageTarget: !among(shrinkageTarget, "diagonal", "spherical"),
		divisor: !among(divisor, "mle", "unbiased"),
		smoothing: !(smoothing >= 0 && smoothing < Infinity),
	}).find(([, isWrong]) => isWrong);
	if (wrong) throw new Error(`the option ${wrong[0]} has a value that it cannot have`);
}
