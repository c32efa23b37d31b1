// Rows and labels as they come → numbers, codes of categories, codes of classes, weights.

/** What the options of a fit are where nothing is said. */
export const FIT_OPTIONS = Object.freeze({
	covariance: "full",
	shared: false,
	shrinkage: null,
	shrinkageTarget: "diagonal",
	priors: null,
	divisor: "mle",
	smoothing: 0,
});

const isCategory = (cell) => typeof cell === "string" || typeof cell === "boolean";

/**
 * Whether a cell or a label is missing.
 * @param {*} cell
 * @returns {boolean}
 */
export function isMissing(cell) {
	return cell === null || cell === undefined || Number.isNaN(cell);
}

/**
 * Labels or categories, each once, in the order in which Python sorts them: numbers by value, strings by code point.
 * @param {Array} values
 * @returns {Array}
 */
export function sortedValues(values) {
	const kinds = ["boolean", "number", "string"];
	return [...new Set(values)].sort((a, b) => {
		if (typeof a !== typeof b) return kinds.indexOf(typeof a) - kinds.indexOf(typeof b);
		return typeof a === "string" ? compareCodePoints(a, b) : a - b;
	});
}

function compareCodePoints(a, b) {
	const [first, second] = [Array.from(a), Array.from(b)];
	const at = first.findIndex((character, i) => character !== second[i]);
	if (at < 0) return first.length - second.length;
	return at < second.length ? first[at].codePointAt(0) - second[at].codePointAt(0) : 1;
}

/**
 * Rows and labels in the form that fitting takes; an Error names what cannot be used.
 * @param {Array[]} rows
 * @param {Array} labels
 * @param {object} settings those of `fit`
 * @returns {object} `numbers` (a row's numbers, NaN where missing), `codes` (of its categories, −1 where missing),
 *   `targets` (its class, −1 without a label), `weights`, `classes`, `levels`, and which columns hold what
 */
export function readTable(rows, labels, settings) {
	if (!rows.length) throw new Error("there are no rows to fit to");
	if (rows.length !== labels.length) throw new Error(`there are ${rows.length} rows and ${labels.length} labels`);
	const width = rows[0].length;
	const ragged = rows.findIndex((row) => row.length !== width);
	if (ragged > 0) throw new Error(`row ${ragged} has ${rows[ragged].length} cells, row 0 has ${width}`);
	const columns = Array.from({ length: width }, (_, j) => j);
	const categorical = settings.categorical ?? columns.filter((j) => rows.some((row) => isCategory(row[j])));
	const numeric = columns.filter((j) => !categorical.includes(j));
	const all = rows.map((_, i) => settings.weights?.[i] ?? 1);
	if (!all.every((weight) => weight >= 0 && weight < Infinity)) {
		throw new Error("weights must be finite and not negative");
	}
	const which = all.map((_, i) => i).filter((i) => all[i] > 0);
	const known = which.map((i) => labels[i]).filter((label) => !isMissing(label));
	const classes = settings.classes ?? sortedValues(known);
	const place = new Map(classes.map((label, c) => [label, c]));
	const targets = which.map((i) => (isMissing(labels[i]) ? -1 : place.get(labels[i])));
	if (targets.includes(undefined)) {
		throw new Error(`the label ${labels[which[targets.indexOf(undefined)]]} is not among the classes`);
	}
	const idle = classes.findIndex((_, c) => !targets.includes(c));
	if (idle >= 0) throw new Error(`class ${classes[idle]} has no labelled row, so that it has no mean`);
	if (!classes.length) throw new Error("no row has a label");
	const levels = categorical.map((j) => sortedValues(which.map((i) => rows[i][j]).filter((cell) => !isMissing(cell))));
	return {
		numbers: which.map((i) => numeric.map((j) => readNumber(rows[i][j], i, j, settings))),
		codes: which.map((i) => categorical.map((j, q) => levels[q].indexOf(rows[i][j]))),
		weights: which.map((i) => all[i]),
		targets, classes, levels, numeric, categorical, which,
	};
}

function readNumber(cell, row, column, settings) {
	if (isMissing(cell)) return NaN;
	if (typeof cell === "number" && Number.isFinite(cell)) return cell;
	throw new Error(`row ${row} has ${cell} in ${featureName(settings, column)}, which must be a finite number`);
}

/**
 * What messages call a feature: its name, or its column.
 * @param {object} settings of `fit`; `features` are the names
 * @param {number} column
 * @returns {string}
 */
export function featureName(settings, column) {
	return settings.features?.[column] ?? `feature ${column}`;
}
