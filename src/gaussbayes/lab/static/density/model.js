// A model: priors, a Gaussian of the numbers and probabilities of the categories in each class, and Bayes' rule.
//
//     p(c | x) = prior_c p(x | c) / Σ_b prior_b p(x | b)
//
// Missing values are integrated out: the marginal of a Gaussian has the same entries of mean and covariance.

import { countParameters, factoriseClasses } from "./covariance.js";
import { LOG_TWO_PI, logSumExp } from "./gaussian.js";
import { correlationOf, mapMatrix, subMatrix, totalOf } from "./matrices.js";
import { proportionsOf } from "./moments.js";
import { FIT_OPTIONS } from "./table.js";

/**
 * A model (`buildModel`) with given parameters.
 * @param {object} parameters `classes` are labels in the order of everything else (0 … k − 1); `priors` (equal ones);
 *   `means` k × d; `covariances` k of d × d, or one for all classes; `probabilities` {levels, table: k × m} of each
 *   categorical feature, which come after those with means; and what `planeFit` gives: means to more digits, weights
 */
export function fromParameters({ classes, priors, means, covariances, probabilities = [], ...rest }) {
	const centres = means ?? probabilities[0].table.map(() => []);
	const [k, d] = [centres.length, centres[0].length];
	const labels = classes ?? centres.map((_, c) => c);
	const one = d > 0 && !Array.isArray(covariances[0][0]);
	const given = one ? labels.map(() => covariances) : d ? covariances : labels.map(() => []);
	const fits = (matrix) => matrix.length === d && matrix.every((row) => row.length === d);
	if (labels.length !== k || given.length !== k || !centres.flat().every(Number.isFinite) || !given.every(fits)) {
		throw new Error(`${labels.length} classes of ${d} features need as many finite means and covariances`);
	}
	const { anchors = centres, offsets = mapMatrix(centres, () => 0), weights, ...options } = rest;
	return buildModel({
		classes: labels, anchors, offsets, weights, probabilities, steps: [],
		priors: readPriors(priors ?? "uniform", labels, null),
		covariances: sharedMap(given, checkSymmetric),
		numeric: centres[0].map((_, j) => j),
		categorical: probabilities.map((_, j) => d + j),
		options: { ...FIT_OPTIONS, shared: one, ...options },
	});
}

function checkSymmetric(covariance) {
	return mapMatrix(covariance, (value, i, j) => {
		const [other, scale] = [covariance[j][i], Math.sqrt(Math.abs(covariance[i][i] * covariance[j][j]))];
		if (!(Math.abs(value - other) <= 1e-8 * scale)) throw new Error("a covariance must be symmetric");
		return (value + other) / 2;
	});
}

/** The requested priors: null requests the proportions of the weights. */
export function readPriors(priors, classes, weights) {
	if (priors === "uniform") return classes.map(() => 1 / classes.length);
	const given = priors ?? proportionsOf(weights);
	if (given.length === classes.length && given.every((prior) => prior >= 0) && Math.abs(totalOf(given) - 1) <= 1e-8) return given;
	throw new Error(`priors must be ${classes.length} numbers that are not negative and sum to 1`);
}

/**
 * The model with its parameters and all terms of Bayes' rule. A row is an array of cells in the order of the columns: a
 * number, a category, or null for a missing value. A category that did not occur in training is missing. All arrays are
 * in the order of `classes`, and classes are given by their index there. The parts are classes, priors, anchors and
 * offsets (means = anchors + offsets), covariances, probabilities, numeric and categorical (columns), options, steps of
 * EM and, if known, the weights of the classes.
 */
export function buildModel(parts) {
	const { classes, priors, anchors, offsets, covariances, probabilities, numeric, categorical, options, weights } = parts;
	const factors = factoriseClasses(covariances, classes, options, numeric, weights);
	const logPriors = priors.map(Math.log);
	const logTables = probabilities.map(({ levels, table }) => {
		return new Map(levels.map((level, m) => [level, table.map((row) => Math.log(row[m]))]));
	});
	const marginals = new Map();
	/** The whiteners of some features, by their indices among the numeric ones. */
	const factorsOf = (seen) => {
		if (seen.length === numeric.length) return factors;
		const key = seen.join();
		if (!marginals.has(key)) {
			const shown = sharedMap(covariances, (covariance) => subMatrix(covariance, seen));
			marginals.set(key, factoriseClasses(shown, classes, options, seen.map((j) => numeric[j])));
		}
		return marginals.get(key);
	};
	/** The indices of the observed numbers of a row. */
	const seenIn = (row) => {
		const seen = [];
		for (let j = 0; j < numeric.length; j++) {
			const cell = row[numeric[j]];
			if (typeof cell === "number" && cell === cell) seen.push(j);
		}
		return seen;
	};
	const squares = (row, seen, whiteners) => {
		const apart = new Array(seen.length);
		return whiteners.map(({ whitener }, c) => {
			let total = 0;
			for (let i = 0; i < seen.length; i++) {
				apart[i] = row[numeric[seen[i]]] - anchors[c][seen[i]] - offsets[c][seen[i]];
				let sum = 0;
				for (let j = 0; j <= i; j++) sum += whitener[i][j] * apart[j];
				total += sum * sum;
			}
			return total;
		});
	};
	/** log p(x | c) of each class, and another term of each. */
	const logScore = (row, more) => {
		const seen = seenIn(row);
		const whiteners = factorsOf(seen);
		const result = squares(row, seen, whiteners);
		for (let c = 0; c < result.length; c++) {
			result[c] = more[c] - 0.5 * (seen.length * LOG_TWO_PI + whiteners[c].logDeterminant + result[c]);
		}
		logTables.forEach((table, q) => table.get(row[categorical[q]])?.forEach((value, c) => (result[c] += value)));
		return result;
	};
	const logJoint = (row) => logScore(row, logPriors);
	const logPosterior = (row) => normaliseLogs(logJoint(row));
	return {
		...parts,
		means: mapMatrix(anchors, (value, c, j) => value + offsets[c][j]),
		correlations: covariances.map(correlationOf),
		nParameters: countParameters(classes.length, numeric.length, options, probabilities),
		factors, factorsOf, seenIn,
		logLikelihood: (row) => logScore(row, classes.map(() => 0)), // log p(x | c) of each class
		logJoint, // log p(x, c) of each class
		logPosterior, // log p(c | x) of each class, exact for any size
		posterior: (row) => logPosterior(row).map(Math.exp), // p(c | x) of each class
		logEvidence: (row) => logSumExp(logJoint(row)), // log p(x); −∞ if no class can have such a row
		logOdds: (row, a, b) => ((joint) => joint[a] - joint[b])(logJoint(row)), // log p(a | x) − log p(b | x)
		// Squared Mahalanobis distances to the means, by the numbers that are not missing.
		squaredDistance: (row) => squares(row, seenIn(row), factorsOf(seenIn(row))),
		label: (row) => largestPlace(logJoint(row)), // the index of the most probable class
		// The marginal model of some columns: rows then have these, in this order.
		marginal: (columns) => marginalModel(parts, columns),
		withPriors: (given) => buildModel({ ...parts, priors: readPriors(given, classes, weights) }),
	};
}

function marginalModel(parts, columns) {
	const among = (which) => columns.map((column) => which.indexOf(column)).filter((j) => j >= 0);
	const where = (which) => columns.map((_, at) => at).filter((at) => which.includes(columns[at]));
	const [numbers, categories] = [among(parts.numeric), among(parts.categorical)];
	const { options } = parts;
	return buildModel({
		...parts,
		anchors: parts.anchors.map((row) => numbers.map((j) => row[j])),
		offsets: parts.offsets.map((row) => numbers.map((j) => row[j])),
		covariances: sharedMap(parts.covariances, (covariance) => subMatrix(covariance, numbers)),
		probabilities: categories.map((q) => parts.probabilities[q]),
		numeric: where(parts.numeric),
		categorical: where(parts.categorical),
		options: { ...options, features: options.features && columns.map((column) => options.features[column]) },
	});
}

/** A function of each matrix, computed once for equal objects. */
function sharedMap(matrices, f) {
	const known = new Map();
	for (const matrix of matrices) if (!known.has(matrix)) known.set(matrix, f(matrix));
	return matrices.map((matrix) => known.get(matrix));
}

/** Logarithms of what is in proportion to probabilities → log probabilities; exact also near 0. */
function normaliseLogs(values) {
	const best = largestPlace(values);
	if (!(values[best] > -Infinity)) throw new Error("this row has probability 0 in every class");
	const rest = Math.log1p(totalOf(values.map((value, c) => (c === best ? 0 : Math.exp(value - values[best])))));
	return values.map((value) => value - values[best] - rest);
}

/** The index of the largest value; the first of equal ones. */
export function largestPlace(values) {
	let best = 0;
	for (let c = 1; c < values.length; c++) if (values[c] > values[best]) best = c;
	return best;
}
