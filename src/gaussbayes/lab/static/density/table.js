// Rows and labels → numbers, codes of categories, codes of classes, weights.

/** The default options of a fit. */
export const FIT_OPTIONS = Object.freeze({
	covariance: "full", shared: false, shrinkage: null, shrinkageTarget: "diagonal", priors: null, divisor: "mle", smoothing: 0,
});

/** Whether a cell or a label is missing. */
export const isMissing = (cell) => cell === null || cell === undefined || Number.isNaN(cell);

/** The name of a feature in messages: from `settings.features`, or its column. */
export const featureName = (settings, column) => settings.features?.[column] ?? `feature ${column}`;

/** Labels or categories, each once, in the order in which Python sorts them: numbers by value, strings by code point. */
export function sortedValues(values) {
	const kinds = ["boolean", "number", "string"];
	const points = new Map(values.map((value) => [value, Array.from(String(value), (letter) => letter.codePointAt(0))]));
	return [...points.keys()].sort((a, b) => {
		if (typeof a !== typeof b) return kinds.indexOf(typeof a) - kinds.indexOf(typeof b);
		if (typeof a !== "string") return a - b;
		const [first, second] = [points.get(a), points.get(b)];
		const at = first.findIndex((point, i) => point !== second[i]);
		return at < 0 ? -1 : first[at] - (second[at] ?? -1);
	});
}

/**
 * Rows and labels, with the settings of `fit`, in the form for fitting; an Error names invalid values. `which` rows
 * have a weight above 0; for each of these there are `numbers` (NaN if missing), `codes` (of its categories, −1 if
 * missing), `targets` (its class, −1 without a label) and `weights`; `levels` are the categories of each column of
 * categories.
 */
export function readTable(rows, labels, settings) {
	const width = rows[0]?.length;
	const ragged = rows.findIndex((row) => row.length !== width);
	if (!rows.length) throw new Error("there are no rows to fit to");
	if (rows.length !== labels.length) throw new Error(`there are ${rows.length} rows and ${labels.length} labels`);
	if (ragged > 0) throw new Error(`row ${ragged} has ${rows[ragged].length} cells, row 0 has ${width}`);
	const isCategory = (j) => rows.some((row) => typeof row[j] === "string" || typeof row[j] === "boolean");
	const columns = Array.from({ length: width }, (_, j) => j);
	const categorical = settings.categorical ?? columns.filter(isCategory);
	const numeric = columns.filter((j) => !categorical.includes(j));
	const all = rows.map((_, i) => settings.weights?.[i] ?? 1);
	if (!all.every((weight) => weight >= 0 && weight < Infinity)) throw new Error("weights must be finite and not negative");
	const which = all.map((_, i) => i).filter((i) => all[i] > 0);
	const classes = settings.classes ?? sortedValues(which.map((i) => labels[i]).filter((label) => !isMissing(label)));
	const place = new Map(classes.map((label, c) => [label, c]));
	const targets = which.map((i) => (isMissing(labels[i]) ? -1 : place.get(labels[i])));
	const [unknown, idle] = [targets.indexOf(undefined), classes.findIndex((_, c) => !targets.includes(c))];
	if (unknown >= 0) throw new Error(`the label ${labels[which[unknown]]} is not among the classes`);
	if (idle >= 0) throw new Error(`class ${classes[idle]} has no labelled row, so that it has no mean`);
	if (!classes.length) throw new Error("no row has a label");
	const levels = categorical.map((j) => sortedValues(which.map((i) => rows[i][j]).filter((cell) => !isMissing(cell))));
	const number = (cell, i, j) => {
		if (isMissing(cell) || Number.isFinite(cell)) return cell ?? NaN;
		throw new Error(`row ${i} has ${cell} in ${featureName(settings, j)}, which must be a finite number`);
	};
	return {
		numbers: which.map((i) => numeric.map((j) => number(rows[i][j], i, j))),
		codes: which.map((i) => categorical.map((j, q) => levels[q].indexOf(rows[i][j]))),
		weights: which.map((i) => all[i]),
		which, targets, classes, levels, numeric, categorical,
	};
}
