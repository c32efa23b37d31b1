// Moments → covariances: full, diagonal or spherical; of each class, shared, or between; shrunk or not.
//
//     Σ_s = (1 − s) Σ + s (tr(D^-½ Σ D^-½) / d) D
//
// D are the variances within classes, so that no unit matters; with the spherical target D is the identity.

import { blendMatrices, factorise, zeroMatrix } from "./matrices.js";
import { featureName } from "./table.js";

const LEAST_WITHIN = 1e-6; // the least proportion of a feature's variance over all rows that its target is

/**
 * The covariances of the classes, estimated from moments; not checked for being positive definite.
 * @param {object} moments see `classMoments`
 * @param {object} settings `covariance`, `shared`, `shrinkage`, `shrinkageTarget`, `divisor`, as in `fit`
 * @param {Array} classes their labels, for messages
 * @returns {number[][][]} one for each class; the same array for all where they share one
 */
export function estimateCovariances(moments, settings, classes) {
	const sharing = Number(settings.shared);
	const spherical = settings.covariance === "spherical";
	const shrunk = settings.shrinkage !== null && settings.shrinkage !== undefined && !spherical;
	const target = shrunk && settings.shrinkageTarget !== "spherical" ? diagonalTarget(moments) : null;
	const k = moments.weights.length;
	const total = moments.weights.reduce((sum, weight) => sum + weight, 0);
	const estimated = (scatter, weight, nMeans, who) => {
		const divide = settings.divisor === "unbiased" ? weight - nMeans : weight;
		if (!(divide > 0)) throw new Error(`${who} weighs ${weight}, too little for the unbiased divisor`);
		const covariance = shaped(scatter, divide, settings.covariance);
		return shrunk ? shrink(covariance, settings.shrinkage, weight, target) : covariance;
	};
	const own = () => moments.scatters.map((scatter, c) => estimated(scatter, moments.weights[c], 1, `class ${classes[c]}`));
	const pooled = () => {
		const scatter = moments.scatters.reduce((sum, part) => blendMatrices(1, sum, 1, part));
		return estimated(scatter, total, k, "all classes together");
	};
	if (sharing === 0) return own();
	const common = pooled();
	if (sharing === 1) return new Array(k).fill(common);
	return own().map((covariance) => blendMatrices(1 - sharing, covariance, sharing, common));
}

/**
 * A scatter as a covariance of some shape.
 * @param {number[][]} scatter
 * @param {number} divide degrees of freedom
 * @param {"full"|"diagonal"|"spherical"} shape
 * @returns {number[][]}
 */
export function shaped(scatter, divide, shape) {
	const d = scatter.length;
	const mean = scatter.reduce((sum, row, i) => sum + row[i], 0) / (divide * d);
	return scatter.map((row, i) =>
		row.map((value, j) => {
			if (shape !== "full" && i !== j) return 0;
			return shape === "spherical" ? mean : value / divide;
		}),
	);
}

/**
 * The diagonal target of shrinkage as sums of squares, all above 0: those within classes, or a millionth of those over
 * all rows; a feature that does not vary at all gets a variance so large that it adds nothing.
 */
function diagonalTarget({ weights, anchors, offsets, scatters }) {
	const total = weights.reduce((sum, weight) => sum + weight, 0);
	return scatters[0].map((_, j) => {
		const within = scatters.reduce((sum, scatter) => sum + scatter[j][j], 0);
		const apart = weights.map((_, c) => anchors[c][j] - anchors[0][j] + offsets[c][j]);
		const middle = apart.reduce((sum, value, c) => sum + weights[c] * value, 0) / total;
		const overall = within + apart.reduce((sum, value, c) => sum + weights[c] * (value - middle) ** 2, 0);
		if (overall > 0) return Math.max(within, LEAST_WITHIN * overall);
		return total * Math.min((anchors[0][j] + middle || 1) ** 2 / LEAST_WITHIN, 1e300);
	});
}

function shrink(covariance, shrinkage, weight, target) {
	const d = covariance.length;
	const unit = covariance.map((_, j) => (target ? Math.sqrt(target[j]) : 1));
	const scaled = covariance.map((row, i) => row.map((value, j) => value / unit[i] / unit[j]));
	const mean = scaled.reduce((sum, row, i) => sum + row[i], 0) / d;
	const intensity = shrinkage === "oas" ? oasIntensity(scaled, weight) : shrinkage;
	return covariance.map((row, i) =>
		row.map((value, j) => (1 - intensity) * value + (i === j ? intensity * mean * unit[i] ** 2 : 0)),
	);
}

/**
 * The oracle approximating shrinkage intensity of Chen, Wiesel, Eldar and Hero (2010), equation 23.
 * @param {number[][]} covariance in units of the target
 * @param {number} weight of the rows that it was estimated from
 * @returns {number} from 0 to 1
 */
export function oasIntensity(covariance, weight) {
	const d = covariance.length;
	const unit = covariance.reduce((sum, row, i) => sum + row[i], 0) / d || 1;
	let squares = 0;
	for (const row of covariance) for (const value of row) squares += (value / unit) ** 2;
	const above = (1 - 2 / d) * squares + d * d;
	const below = (weight + 1 - 2 / d) * (squares - d);
	return below > 0 ? Math.min(1, above / below) : 1;
}

/**
 * The whiteners of covariances; an Error names class and features where one is singular.
 * @param {number[][][]} covariances
 * @param {Array} classes
 * @param {object} settings `features` are their names
 * @param {number[]} columns which features they are
 * @param {number[]} [weights] of the classes' rows, for messages
 * @returns {object[]} see `factorise`
 */
export function factoriseClasses(covariances, classes, settings, columns, weights) {
	const known = new Map();
	return covariances.map((covariance, c) => {
		if (!known.has(covariance)) {
			const factor = factorise(covariance);
			if (!(factor.unexplained > 10 * covariance.length * Number.EPSILON)) {
				const shared = covariances.length > 1 && covariances.every((other) => other === covariance);
				const owner = shared ? "the covariance shared by all classes" : `class ${classes[c]}`;
				const names = columns.map((j) => featureName(settings, j));
				throw new Error(singularMessage(covariance, owner, names, shared ? undefined : weights?.[c]));
			}
			known.set(covariance, factor);
		}
		return known.get(covariance);
	});
}

function singularMessage(covariance, owner, names, weight) {
	const wrong = covariance.findIndex((row, i) => !(row[i] >= 0 && row[i] < Infinity));
	if (wrong >= 0) return `${owner} has variance ${covariance[wrong][wrong]} in ${names[wrong]}`;
	const flat = names.filter((_, i) => covariance[i][i] === 0);
	const rows = weight === 1 ? " in its one row" : "";
	if (flat.length) return `${owner} does not vary in ${flat.join(", ")}${rows}, so that its Gaussian has no density`;
	const d = names.length;
	if (weight <= d) return `${owner} has ${weight} rows for ${d} features: a full covariance needs at least ${d + 1}`;
	let size = 1;
	const upTo = (n) => covariance.slice(0, n).map((row) => row.slice(0, n));
	while (size < d && factorise(upTo(size + 1)).unexplained > 10 * d * Number.EPSILON) size++;
	const others = names.slice(0, size).join(", ");
	return `${owner} has a singular covariance: ${names[Math.min(size, d - 1)]} follows from ${others}`;
}

/**
 * Free parameters of priors, means, covariances and probabilities.
 * @param {number} k classes
 * @param {number} d features that hold numbers
 * @param {object} settings `covariance` and `shared`
 * @param {object[]} probabilities of categorical features
 * @returns {number}
 */
export function countParameters(k, d, settings, probabilities) {
	const each = { full: (d * (d + 1)) / 2, diagonal: d, spherical: Math.min(1, d) }[settings.covariance];
	const tables = probabilities.reduce((sum, { levels }) => sum + k * Math.max(0, levels.length - 1), 0);
	return k - 1 + k * d + each * (Number(settings.shared) === 1 ? 1 : k) + tables;
}

/**
 * A covariance as it was given: symmetric, or an Error.
 * @param {number[][]} covariance
 * @param {string} owner whose it is
 * @returns {number[][]}
 */
export function checkSymmetric(covariance, owner) {
	const d = covariance.length;
	const result = zeroMatrix(d);
	for (let i = 0; i < d; i++) {
		for (let j = 0; j < d; j++) {
			const [a, b] = [covariance[i]?.[j], covariance[j]?.[i]];
			const scale = Math.sqrt(Math.abs(covariance[i][i] * covariance[j][j]));
			if (!(Math.abs(a - b) <= 1e-8 * scale)) throw new Error(`the covariance of ${owner} must be symmetric`);
			result[i][j] = (a + b) / 2;
		}
	}
	return result;
}
