// Logistic regression by Newton's method, as scikit-learn has it: two classes have one set of coefficients, more
// classes one each; penalty · |w|² / 2 is added to the negative log-likelihood, the intercepts are free.

import { cholesky, zeroMatrix } from "./matrices.js";
import { largestPlace } from "./model.js";
import { isMissing, sortedValues } from "./table.js";

/**
 * Logistic regression of labels on numbers.
 * @param {number[][]} rows those with a missing value or without a label do not count
 * @param {Array} labels
 * @param {object} [options]
 * @param {number} [options.penalty] 1 / C of scikit-learn; without any, separable classes have no best coefficients
 * @param {Array} [options.classes] the labels in the order wanted
 * @returns {{classes: Array, posterior: function(number[]): number[], label: function(number[]): number}}
 */
export function logisticRegression(rows, labels, { penalty = 1, classes } = {}) {
	const which = rows.map((_, i) => i).filter((i) => !isMissing(labels[i]) && !rows[i].some(isMissing));
	const known = classes ?? sortedValues(which.map((i) => labels[i]));
	if (known.length < 2) throw new Error("logistic regression needs two classes");
	const codes = which.map((i) => known.indexOf(labels[i]));
	const k = known.length === 2 ? 1 : known.length;
	// Standardised, so that the matrix of second derivatives is well behaved; the penalty is that of the features' units.
	const d = rows[which[0]].length;
	const columns = Array.from({ length: d }, (_, j) => {
		const values = which.map((i) => rows[i][j] - rows[which[0]][j]);
		const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
		const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
		return { anchor: rows[which[0]][j], mean, scale: Math.sqrt(square) || 1 };
	});
	const standardised = (row) => [...columns.map(({ anchor, mean, scale }, j) => (row[j] - anchor - mean) / scale), 1];
	const penalties = [...columns.map(({ scale }) => penalty / scale ** 2), 0];
	const points = which.map((i) => standardised(rows[i]));
	const chances = (weights, z) => {
		const scores = weights.map((line) => line.reduce((sum, weight, j) => sum + weight * z[j], 0));
		const all = k === 1 ? [0, scores[0]] : scores;
		const most = Math.max(...all);
		const powers = all.map((score) => Math.exp(score - most));
		const total = powers.reduce((sum, value) => sum + value, 0);
		return { posterior: powers.map((value) => value / total), log: (c) => all[c] - most - Math.log(total) };
	};
	const loss = (weights) => {
		let sum = 0;
		for (const line of weights) line.forEach((weight, j) => (sum += 0.5 * penalties[j] * weight * weight));
		return points.reduce((before, z, i) => before - chances(weights, z).log(codes[i]), sum);
	};
	let weights = Array.from({ length: k }, () => new Array(d + 1).fill(0));
	let value = loss(weights);
	for (let iteration = 0; iteration < 100; iteration++) {
		const step = newtonStep(weights, points, codes, penalties, (z) => chances(weights, z).posterior);
		if (!step) break;
		let [length, following, next] = [1, weights, Infinity];
		for (; length > 1e-10; length /= 2) {
			following = weights.map((line, c) => line.map((weight, j) => weight - length * step[c][j]));
			next = loss(following);
			if (next <= value + 1e-14 * Math.abs(value)) break;
		}
		if (!(length > 1e-10)) break;
		[weights, value] = [following, next];
		if (Math.max(...step.flat().map(Math.abs)) < 1e-13) break;
	}
	const posterior = (row) => {
		if (row.some(isMissing)) throw new Error("logistic regression needs a value of every feature");
		return chances(weights, standardised(row)).posterior;
	};
	return { classes: known, posterior, label: (row) => largestPlace(posterior(row)) };
}

/** H⁻¹ g for the coefficients of each class; null where there is none. */
function newtonStep(weights, points, codes, penalties, posteriorOf) {
	const [k, width] = [weights.length, penalties.length];
	const gradient = weights.flatMap((line) => line.map((weight, j) => penalties[j] * weight));
	const hessian = zeroMatrix(k * width);
	points.forEach((z, i) => {
		const posterior = posteriorOf(z).slice(-k);
		for (let c = 0; c < k; c++) {
			const error = posterior[c] - (codes[i] === (k === 1 ? 1 : c) ? 1 : 0);
			for (let j = 0; j < width; j++) gradient[c * width + j] += error * z[j];
			for (let b = 0; b <= c; b++) {
				const weight = posterior[c] * ((b === c ? 1 : 0) - posterior[b]);
				for (let j = 0; j < width; j++) {
					for (let m = 0; m < width; m++) hessian[c * width + j][b * width + m] += weight * z[j] * z[m];
				}
			}
		}
	});
	const largest = Math.max(...hessian.map((line, j) => line[j]));
	hessian.forEach((line, j) => {
		// With a set for each class all intercepts may grow alike: a little is added against that.
		line[j] += penalties[j % width] + 1e-12 * largest;
	});
	const lower = cholesky(hessian);
	if (!lower) return null;
	const flat = solveCholesky(lower, gradient);
	return weights.map((_, c) => flat.slice(c * width, (c + 1) * width));
}

function solveCholesky(lower, vector) {
	const solved = [...vector];
	for (let i = 0; i < solved.length; i++) {
		for (let j = 0; j < i; j++) solved[i] -= lower[i][j] * solved[j];
		solved[i] /= lower[i][i];
	}
	for (let i = solved.length - 1; i >= 0; i--) {
		for (let j = i + 1; j < solved.length; j++) solved[i] -= lower[j][i] * solved[j];
		solved[i] /= lower[i][i];
	}
	return solved;
}
