// What is asked of the server, made from the state: the only place that knows both.

import { sourceOf } from "./state.js";

const MOST_SIDE = 400; // the server's limit of a grid
export const COARSE = [160 * 120, 128 * 96, 104 * 78, 84 * 63]; // places of a grid during a drag
const COARSE_ERRORS = 3000; // more points than this are not ringed anew during a drag

export function modelOf(state) {
	const { model } = state;
	if (model.from === "hand") {
		const { priors, means, covariances } = model;
		return { from: "hand", priors, means, covariances };
	}
	if (model.from === "categories") {
		const { priors, probabilities } = model;
		return { from: "categories", priors, probabilities };
	}
	if (model.from === "neighbours") return { from: "neighbours", k: state.neighbours };
	if (model.from === "auto") return { from: "auto", priors: model.priors, first: state.stream };
	const { covariance, shared, divisor, shrinkage, priors, smoothing, unlabelled_weight } = model;
	const settings = { covariance, shared, divisor, shrinkage, priors, smoothing, unlabelled_weight };
	return { from: "data", ...settings, first: state.stream };
}

export function dataBody(state) {
	const { target = null, given, ...source } = state.data;
	return { source: { from: sourceOf(state.data), ...source }, target, split: state.split };
}

function layersOf(state, { dragging, count, truth }) {
	const { layers } = state;
	const needed = new Set();
	if (layers.regions === "hard") needed.add("label");
	if (layers.regions === "blend") needed.add("posterior");
	if (layers.boundary) needed.add("label").add("margin");
	if (layers.evidence) needed.add("evidence");
	if (layers.joint) needed.add("joint");
	if (layers.reject !== null) needed.add("reject");
	if (layers.novelty !== null) needed.add("novel");
	if (layers.truth && truth && !dragging) needed.add("truth");
	if (layers.errors && !(dragging && count > COARSE_ERRORS)) needed.add("errors");
	return [...needed];
}

/** How many places a grid has: as fine as allowed, or `coarse` ones during a drag. */
function gridSize(width, height, coarse) {
	const scale = coarse
		? Math.sqrt(coarse / (width * height))
		: Math.min(0.75, MOST_SIDE / width, MOST_SIDE / height);
	const side = (length) => Math.max(8, Math.min(MOST_SIDE, Math.round(length * scale)));
	return { width: side(width), height: side(height) };
}

export function common(state, data) {
	return { data: data.id, pair: data.pair, model: modelOf(state) };
}

export function sceneBody(state, data, view, { dragging = false, coarseness = 0 } = {}) {
	const { reject, novelty, truth } = state.layers;
	const known = data.truth !== null;
	return {
		...common(state, data),
		view: { x: view.x, y: view.y, ...gridSize(view.width, view.height, dragging && COARSE[coarseness]) },
		layers: layersOf(state, { dragging, count: data.n, truth: known }),
		hide: state.hide,
		reject,
		novelty,
		truth: truth && known && !dragging,
		known_categories: filterOf(state, data),
	};
}

export function lineBody(state, data, view) {
	return { ...common(state, data), feature: data.pair[0], x: view ? view.x : null, known_categories: filterOf(state, data) };
}

/** Codes of a list of the state, one for each feature that holds categories; null: not known. */
const codesOf = (codes, data) =>
	data.categories.map(({ values }, i) => (codes[i] < values.length ? codes[i] : null));

/** The categories that points must have to be shown; null where every point is. */
export function filterOf({ filter }, data) {
	const codes = codesOf(filter, data);
	return codes.some((code) => code !== null) ? codes : null;
}

/** The category of each feature that holds some, as far as the state says that it is known of the point. */
export function categoriesOf(state, data) {
	const shown = filterOf(state, data);
	return codesOf(state.categories, data).map((code, i) => code ?? shown?.[i] ?? null);
}

export function pointBody(state, data, at, known = null) {
	return { ...common(state, data), at, hide: state.hide, known_categories: known };
}
