// Weighted sums over the rows of each class: moments of the numbers, counts of the categories. A mean is anchor + offset,
// where the anchor is a value that occurs: differences from it are exact, so that a huge common offset, such as that of
// timestamps, loses no digits.

import { addProduct, diagonalMatrix, totalOf } from "./matrices.js";
import { featureName } from "./table.js";

/** Weights, means (anchors + offsets) and scatters of the complete rows of each class; a table is that of `readTable`. */
export function classMoments({ numbers, targets, weights, classes, numeric }) {
	const none = numeric.map(() => 0);
	const moments = { weights: [], anchors: [], offsets: [], scatters: [] };
	const rows = classes.map(() => []);
	targets.forEach((c, i) => rows[c]?.push(i));
	for (const some of rows) {
		const [anchor, sums, scatter] = [numbers[some[0]], [...none], diagonalMatrix(none)];
		const weight = totalOf(some.map((i) => weights[i]));
		for (const i of some) for (let j = 0; j < sums.length; j++) sums[j] += weights[i] * (numbers[i][j] - anchor[j]);
		const offset = sums.map((sum) => sum / weight);
		for (const i of some) addProduct(scatter, numbers[i].map((value, j) => value - anchor[j] - offset[j]), weights[i]);
		moments.weights.push(weight);
		moments.anchors.push(anchor);
		moments.offsets.push(offset);
		moments.scatters.push(scatter);
	}
	return moments;
}

/** The moments without a row of class c; null if too few digits of a variance would remain. */
export function momentsWithout(moments, row, c, weight) {
	const rest = moments.weights[c] - weight;
	const apart = row.map((value, j) => value - moments.anchors[c][j] - moments.offsets[c][j]);
	const scatter = moments.scatters[c].map((line) => [...line]);
	addProduct(scatter, apart, (-weight * moments.weights[c]) / rest);
	if (!scatter.every((line, j) => line[j] > 1e-3 * moments.scatters[c][j][j])) return null;
	const offset = moments.offsets[c].map((value, j) => value - (weight * apart[j]) / rest);
	const changed = { weights: rest, offsets: offset, scatters: scatter };
	const put = ([name, value]) => [name, moments[name].map((old, b) => (b === c ? value : old))];
	return { ...moments, ...Object.fromEntries(Object.entries(changed).map(put)) };
}

/** The weight of each category in each class, k × m for each categorical feature. */
export function countCategories({ codes, targets, weights, levels, classes }) {
	const counts = levels.map((column) => classes.map(() => column.map(() => 0)));
	codes.forEach((row, i) => row.forEach((m, q) => {
		if (m >= 0 && targets[i] >= 0) counts[q][targets[i]][m] += weights[i];
	}));
	return counts;
}

/** Numbers in proportion to others, that sum to 1. */
export function proportionsOf(values) {
	const total = totalOf(values);
	return values.map((value) => value / total);
}

/** p(category | class) = (weight + α) / (weight of all + α m), of m categories with a weight above 0; α is the
 * smoothing. */
export function estimateProbabilities(counts, { classes, levels, categorical }, settings) {
	return counts.map((count, q) => {
		const kept = levels[q].map((_, m) => m).filter((m) => count.some((row) => row[m] > 0));
		const table = count.map((row, c) => {
			const weights = kept.map((m) => row[m] + settings.smoothing);
			if (totalOf(weights) > 0 || !kept.length) return proportionsOf(weights);
			throw new Error(`class ${classes[c]} has no value of ${featureName(settings, categorical[q])}: smoothing above 0 helps`);
		});
		return { levels: kept.map((m) => levels[q][m]), table };
	});
}
