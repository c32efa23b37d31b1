// The data of a spec → columns, codes of classes, names; and data with points moved, added or erased.

import { sortedValues } from "../density/table.js";
import { drawnData, exampleData } from "./examples.js";

const MANY_ROWS = 20000; // from here on columns stay typed arrays, which JSON does not have
const hasNoLabel = (label) => label === null || label === undefined || label === "" || Number.isNaN(label);

/** The default name of a feature: x₁, x₂, … */
export const defaultName = (j) => `x${[...String(j + 1)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("")}`;

/**
 * The table of `spec.data`: names, kinds, columns (numbers: Float64Array with NaN where missing; categories: strings or null),
 * labels (null where there is none), classes (sorted), codes (−1 without label), n, target, name, truth, `kept` (the number of
 * each row among all, null where none is withheld) and `withheld` (labels).
 */
export function tableOf(data = {}) {
	const source = sourceOf(data);
	const columns = source.columns ?? columnsOfRows(source);
	const given = source.labels ?? new Array(columns[0]?.values.length ?? 0).fill(null);
	const withheld = (data.without ?? source.without ?? []).map(String);
	const kept = withheld.length ? Array.from(given.keys()).filter((i) => !withheld.includes(String(given[i]))) : null;
	const taken = (values) => (kept ? kept.map((i) => values[i]) : values);
	return {
		names: columns.map(({ name }) => String(name)),
		kinds: columns.map(({ kind }) => kind),
		columns: columns.map(({ kind, values }) => (kind === "number" ? numbersOf : categoriesOf)(taken(values))),
		...(kept ? codesOf(taken(given)) : knownCodes(given)),
		n: kept ? kept.length : given.length,
		kept, withheld,
		target: source.target ?? "class", name: source.name ?? "", truth: source.truth ?? null,
	};
}

function codesOf(given) {
	const labels = Array.from(given, (label) => (hasNoLabel(label) ? null : label));
	const classes = sortedValues(labels.filter((label) => label !== null));
	const places = new Map(classes.map((label, code) => [label, code]));
	return { labels, classes, codes: Int32Array.from(labels, (label) => (label === null ? -1 : places.get(label))) };
}

const codeCache = new WeakMap(); // a point that is dragged leaves the labels as they are

function knownCodes(given) {
	if (!codeCache.has(given)) codeCache.set(given, codesOf(given));
	return codeCache.get(given);
}

/** Data in the form of rows or columns, whatever the form of the spec. */
function sourceOf(data) {
	if (data.example) return exampleData(data.example, data);
	return data.draw ? { ...data, ...drawnData(data.draw) } : data;
}

function columnsOfRows({ rows = [], features = [], truth }) {
	const width = Math.max(rows[0]?.length ?? 0, features.length, truth?.means?.[0]?.length ?? 0);
	return Array.from({ length: width }, (_, j) => {
		const values = rows.map((row) => row[j] ?? null);
		const kind = values.some((value) => typeof value === "string") ? "category" : "number";
		return { name: features[j] ?? defaultName(j), kind, values };
	});
}

const asNumber = (value) => (Number.isFinite(value) ? value : NaN);
const numbersOf = (values) => (values instanceof Float64Array ? values : Float64Array.from(values, asNumber));
const categoriesOf = (values) => Array.from(values, (value) => (hasNoLabel(value) ? null : String(value)));

/** Columns of features that are given by number or name; an Error names one that does not exist. */
export function columnsNamed(table, features) {
	return features.map((feature) => {
		const column = typeof feature === "number" ? feature : table.names.indexOf(String(feature));
		if (table.names[column] === undefined) throw new Error(`There is no column “${String(feature).slice(0, 40)}”.`);
		return column;
	});
}

/** Rows of some columns as `density.fit` takes them. */
export function rowsOf(table, columns) {
	const parts = columns.map((j) => table.columns[j]);
	return Array.from({ length: table.n }, (_, i) => parts.map((part) => (Number.isNaN(part[i]) ? null : part[i])));
}

/** Which rows are held out for testing: Uint8Array of 0 and 1, or null for none. */
export function heldOut({ n, codes }, test, generator) {
	if (!test?.proportion) return null;
	const keys = Array.from({ length: n }, (_, i) => [i, generator.uniform()]).filter(([i]) => codes[i] >= 0);
	const chosen = keys.sort((a, b) => a[1] - b[1]).slice(0, Math.round(test.proportion * keys.length));
	const held = new Uint8Array(n);
	for (const [i] of chosen) held[i] = 1;
	return held;
}

/** Data in the form with columns, withheld rows among them: the form in which points are changed. */
function editableData(data) {
	const isEditable = ({ kind, values }) => kind === "category" || Array.isArray(values) || values.length > MANY_ROWS;
	if (data.columns?.every(isEditable)) return data;
	const { names, kinds, columns, labels, target, name, truth } = tableOf({ ...data, without: [] });
	const orNull = (value) => (Number.isNaN(value) ? null : value);
	const plain = (column) => (column.length > MANY_ROWS ? column : Array.from(column, orNull));
	const listed = columns.map((column, j) => ({ name: names[j], kind: kinds[j], values: plain(column) }));
	const { without = [] } = { ...sourceOf(data), ...data };
	return { columns: listed, labels, target, name, truth, without };
}

/** Data with another place of a row in some columns. */
export function movedPoint(data, row, columns, place) {
	const all = editableData(data);
	const moved = (values, value) => Object.assign(values.slice(), { [row]: value });
	const changed = (column, at) => (at < 0 ? column : { ...column, values: moved(column.values, place[at]) });
	return { ...all, columns: all.columns.map((column, j) => changed(column, columns.indexOf(j))) };
}

/** Data with rows more; values of columns that are not given are missing. */
export function addedPoints(data, columns, places, label) {
	const all = editableData(data);
	const added = (j) => places.map((place) => place[columns.indexOf(j)] ?? null);
	const grown = all.columns.map((column, j) => ({ ...column, values: [...column.values, ...added(j)] }));
	return { ...all, columns: grown, labels: [...all.labels, ...places.map(() => label)] };
}

/** Data without some rows. */
export function withoutPoints(data, rows) {
	const all = editableData(data);
	const gone = new Set(rows);
	const rest = (values) => values.filter((_, i) => !gone.has(i));
	return { ...all, columns: all.columns.map((column) => ({ ...column, values: rest(column.values) })), labels: rest(all.labels) };
}
