/**
 * The state in the address: `#learn/petals/3`, `#play:eyJ2aWV3Ijoi…`. After the colon: the members of the figure's spec that
 * differ from how that place begins, as JSON in base64url.
 *
 * Addresses are not trusted: only the members that are listed here are read, all of them bounded; anything else is a
 * `Problem`.
 */

import { cholesky } from "../density.js";
import { Problem } from "./reader.js";

const LONGEST_READ = 60000;
export const LONGEST_WRITTEN = 12000; // characters; larger data are referred to by name
const LARGEST_VALUE = 1e30;
const PLACE = /^(start|play|data|learn)(?:\/([a-z-]{1,40})(?:\/(\d{1,2}))?)?(?::([\w-]*))?$/;

/**
 * Write a state.
 * @param {{mode: string, lesson: string|null, step: number}} place where on the page
 * @param {object} spec members of the figure's spec that differ from the beginning of that place
 * @returns {string} the part of an address after `#`
 */
export function encodeState({ mode, lesson, step }, spec) {
	if (mode === "start" && !Object.keys(spec).length) return "";
	const where = lesson ? `learn/${lesson}/${step + 1}` : mode;
	if (!Object.keys(spec).length) return where;
	const bytes = new TextEncoder().encode(JSON.stringify(spec));
	let text = "";
	for (const byte of bytes) text += String.fromCharCode(byte);
	return `${where}:${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/**
 * Read a state.
 * @param {string} hash the part of an address after `#`
 * @returns {{mode: string, lesson: string|null, step: number, spec: object}|null} null for an empty one
 * @throws {Problem} with a sentence for the reader
 */
export function decodeState(hash) {
	if (!hash) return null;
	if (hash.length > LONGEST_READ) refuse(`${hash.length.toLocaleString("en")} characters, more than this page reads`);
	const found = PLACE.exec(hash);
	if (!found) refuse("a part that this page does not know");
	const [, mode, lesson = null, step = "1", encoded = ""] = found;
	let spec = {};
	if (encoded) {
		try {
			const bytes = Uint8Array.from(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
			spec = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
		} catch {
			refuse("a damaged part");
		}
		spec = checkSpec(spec);
	}
	return { mode, lesson, step: Math.max(0, Number(step) - 1), spec };
}

function refuse(what) {
	throw new Problem(`The address has ${what}; this is the start page instead.`);
}

/**
 * The checks of a spec's members: each returns a valid value, or throws.
 * @type {(spec: unknown) => object}
 */
const checkSpec = (() => {
	const number = (low, high) => (x) => (typeof x === "number" && x >= low && x <= high ? x : refuse("a number out of range"));
	const integer = (low, high) => (x) => (Number.isInteger(number(low, high)(x)) ? x : refuse("a number out of range"));
	const text = (most) => (x) => (typeof x === "string" && x.length <= most ? x : refuse("a text that is too long"));
	const oneOf = (...values) => (x) => (values.includes(x) ? x : refuse("an unknown word"));
	const either = (...kinds) => (x) => {
		for (const kind of kinds) {
			try {
				return kind(x);
			} catch {
				continue; // the next kind may take it
			}
		}
		return refuse("a value that cannot be shown");
	};
	const list = (kind, least, most) => (x) =>
		Array.isArray(x) && x.length >= least && x.length <= most ? x.map((each) => kind(each)) : refuse("a list of the wrong length");
	const record = (members, ...required) => (x) => {
		const names = Object.keys(typeof x === "object" && !Array.isArray(x) && x ? x : refuse("a value that cannot be shown"));
		const isKnown = names.every((name) => Object.hasOwn(members, name)) && required.every((name) => names.includes(name));
		if (!isKnown) refuse("members that are not those of a state");
		return Object.fromEntries(names.map((name) => [name, members[name](x[name])]));
	};
	const nothing = oneOf(null);
	const flag = oneOf(true, false);
	const seed = integer(0, 2 ** 31);
	const value = number(-LARGEST_VALUE, LARGEST_VALUE);
	const title = text(200);
	const label = either(title, value);
	const cell = either(nothing, value, title);
	const vector = list(value, 1, 20);
	const columns = list(either(integer(0, 10000), title), 0, 20);
	const span = (x) => {
		const [low, high] = list(value, 2, 2)(x);
		return high > low ? [low, high] : refuse("an empty range");
	};
	const priors = (x) => {
		const given = list(number(0, 1), 1, 200)(x);
		return Math.abs(given.reduce((a, b) => a + b, 0) - 1) < 1e-6 ? given : refuse("priors that do not sum to 1");
	};
	const covariance = (x) => {
		const rows = list(vector, 0, 20)(x);
		const square = rows.every((row, i) => row.length === rows.length && row[i] > 0);
		const scaled = square && rows.map((row, i) => row.map((entry, j) => entry / Math.sqrt(row[i]) / Math.sqrt(rows[j][j])));
		const symmetric = square && scaled.every((row, i) => row.every((entry, j) => Math.abs(entry - scaled[j][i]) < 1e-9));
		return symmetric && cholesky(scaled) ? rows : refuse("a matrix that is not a covariance");
	};
	const shares = list(list(number(0, 1), 1, 50), 1, 200);
	const category = record({ name: title, levels: list(title, 1, 50), table: shares }, "levels", "table");
	const numbers = { means: list(list(value, 0, 20), 1, 200), covariances: list(covariance, 1, 200) };
	const members = { classes: list(label, 1, 200), priors, ...numbers, probabilities: list(category, 0, 10) };
	const parameters = (x) => {
		const given = record(members, "classes", "priors")(x);
		const { classes: { length: k }, means = [], covariances = [], probabilities = [] } = given;
		const fits = given.priors.length === k && (means.length === k || (!means.length && probabilities.length)) &&
			covariances.length === means.length &&
			means.every((mean, c) => mean.length === means[0].length && covariances[c].length === mean.length) &&
			probabilities.every(({ levels, table: rows }) => rows.length === k && rows.every((row) => row.length === levels.length));
		return fits ? given : refuse("parameters that do not fit each other");
	};
	const table = (x) => {
		const needed = { rows: list(list(cell, 1, 20), 1, 4000), labels: list(cell, 1, 4000), features: list(title, 1, 20) };
		const given = record({ ...needed, target: title, name: title }, ...Object.keys(needed))(x);
		const fits = given.rows.length === given.labels.length && given.rows.every((row) => row.length === given.features.length);
		return fits ? given : refuse("rows that do not fit their names");
	};
	const shown = ["points", "ellipses", "boundary", "errors", "density", "joint", "evidence", "neighbours", "truth"];
	return record({
		view: oneOf("plane", "line", "surface", "areas", "bars", "learning"),
		data: either(
			record({ example: text(40), n: integer(1, 5000), seed, without: list(label, 0, 20) }, "example"),
			record({ file: title, target: title }, "file"),
			record({ given: flag }, "given"),
			table,
		),
		model: either(
			record({ parameters }, "parameters"),
			record({ given: flag }, "given"),
			record({
				covariance: oneOf("full", "diagonal", "spherical"),
				shared: either(flag, number(0, 1)),
				shrinkage: either(nothing, oneOf("oas"), number(0, 1)),
				priors: either(nothing, oneOf("uniform"), priors),
				divisor: oneOf("mle", "unbiased"),
				smoothing: number(0, 1000),
			}),
		),
		features: columns,
		hidden: columns,
		query: either(nothing, list(cell, 1, 20)),
		neighbours: integer(1, 999),
		step: either(nothing, integer(0, 1000)),
		test: either(nothing, record({ proportion: number(0, 0.9), seed }, "proportion")),
		layers: record({ regions: oneOf("blend", "labels", "none"), ...Object.fromEntries(shown.map((name) => [name, flag])) }),
		window: either(nothing, record({ x: span, y: span }, "x", "y")),
	});
})();
