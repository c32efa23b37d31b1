// Categories by counts: p(category | class) = (weight + α) / (weight of all + α m), α the smoothing. What is missing
// counts nowhere.

import { featureName } from "./table.js";

/**
 * How much each category weighs in each class.
 * @param {{codes: number[][], targets: number[], weights: number[], levels: Array[]}} table
 * @param {number} k number of classes
 * @returns {number[][][]} for each categorical feature k × m
 */
export function countCategories({ codes, targets, weights, levels }, k) {
	const counts = levels.map((column) => Array.from({ length: k }, () => new Array(column.length).fill(0)));
	codes.forEach((row, i) => {
		if (targets[i] < 0) return;
		row.forEach((m, q) => {
			if (m >= 0) counts[q][targets[i]][m] += weights[i];
		});
	});
	return counts;
}

/**
 * The probabilities of the categories that weigh anything in some class.
 * @param {number[][][]} counts see `countCategories`
 * @param {{classes: Array, levels: Array[], categorical: number[]}} table
 * @param {object} settings `smoothing`
 * @returns {{levels: Array, table: number[][]}[]}
 */
export function estimateProbabilities(counts, { classes, levels, categorical }, settings) {
	return counts.map((count, q) => {
		const kept = levels[q].map((_, m) => m).filter((m) => count.some((row) => row[m] > 0));
		const table = count.map((row, c) => {
			const weights = kept.map((m) => row[m] + settings.smoothing);
			const total = weights.reduce((sum, weight) => sum + weight, 0);
			if (kept.length && !(total > 0)) {
				throw new Error(`class ${classes[c]} has no value of ${featureName(settings, categorical[q])}: smoothing above 0 helps`);
			}
			return weights.map((weight) => weight / total);
		});
		return { levels: kept.map((m) => levels[q][m]), table };
	});
}
