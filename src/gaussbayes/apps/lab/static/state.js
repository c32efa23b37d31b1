// The one state of the page: what the address says, what undo goes back to.

/** What an empty address means. */
export const DEFAULT = Object.freeze({
	data: { preset: "unequal", seed: 0, n: 200 },
	split: { test: 0, seed: 0 },
	pair: [0, 1],
	model: {
		from: "data",
		covariance: "full",
		shared: false,
		divisor: "mle",
		shrinkage: null,
		priors: null,
		smoothing: 1,
		unlabelled_weight: 1,
	},
	neighbours: 5,
	layers: {
		regions: "blend",
		density: true,
		joint: false,
		evidence: false,
		boundary: true,
		reject: null,
		novelty: null,
		errors: true,
		truth: false,
		multiples: false,
	},
	view: "plane",
	bounds: null,
	hide: null,
	at: null,
	categories: [],
	filter: [],
	stream: null,
	theme: "auto",
	lesson: null,
	without: [],
});

const isPlain = (value) =>
	value !== null && typeof value === "object" && !Array.isArray(value);

const isPair = (value) => Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
const orNull = (check) => (value) => value === null || check(value);
const oneOf = (...values) => (value) => values.includes(value);
const isPart = (name) => (value) => isPlain(value) && Object.keys(value).every((own) => own in DEFAULT[name]);

function isCodes(value) {
	return Array.isArray(value) && value.every(orNull((code) => Number.isInteger(code) && code >= 0));
}

/** What each member of a state may be, as far as the page itself relies on it. */
const FITS = {
	data: isPlain,
	split: isPart("split"),
	pair: (value) => isPair(value) && value.every((one) => Number.isInteger(one) && one >= 0),
	model: (value) => isPlain(value) && isShape(value) && (value.from !== "hand" || isHand(value)),
	neighbours: Number.isInteger,
	layers: isPart("layers"),
	view: oneOf("plane", "line", "surface"),
	bounds: orNull((value) => isPlain(value) && [value.x, value.y].every((ends) => isPair(ends) && ends[0] < ends[1])),
	hide: oneOf(null, 0, 1),
	at: orNull(isPair),
	categories: isCodes,
	filter: isCodes,
	stream: orNull(Number.isInteger),
	theme: oneOf("auto", "light", "dark"),
	lesson: orNull((value) => Array.isArray(value) && value.length === 2),
	without: (value) => Array.isArray(value) && value.every((id) => typeof id === "string"),
};

const isShape = ({ covariance = DEFAULT.model.covariance }) =>
	["full", "diagonal", "spherical"].includes(covariance);

function isHand({ priors, means, covariances }) {
	const square = (value) => Array.isArray(value) && value.length === 2 && value.every(isPair);
	if (![priors, means, covariances].every(Array.isArray)) return false;
	return means.every(isPair) && covariances.every(square) && means.length === covariances.length;
}

const SOURCES = ["preset", "upload", "points", "given"];
const MOST_STEPS = 200;

export const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

/** The state with a patch laid over it: objects member by member, anything else replaced. */
export function merge(state, patch) {
	const merged = { ...state };
	for (const [name, value] of Object.entries(patch)) {
		if (name === "__proto__") continue;
		merged[name] = isPlain(value) && isPlain(state[name]) ? merge(state[name], value) : value;
	}
	return merged;
}

export const sourceOf = (data) => SOURCES.find((name) => name in data);

/** How models of such data are fitted unless somebody says: those of files are chosen. */
const fittedFrom = (data) => (["upload", "given"].includes(sourceOf(data)) ? "auto" : "data");

export const isFitted = ({ from }) => from === "data" || from === "auto";

const isByHand = ({ from }) => from === "hand" || from === "categories";

/** What leaves a model by hand, whose numbers are those of the classes and features before. */
export const fittedAgain = ({ model, data }) =>
	isByHand(model) ? { from: fittedFrom(data), priors: null } : {};

/** Whether a patch brings another table: not a new draw of the same, not points that were moved. */
export function bringsTable(state, { data }) {
	const is = data && sourceOf(data);
	if (!is || is === "points") return false;
	return is !== sourceOf(state.data) || !same(state.data[is], data[is]);
}

/** The patch with what a change of the dataset brings along, unless the patch says otherwise. */
function completed(state, patch) {
	if (!bringsTable(state, patch)) return patch;
	const forgotten = { pair: [0, 1], bounds: null, at: null, categories: [], filter: [], stream: null, hide: null };
	const model = { priors: null };
	const [before, from] = [fittedFrom(state.data), fittedFrom(patch.data)];
	if (isByHand(state.model) || from === "auto" || before === "auto") model.from = from;
	return { ...forgotten, ...patch, model: { ...model, ...patch.model } };
}

/** A patch that names a source of data replaces the whole dataset; `sizeOf`: rows of an example where nobody says. */
export function patched(state, patch, sizeOf = () => DEFAULT.data.n) {
	const whole = completed(state, patch);
	const next = merge(state, whole);
	if (whole.data && sourceOf(whole.data)) {
		const drawn = "preset" in whole.data;
		const { seed } = DEFAULT.data;
		next.data = drawn ? { preset: "", seed, n: sizeOf(whole.data.preset), ...whole.data } : whole.data;
	}
	return next;
}

const defaultOf = (data) => merge(DEFAULT, { model: { from: fittedFrom(data) } });

/** What differs from the default, as deep as the default has members. */
export function difference(state, base = DEFAULT) {
	const found = {};
	for (const [name, value] of Object.entries(state)) {
		if (same(value, base[name])) continue;
		const deep = isPlain(value) && isPlain(base[name]) && name !== "data";
		found[name] = deep ? difference(value, base[name]) : value;
	}
	return found;
}

/** What differs, as base64url of JSON; `always` names members that are written in any case. */
export function toHash(state, always = []) {
	const found = difference(state, defaultOf(state.data));
	for (const name of always) found[name] = state[name];
	if (!Object.keys(found).length) return "";
	let text = "";
	for (const byte of new TextEncoder().encode(JSON.stringify(found))) {
		text += String.fromCharCode(byte);
	}
	return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The state, the members that the address names and those that there are none of; `#hide=a,b` hides controls. */
export function fromHash(hash, sizeOf) {
	let patch = {};
	for (const part of hash.replace(/^#/, "").split("&")) {
		if (part.startsWith("hide=")) {
			patch.without = decodeURIComponent(part.slice(5)).split(",").filter(Boolean);
		} else if (part) {
			const text = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
			const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
			const read = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
			if (!isPlain(read)) throw new Error("the address holds no state");
			patch = { ...patch, ...read };
		}
	}
	const known = Object.entries(patch).filter(([name]) => name in DEFAULT);
	for (const [name, value] of known) {
		if (!FITS[name](value)) throw new Error(`what it says of “${name}” is not known here`);
	}
	const state = patched(DEFAULT, Object.fromEntries(known), sizeOf);
	const unknown = Object.keys(patch).filter((name) => !(name in DEFAULT));
	return { state, named: known.map(([name]) => name), unknown };
}

/** States to go back and forth between; only what was recorded counts as a step. */
export class History {
	constructor(state) {
		this.recorded = state;
		this.before = [];
		this.after = [];
	}

	record(state) {
		if (same(state, this.recorded)) return;
		this.before.push(this.recorded);
		if (this.before.length > MOST_STEPS) this.before.shift();
		this.recorded = state;
		this.after = [];
	}

	amend(state) {
		this.recorded = state;
	}

	undo() {
		return this.step(this.before, this.after);
	}

	redo() {
		return this.step(this.after, this.before);
	}

	step(from, to) {
		if (!from.length) return null;
		to.push(this.recorded);
		this.recorded = from.pop();
		return this.recorded;
	}
}
