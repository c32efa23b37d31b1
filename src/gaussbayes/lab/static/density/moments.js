// Weighted moments of the numbers in each class: weight, mean and scatter. A mean is anchor + offset, where the anchor is
// a value that occurs: differences from it are exact, so that a huge common offset, as timestamps have, costs no digit.

import { zeroMatrix } from "./matrices.js";

/**
 * The moments of complete rows in each class.
 * @param {{numbers: number[][], targets: number[], weights: number[]}} table rows whose target is −1 do not count
 * @param {number} k number of classes
 * @param {number} d number of features
 * @returns {{weights: number[], anchors: number[][], offsets: number[][], scatters: number[][][]}}
 */
export function classMoments({ numbers, targets, weights }, k, d) {
	const total = new Array(k).fill(0);
	const anchors = Array.from({ length: k }, () => new Array(d).fill(0));
	const offsets = Array.from({ length: k }, () => new Array(d).fill(0));
	const scatters = Array.from({ length: k }, () => zeroMatrix(d));
	const sums = Array.from({ length: k }, () => new Array(d).fill(0));
	numbers.forEach((row, i) => {
		const c = targets[i];
		if (c < 0) return;
		if (!total[c]) anchors[c] = [...row];
		total[c] += weights[i];
		for (let j = 0; j < d; j++) sums[c][j] += weights[i] * (row[j] - anchors[c][j]);
	});
	for (let c = 0; c < k; c++) if (total[c]) offsets[c] = sums[c].map((sum) => sum / total[c]);
	const apart = new Array(d);
	numbers.forEach((row, i) => {
		const c = targets[i];
		if (c < 0) return;
		for (let j = 0; j < d; j++) apart[j] = row[j] - anchors[c][j] - offsets[c][j];
		addProduct(scatters[c], apart, weights[i]);
	});
	return { weights: total, anchors, offsets, scatters };
}

/**
 * Add w v vᵀ to a symmetric matrix, in place.
 * @param {number[][]} matrix
 * @param {number[]} vector
 * @param {number} weight
 */
export function addProduct(matrix, vector, weight) {
	for (let i = 0; i < vector.length; i++) {
		const value = weight * vector[i];
		for (let j = 0; j < i; j++) matrix[j][i] = matrix[i][j] += value * vector[j];
		matrix[i][i] += value * vector[i];
	}
}

/**
 * The moments without one row of a class, or null where too few digits would be left of a variance.
 * @param {object} moments of complete rows
 * @param {number[]} row
 * @param {number} c its class
 * @param {number} weight
 * @returns {object|null}
 */
export function momentsWithout(moments, row, c, weight) {
	const rest = moments.weights[c] - weight;
	const apart = row.map((value, j) => value - moments.anchors[c][j] - moments.offsets[c][j]);
	const scatter = moments.scatters[c].map((line) => [...line]);
	addProduct(scatter, apart, (-weight * moments.weights[c]) / rest);
	if (scatter.some((line, j) => !(line[j] > 1e-3 * moments.scatters[c][j][j]))) return null;
	const put = (values, value) => values.map((old, b) => (b === c ? value : old));
	return {
		weights: put(moments.weights, rest),
		anchors: moments.anchors,
		offsets: put(moments.offsets, moments.offsets[c].map((value, j) => value - (weight * apart[j]) / rest)),
		scatters: put(moments.scatters, scatter),
	};
}
