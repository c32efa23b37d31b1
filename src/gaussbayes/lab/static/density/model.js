// A model: priors, a Gaussian of the numbers and probabilities of the categories in each class, and Bayes' rule.
//
//     p(c | x) = prior_c p(x | c) / Σ_b prior_b p(x | b)
//
// What is missing is integrated out: the marginal of a Gaussian has the same entries of mean and covariance.

import { checkSymmetric, countParameters, factoriseClasses } from "./covariance.js";
import { LOG_TWO_PI, logSumExp } from "./gaussian.js";
import { correlationOf, subMatrix } from "./matrices.js";
import { FIT_OPTIONS, isMissing } from "./table.js";

/**
 * A model with given parameters.
 * @param {object} parameters
 * @param {Array} [parameters.classes] labels, in the order of everything else; 0 … k − 1 if not given
 * @param {number[]|"uniform"|null} [parameters.priors] equal ones if not given
 * @param {number[][]} [parameters.means] k × d
 * @param {number[][][]|number[][]} [parameters.covariances] k of d × d, or one for all classes
 * @param {object[]} [parameters.probabilities] for each categorical feature {levels, table: k × m}; these features come
 *   after those with means
 * @param {number[][]} [parameters.anchors] with `offsets`: means to more digits, as `planeFit` gives them
 * @returns {object} see `buildModel`
 */
export function fromParameters({ classes, priors, means, covariances, probabilities = [], anchors, offsets, ...rest }) {
	const k = means?.length ?? probabilities[0].table.length;
	const labels = classes ?? Array.from({ length: k }, (_, c) => c);
	const centres = means ?? labels.map(() => []);
	const d = centres[0].length;
	if (labels.length !== k) throw new Error(`there are ${labels.length} classes and ${k} means`);
	if (centres.some((mean) => mean.length !== d || !mean.every(Number.isFinite))) {
		throw new Error(`every class needs ${d} finite means`);
	}
	const given = d ? covariances : labels.map(() => []);
	const one = d > 0 && !Array.isArray(given[0][0]);
	if (!one && given.length !== k) throw new Error(`there are ${k} classes and ${given.length} covariances`);
	const checked = new Map();
	const matrices = labels.map((label, c) => {
		const matrix = one ? given : given[c];
		if (!checked.has(matrix)) {
			if (matrix.length !== d) throw new Error(`the covariance of class ${label} must be ${d} × ${d}`);
			checked.set(matrix, checkSymmetric(matrix, `class ${label}`));
		}
		return checked.get(matrix);
	});
	const options = { ...FIT_OPTIONS, ...rest, shared: rest.shared ?? (one ? true : false) };
	return buildModel({
		classes: labels,
		priors: readPriors(priors ?? "uniform", labels, null),
		anchors: anchors ?? centres,
		offsets: offsets ?? centres.map((mean) => mean.map(() => 0)),
		covariances: matrices,
		probabilities,
		numeric: Array.from({ length: d }, (_, j) => j),
		categorical: probabilities.map((_, j) => d + j),
		options,
		steps: [],
	});
}

/**
 * The priors that were asked for.
 * @param {null|"uniform"|number[]} priors
 * @param {Array} classes
 * @param {number[]|null} weights of the classes, which null asks for
 * @returns {number[]}
 */
export function readPriors(priors, classes, weights) {
	const k = classes.length;
	if (priors === "uniform") return new Array(k).fill(1 / k);
	if (isMissing(priors)) {
		const total = weights.reduce((sum, weight) => sum + weight, 0);
		return weights.map((weight) => weight / total);
	}
	const sum = priors.reduce((before, prior) => before + prior, 0);
	if (priors.length !== k || !priors.every((prior) => prior >= 0) || !(Math.abs(sum - 1) <= 1e-8)) {
		throw new Error(`priors must be ${k} numbers that are not negative and sum to 1`);
	}
	return [...priors];
}

/**
 * The model with its parameters and everything that Bayes' rule says of a row. A row is an array of cells in the order
 * of the columns: a number, a category, or null for what is not known. A category that was never seen says nothing.
 * All arrays are in the order of `classes`, and classes are given by their place there.
 * @param {object} parts classes, priors, anchors and offsets (means = anchors + offsets), covariances, probabilities,
 *   numeric and categorical (columns), options, steps, and, where they are known, the weights of the classes
 * @returns {object}
 */
export function buildModel(parts) {
	const { classes, priors, anchors, offsets, covariances, probabilities, numeric, categorical, options, weights } = parts;
	const [k, d] = [classes.length, numeric.length];
	const logPriors = priors.map(Math.log);
	const factors = factoriseClasses(covariances, classes, options, numeric, weights);
	const places = probabilities.map(({ levels }) => new Map(levels.map((level, m) => [level, m])));
	const logTables = probabilities.map(({ table }) => table.map((row) => row.map(Math.log)));
	const everything = numeric.map((_, j) => j);
	const marginals = new Map();

	/** The whiteners of some features, by their places among those that hold numbers. */
	const factorsOf = (seen) => {
		if (seen.length === d) return factors;
		const key = seen.join();
		if (!marginals.has(key)) {
			const known = new Map();
			const parts = covariances.map((covariance) => {
				if (!known.has(covariance)) known.set(covariance, subMatrix(covariance, seen));
				return known.get(covariance);
			});
			marginals.set(key, factoriseClasses(parts, classes, options, seen.map((j) => numeric[j])));
		}
		return marginals.get(key);
	};

	const seenIn = (row) => everything.filter((j) => typeof row[numeric[j]] === "number" && !Number.isNaN(row[numeric[j]]));

	const squares = (row, seen, whiteners) => {
		const apart = new Array(seen.length);
		return classes.map((_, c) => {
			for (let i = 0; i < seen.length; i++) {
				apart[i] = row[numeric[seen[i]]] - anchors[c][seen[i]] - offsets[c][seen[i]];
			}
			let total = 0;
			for (let i = 0; i < seen.length; i++) {
				const line = whiteners[c].whitener[i];
				let sum = 0;
				for (let j = 0; j <= i; j++) sum += line[j] * apart[j];
				total += sum * sum;
			}
			return total;
		});
	};

	/** log p(x | c) of each class. */
	const logLikelihood = (row) => {
		const seen = seenIn(row);
		const whiteners = factorsOf(seen);
		const constant = seen.length * LOG_TWO_PI;
		const result = squares(row, seen, whiteners).map(
			(square, c) => -0.5 * (constant + whiteners[c].logDeterminant + square),
		);
		if (!seen.length) result.fill(0);
		categorical.forEach((column, q) => {
			const m = places[q].get(row[column]);
			if (m !== undefined) for (let c = 0; c < k; c++) result[c] += logTables[q][c][m];
		});
		return result;
	};
	/** log p(x, c) of each class. */
	const logJoint = (row) => logLikelihood(row).map((value, c) => logPriors[c] + value);
	/** log p(c | x) of each class, exact however small. */
	const logPosterior = (row) => normaliseLogs(logJoint(row));

	return {
		...parts,
		means: anchors.map((anchor, c) => anchor.map((value, j) => value + offsets[c][j])),
		correlations: covariances.map(correlationOf),
		nParameters: countParameters(k, d, options, probabilities),
		factors,
		factorsOf,
		seenIn,
		logLikelihood,
		logJoint,
		logPosterior,
		/** p(c | x) of each class. */
		posterior: (row) => logPosterior(row).map(Math.exp),
		/** log p(x); −∞ if no class can have such a row. */
		logEvidence: (row) => logSumExp(logJoint(row)),
		/** log p(a | x) − log p(b | x). */
		logOdds: (row, a, b) => {
			const joint = logJoint(row);
			return joint[a] - joint[b];
		},
		/** Squared Mahalanobis distances to the means, by the numbers that are not missing. */
		squaredDistance: (row) => {
			const seen = seenIn(row);
			return squares(row, seen, factorsOf(seen));
		},
		/** The most probable class, as its place among the classes. */
		label: (row) => largestPlace(logJoint(row)),
		/** The same classes as seen through some columns only: rows then have these, in this order. */
		marginal: (columns) => marginalModel(parts, columns),
		/** The same densities with other priors: an array, or "uniform". */
		withPriors: (given) => buildModel({ ...parts, priors: readPriors(given, classes, weights), options: { ...options, priors: given } }),
	};
}

function marginalModel(parts, columns) {
	const among = (which) => columns.map((column) => which.indexOf(column)).filter((j) => j >= 0);
	const [numbers, categories] = [among(parts.numeric), among(parts.categorical)];
	const known = new Map(parts.covariances.map((covariance) => [covariance, subMatrix(covariance, numbers)]));
	const of = (rows) => rows.map((row) => numbers.map((j) => row[j]));
	const where = (which) => columns.map((_, at) => at).filter((at) => which.includes(columns[at]));
	const { features } = parts.options;
	return buildModel({
		...parts,
		anchors: of(parts.anchors),
		offsets: of(parts.offsets),
		covariances: parts.covariances.map((covariance) => known.get(covariance)),
		probabilities: categories.map((j) => parts.probabilities[j]),
		numeric: where(parts.numeric),
		categorical: where(parts.categorical),
		options: { ...parts.options, features: features && columns.map((column) => features[column]) },
	});
}

/** Logarithms of what is in proportion to probabilities → log probabilities; exact also near 0. */
function normaliseLogs(values) {
	const best = largestPlace(values);
	if (!(values[best] > -Infinity)) throw new Error("this row has probability 0 in every class");
	let others = 0;
	values.forEach((value, c) => {
		if (c !== best) others += Math.exp(value - values[best]);
	});
	const rest = Math.log1p(others);
	return values.map((value) => value - values[best] - rest);
}

/**
 * The place of the largest value; the first of equal ones.
 * @param {number[]} values
 * @returns {number}
 */
export function largestPlace(values) {
	let best = 0;
	for (let c = 1; c < values.length; c++) if (values[c] > values[best]) best = c;
	return best;
}
