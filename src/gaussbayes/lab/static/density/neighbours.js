// The k nearest neighbours, as in scikit-learn: Euclidean distances in the units of the features.

import { largestPlace } from "./model.js";
import { isMissing, sortedValues } from "./table.js";

/**
 * A classifier by the vote of the k nearest rows, or of all if there are fewer; rows with a missing value or without a
 * label do not vote. `nearest(row)` are numbers of rows, the nearest first; `vote(row)` the proportions of the classes.
 */
export function neighbours(rows, labels, k, classes = sortedValues(labels.filter((label) => !isMissing(label)))) {
	const which = rows.map((_, i) => i).filter((i) => !isMissing(labels[i]) && !rows[i].some(isMissing));
	if (!which.length) throw new Error("there is no complete row with a label");
	const points = Float64Array.from(which.flatMap((i) => rows[i]));
	const codes = which.map((i) => classes.indexOf(labels[i]));
	const most = Math.max(1, Math.min(Math.round(k), which.length));
	const [distances, places, d] = [new Float64Array(most), new Int32Array(most), rows[which[0]].length];
	/** The nearest in `places`: a row enters before those that are further away. */
	const find = (row) => {
		distances.fill(Infinity);
		for (let i = 0, at = 0; i < which.length; i++) {
			let square = 0;
			for (let j = 0; j < d; j++) square += (points[at++] - row[j]) ** 2;
			if (!(square < distances[most - 1])) continue;
			let place = most - 1;
			for (; place > 0 && distances[place - 1] > square; place--) {
				distances[place] = distances[place - 1];
				places[place] = places[place - 1];
			}
			distances[place] = square;
			places[place] = i;
		}
		return Array.from(places);
	};
	const vote = (row) => {
		const shares = classes.map(() => 0);
		for (const place of find(row)) shares[codes[place]] += 1 / most;
		return shares;
	};
	return { classes, vote, nearest: (row) => find(row).map((at) => which[at]), label: (row) => largestPlace(vote(row)) };
}
