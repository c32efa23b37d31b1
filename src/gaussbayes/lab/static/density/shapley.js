// The contribution of each feature to the log-odds of two classes: its Shapley value. The log ratio g of two Gaussians
// is quadratic, for which the mean over all orders of features is (xᵢ − rᵢ) ∂g/∂xᵢ halfway between the reference r and
// x.

import { dotProduct, timesMatrix, timesPrecision, totalOf } from "./matrices.js";

/**
 * The log-odds of classes a and b, feature by feature.
 * Every contribution is 0 at the reference point, the mean of the classes' means weighted by priors.
 * @returns {{base: number, contributions: number[]}} the log-odds at the reference, and the contribution of each
 * column; missing values add 0, and categories are compared with an unknown value
 */
export function shapley(model, row, a, b) {
	const { anchors, offsets, numeric, categorical, priors, probabilities } = model;
	const seen = model.seenIn(row);
	// Everything is relative to the mean of a class, so that values far from 0 lose no digits.
	const [first, second] = [a, b].map((c) => {
		const { whitener, logDeterminant } = model.factorsOf(seen)[c];
		const from = (point) => seen.map((j) => point[j] - anchors[c][j] - offsets[c][j]);
		const apart = (other, j) => anchors[other][j] - anchors[c][j] + (offsets[other][j] - offsets[c][j]);
		const x = from(numeric.map((column) => row[column]));
		const r = seen.map((j) => totalOf(priors.map((prior, other) => prior * apart(other, j))));
		const white = timesMatrix(whitener, r);
		const slope = timesPrecision(whitener, x.map((value, i) => (value + r[i]) / 2));
		return { x, r, slope, logJoint: Math.log(priors[c]) - 0.5 * (logDeterminant + dotProduct(white, white)) };
	});
	const contributions = new Array(numeric.length + categorical.length).fill(0);
	seen.forEach((j, i) => (contributions[numeric[j]] = (first.x[i] - first.r[i]) * (second.slope[i] - first.slope[i])));
	probabilities.forEach(({ levels, table }, q) => {
		const m = levels.indexOf(row[categorical[q]]);
		if (m >= 0) contributions[categorical[q]] = Math.log(table[a][m]) - Math.log(table[b][m]);
	});
	return { base: first.logJoint - second.logJoint, contributions };
}
