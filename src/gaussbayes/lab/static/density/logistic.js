// Logistic regression by Newton's method, as in scikit-learn: two classes have one set of coefficients, more classes
// one each; penalty · |w|² / 2 is added to the negative log-likelihood, the intercepts are free.

import { logSumExp } from "./gaussian.js";
import { diagonalMatrix, dotProduct, factorise, mapMatrix, timesMatrix, timesPrecision, totalOf } from "./matrices.js";
import { largestPlace } from "./model.js";
import { isMissing, sortedValues } from "./table.js";

/**
 * Logistic regression of labels on numbers; rows with a missing value or without a label are ignored. The penalty is 1
 * / C of scikit-learn; with 0, separable classes have no finite coefficients. Returns {classes, posterior, label}.
 */
export function logisticRegression(rows, labels, { penalty = 1, classes } = {}) {
	const which = rows.map((_, i) => i).filter((i) => !isMissing(labels[i]) && !rows[i].some(isMissing));
	const known = classes ?? sortedValues(which.map((i) => labels[i]));
	if (known.length < 2 || !which.length) throw new Error("logistic regression needs complete rows of two classes");
	const codes = which.map((i) => known.indexOf(labels[i]));
	// Standardised, so that the matrix of second derivatives is well conditioned; the penalty refers to the original
	// units.
	const columns = rows[which[0]].map((anchor, j) => {
		const mean = totalOf(which.map((i) => rows[i][j] - anchor)) / which.length;
		const square = totalOf(which.map((i) => (rows[i][j] - anchor - mean) ** 2)) / which.length;
		return { anchor, mean, scale: Math.sqrt(square) || 1 };
	});
	const standardised = (row) => [...columns.map(({ anchor, mean, scale }, j) => (row[j] - anchor - mean) / scale), 1];
	const penalties = [...columns.map(({ scale }) => penalty / scale ** 2), 0];
	const points = which.map((i) => standardised(rows[i]));
	const logChances = (weights, z) => {
		const scores = known.length === 2 ? [0, dotProduct(weights[0], z)] : timesMatrix(weights, z);
		const total = logSumExp(scores);
		return scores.map((score) => score - total);
	};
	const loss = (weights) => {
		const size = totalOf(mapMatrix(weights, (weight, _, j) => 0.5 * penalties[j] * weight * weight).flat());
		return size - totalOf(points.map((z, i) => logChances(weights, z)[codes[i]]));
	};
	let weights = known.slice(known.length === 2 ? 1 : 0).map(() => penalties.map(() => 0));
	let value = loss(weights);
	for (let iteration = 0, length = 1; iteration < 100 && length > 1e-10; iteration++) {
		const step = newtonStep(weights, points, codes, penalties, (z) => logChances(weights, z).map(Math.exp));
		if (!step) break;
		for (length = 1; length > 1e-10; length /= 2) {
			const following = mapMatrix(weights, (weight, c, j) => weight - length * step[c][j]);
			const next = loss(following);
			if (!(next <= value + 1e-14 * Math.abs(value))) continue;
			[weights, value] = [following, next];
			break;
		}
		if (Math.max(...step.flat().map(Math.abs)) < 1e-13) break;
	}
	const posterior = (row) => {
		if (row.some(isMissing)) throw new Error("logistic regression needs a value of every feature");
		return logChances(weights, standardised(row)).map(Math.exp);
	};
	return { classes: known, posterior, label: (row) => largestPlace(posterior(row)) };
}

/** H⁻¹ g for the coefficients of each class; null if H is singular. */
function newtonStep(weights, points, codes, penalties, posteriorOf) {
	const [k, width] = [weights.length, penalties.length];
	const gradient = mapMatrix(weights, (weight, _, j) => penalties[j] * weight).flat();
	const hessian = diagonalMatrix(weights.flatMap(() => penalties));
	points.forEach((z, i) => {
		const posterior = posteriorOf(z).slice(-k);
		posterior.forEach((p, c) => {
			const error = p - (codes[i] === (k === 1 ? 1 : c) ? 1 : 0);
			z.forEach((value, j) => {
				gradient[c * width + j] += error * value;
				for (let b = 0; b < k; b++) {
					const weight = p * ((b === c ? 1 : 0) - posterior[b]) * value;
					for (let m = 0; m < width; m++) hessian[c * width + j][b * width + m] += weight * z[m];
				}
			});
		});
	});
	// With a set for each class a common shift of all intercepts has no effect: a small term prevents it.
	const { whitener } = factorise(mapMatrix(hessian, (value, i, j) => (i === j ? value * (1 + 1e-12) : value)));
	const flat = whitener && timesPrecision(whitener, gradient);
	return flat && weights.map((_, c) => flat.slice(c * width, (c + 1) * width));
}
