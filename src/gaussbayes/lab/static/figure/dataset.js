// The data of a spec → columns, codes of classes, names.

import { sortedValues } from "../density/table.js";
import { drawnData, exampleData } from "./examples.js";

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";
const defaultName = (j) => `x${[...String(j + 1)].map((digit) => SUBSCRIPTS[digit]).join("")}`;
const MANY_ROWS = 20000;
const hasNoLabel = (label) => label === null || label === undefined || label === "" || Number.isNaN(label);

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
		columns: columns.map(({ kind, values }) => (kind === "number" ? numbersOf(taken(values)) : Array.from(taken(values), categoryOf))),
		...(kept ? codesOf(taken(given)) : knownCodes(given)),
		n: kept ? kept.length : given.length,
		kept, withheld,
		target: source.target ?? "class",
		name: source.name ?? "",
		truth: source.truth ?? null,
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
	if (data.draw) return { ...data, ...drawnData(data.draw) };
	return data;
}

function columnsOfRows({ rows = [], features = [], truth }) {
	const width = Math.max(rows[0]?.length ?? 0, features.length, truth?.means?.[0]?.length ?? 0);
	return Array.from({ length: width }, (_, j) => {
		const values = rows.map((row) => row[j] ?? null);
		const kind = values.some((value) => typeof value === "string") ? "category" : "number";
		return { name: features[j] ?? defaultName(j), kind, values };
	});
}

const numbersOf = (values) =>
	values instanceof Float64Array ? values : Float64Array.from(values, (value) => (typeof value === "number" && Number.isFinite(value) ? value : NaN));

const categoryOf = (value) => (value === null || value === undefined || value === "" ? null : String(value));

/** Columns of features that are given by number or name; an Error names one that does not exist. */
export function columnsNamed(table, features) {
	return features.map((feature) => {
		const column = typeof feature === "number" ? feature : table.names.indexOf(String(feature));
		if (column >= 0 && column < table.names.length) return column;
		throw new Error(`There is no column “${String(feature).slice(0, 40)}”.`);
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
	const order = Array.from({ length: n }, (_, i) => i).filter((i) => codes[i] >= 0);
	for (let i = order.length - 1; i > 0; i--) {
		const j = Math.floor(generator.uniform() * (i + 1));
		[order[i], order[j]] = [order[j], order[i]];
	}
	const held = new Uint8Array(n);
	for (const i of order.slice(0, Math.round(test.proportion * order.length))) held[i] = 1;
	return held;
}

/**
 * Data in the form with columns, all rows among them: the form in which points are moved, added and erased.
 * Few rows are plain arrays, as JSON has them; very many stay typed.
 */
export function editableData(data) {
	if (data.columns?.every(({ kind, values }) => kind === "category" || Array.isArray(values) || values.length > MANY_ROWS)) return data;
	const { names, kinds, columns, labels, target, name, truth } = tableOf({ ...data, without: [] });
	const plain = (column) => (column.length > MANY_ROWS ? column : Array.from(column, (value) => (Number.isNaN(value) ? null : value)));
	const listed = names.map((title, j) => ({ name: title, kind: kinds[j], values: kinds[j] === "number" ? plain(columns[j]) : columns[j] }));
	const { without } = { ...sourceOf(data), ...data };
	return { columns: listed, labels, target, name, truth, ...(without?.length ? { without } : {}) };
}

/** Data with another place of a row in some columns. */
export function movedPoint(data, row, columns, place) {
	const all = editableData(data);
	const changed = all.columns.map((column, j) => {
		const at = columns.indexOf(j);
		if (at < 0) return column;
		const values = column.values.slice();
		values[row] = place[at];
		return { ...column, values };
	});
	return { ...all, columns: changed };
}

/** Data with one row more; values of columns that are not given are missing. */
export function addedPoint(data, columns, place, label) {
	const all = editableData(data);
	const grown = all.columns.map((column, j) => ({ ...column, values: [...column.values, place[columns.indexOf(j)] ?? null] }));
	return { ...all, columns: grown, labels: [...all.labels, label] };
}

/** Data without some rows. */
export function withoutPoints(data, rows) {
	const all = editableData(data);
	const gone = new Set(rows);
	const rest = (values) => values.filter((_, i) => !gone.has(i));
	return { ...all, columns: all.columns.map((column) => ({ ...column, values: rest(column.values) })), labels: rest(all.labels) };
}
