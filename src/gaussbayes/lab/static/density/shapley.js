// What each feature adds to the log-odds of two classes: its Shapley value. The log ratio g of two Gaussians is
// quadratic, for which the mean over all orders of features is (xᵢ − rᵢ) ∂g/∂xᵢ halfway between the reference r and x.

import { sumOfSquares, timesLower, timesTransposedLower } from "./matrices.js";

/**
 * The log-odds of two classes, feature by feature.
 * @param {object} model
 * @param {Array} row
 * @param {number} a place of a class
 * @param {number} b place of the class that it is compared with
 * @param {"mean"|"rival"|number[]} [reference] the point at which every contribution is 0: the mean of the classes'
 *   means weighted by priors, the mean of b, or a number for each feature that holds numbers
 * @returns {{base: number, contributions: number[]}} the log-odds at the reference, and what each column adds; what is
 *   missing adds 0, a category is compared with one that is not known
 */
export function shapley(model, row, a, b, reference = "mean") {
	const { anchors, offsets, numeric, categorical, priors, probabilities } = model;
	const seen = model.seenIn(row);
	const factors = model.factorsOf(seen);
	const weights = reference === "mean" ? priors : priors.map((_, c) => (reference === "rival" && c === b ? 1 : 0));
	// Everything is measured from the mean of a class, so that no digit is lost far from 0.
	const rowFrom = (c) => seen.map((j) => row[numeric[j]] - anchors[c][j] - offsets[c][j]);
	const referenceFrom = (c) =>
		seen.map((j) => {
			if (Array.isArray(reference)) return reference[j] - anchors[c][j] - offsets[c][j];
			const apart = (other) => anchors[other][j] - anchors[c][j] + (offsets[other][j] - offsets[c][j]);
			return weights.reduce((sum, weight, other) => sum + weight * apart(other), 0);
		});
	const [x, r] = [[a, b].map(rowFrom), [a, b].map(referenceFrom)];
	const [slopeA, slopeB] = [a, b].map((c, side) => {
		const { whitener } = factors[c];
		const halfway = x[side].map((value, i) => (value + r[side][i]) / 2);
		return timesTransposedLower(whitener, timesLower(whitener, halfway));
	});
	const [logA, logB] = [a, b].map((c, side) => {
		const { whitener, logDeterminant } = factors[c];
		return Math.log(priors[c]) - 0.5 * (logDeterminant + sumOfSquares(timesLower(whitener, r[side])));
	});
	const contributions = new Array(numeric.length + categorical.length).fill(0);
	seen.forEach((j, i) => {
		contributions[numeric[j]] = (x[0][i] - r[0][i]) * (slopeB[i] - slopeA[i]);
	});
	categorical.forEach((column, q) => {
		const { levels, table } = probabilities[q];
		const m = levels.indexOf(row[column]);
		if (m >= 0) contributions[column] = Math.log(table[a][m]) - Math.log(table[b][m]);
	});
	return { base: logA - logB, contributions };
}
