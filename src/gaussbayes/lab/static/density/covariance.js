// Moments → covariances: full, diagonal or spherical; class-specific, shared or partially pooled; with or without
// shrinkage.
//
//     Σ_s = (1 − s) Σ + s (tr(D^-½ Σ D^-½) / d) D
//
// D has the variances within classes, so that units do not matter; with the spherical target D is the identity.

import { factorise, mapMatrix, subMatrix, totalOf } from "./matrices.js";
import { featureName } from "./table.js";

/**
 * The covariances of the classes by their moments (`classMoments`) and the settings of `fit`, positive definite or not.
 * If all share one, it is the same array for each.
 */
export function estimateCovariances(moments, settings, classes) {
	const { weights, scatters } = moments;
	const sharing = Number(settings.shared);
	const shrunk = (settings.shrinkage ?? null) !== null && settings.covariance !== "spherical";
	const target = shrunk && settings.shrinkageTarget !== "spherical" ? diagonalTarget(moments) : scatters[0].map(() => 1);
	const estimated = (scatter, weight, nMeans, who) => {
		const divide = settings.divisor === "unbiased" ? weight - nMeans : weight;
		if (!(divide > 0)) throw new Error(`${who} weighs ${weight}, too little for the unbiased divisor`);
		const covariance = shapedScatter(scatter, divide, settings.covariance);
		return shrunk ? shrunkCovariance(covariance, settings.shrinkage, weight, target) : covariance;
	};
	const own = () => scatters.map((scatter, c) => estimated(scatter, weights[c], 1, `class ${classes[c]}`));
	if (sharing === 0) return own();
	const total = mapMatrix(scatters[0], (_, i, j) => totalOf(scatters.map((scatter) => scatter[i][j])));
	const pooled = estimated(total, totalOf(weights), weights.length, "all classes together");
	if (sharing === 1) return weights.map(() => pooled);
	return own().map((covariance) => mapMatrix(covariance, (value, i, j) => (1 - sharing) * value + sharing * pooled[i][j]));
}

function shapedScatter(scatter, divide, shape) {
	const mean = totalOf(scatter.map((row, i) => row[i])) / scatter.length;
	return mapMatrix(scatter, (value, i, j) => {
		if (shape !== "full" && i !== j) return 0;
		return (shape === "spherical" ? mean : value) / divide;
	});
}

/**
 * The diagonal target of shrinkage as sums of squares, all above 0: those within classes, or a millionth of those over
 * all rows; a feature that does not vary at all gets a variance so large that it adds nothing.
 */
function diagonalTarget({ weights, anchors, offsets, scatters }) {
	const total = totalOf(weights);
	return scatters[0].map((_, j) => {
		const within = totalOf(scatters.map((scatter) => scatter[j][j]));
		const apart = weights.map((_, c) => anchors[c][j] - anchors[0][j] + offsets[c][j]);
		const middle = totalOf(apart.map((value, c) => weights[c] * value)) / total;
		const overall = within + totalOf(apart.map((value, c) => weights[c] * (value - middle) ** 2));
		if (overall > 0) return Math.max(within, 1e-6 * overall);
		return total * Math.min(1e6 * (anchors[0][j] + middle || 1) ** 2, 1e300);
	});
}

/** With intensity "oas" the oracle approximating shrinkage of Chen, Wiesel, Eldar and Hero (2010), equation 23. */
function shrunkCovariance(covariance, shrinkage, weight, target) {
	const d = covariance.length;
	const mean = totalOf(covariance.map((row, i) => row[i] / target[i])) / d;
	let intensity = shrinkage;
	if (shrinkage === "oas") {
		const unit = target.map((value) => Math.sqrt(value * (mean || 1)));
		const squares = totalOf(mapMatrix(covariance, (value, i, j) => (value / unit[i] / unit[j]) ** 2).flat());
		const below = (weight + 1 - 2 / d) * (squares - d);
		intensity = below > 0 ? Math.min(1, ((1 - 2 / d) * squares + d * d) / below) : 1;
	}
	return mapMatrix(covariance, (value, i, j) => (1 - intensity) * value + (i === j ? intensity * mean * target[i] : 0));
}

/** The whiteners (`factorise`) of covariances of some columns; an Error names class and features of a singular one. */
export function factoriseClasses(covariances, classes, settings, columns, weights) {
	const known = new Map();
	return covariances.map((covariance, c) => {
		const factor = known.get(covariance) ?? factorise(covariance);
		known.set(covariance, factor);
		if (factor.unexplained > 10 * covariance.length * Number.EPSILON) return factor;
		const shared = covariances.length > 1 && covariances.every((other) => other === covariance);
		const owner = shared ? "the covariance shared by all classes" : `class ${classes[c]}`;
		const names = columns.map((j) => featureName(settings, j));
		throw new Error(`${owner} ${singularity(covariance, names, shared ? NaN : weights?.[c])}`);
	});
}

function singularity(covariance, names, weight) {
	const d = names.length;
	const wrong = covariance.findIndex((row, i) => !(row[i] >= 0 && row[i] < Infinity));
	if (wrong >= 0) return `has variance ${covariance[wrong][wrong]} in ${names[wrong]}, which must be positive and finite`;
	const flat = names.filter((_, i) => covariance[i][i] === 0).join(", ");
	if (flat) return `does not vary in ${flat}${weight === 1 ? " in its one row" : ""}, so that its Gaussian has no density`;
	if (weight <= d) return `has ${weight} rows for ${d} features: a full covariance needs at least ${d + 1}`;
	const [first, least] = [names.map((_, i) => i), 10 * d * Number.EPSILON];
	const size = first.findIndex((n) => !(factorise(subMatrix(covariance, first.slice(0, n + 1))).unexplained > least));
	return `has a singular covariance: given ${names.slice(0, size).join(", ")}, ${names[size]} has no variance of its own`;
}

/** Free parameters of k classes: priors, means and covariances of d numbers, and probabilities of categories. */
export function countParameters(k, d, settings, probabilities) {
	const each = { full: (d * (d + 1)) / 2, diagonal: d, spherical: Math.min(1, d) }[settings.covariance];
	const tables = totalOf(probabilities.map(({ levels }) => k * Math.max(0, levels.length - 1)));
	return k - 1 + k * d + each * (Number(settings.shared) === 1 ? 1 : k) + tables;
}
