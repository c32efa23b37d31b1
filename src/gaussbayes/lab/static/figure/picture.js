// What is drawn of a scene, and what lies between two of them while a change is animated.

import { fromParameters } from "../density.js";

const MOST_MOVING = 5000; // points that move from one sample to the next

/** The drawn numbers of a scene: parameters of the model, query, window, points. */
export function pictureOf(scene, window) {
	const { model, table, columns, state } = scene;
	const [x, y] = columns.map((column) => table.columns[column]);
	return { scene, model, window, query: state.query ?? null, x: x ?? [], y: y ?? [], camera: state.camera ?? null };
}

const between = (a, b, t) => (Array.isArray(a) ? a.map((value, i) => between(value, b[i], t)) : a + (b - a) * t);
const sameShape = (a, b) => Array.isArray(a) === Array.isArray(b) && (!Array.isArray(a) || (a.length === b.length && a.every((value, i) => sameShape(value, b[i]))));
const areNumbers = (values) => values?.every((value) => typeof value === "number");

/** A picture between two others, 0 ≤ t ≤ 1; what cannot be mixed is that of the second. */
export function mixedPicture(from, to, t) {
	if (t >= 1) return to;
	const query = areNumbers(from.query) && areNumbers(to.query) && from.query.length === to.query.length ? between(from.query, to.query, t) : to.query;
	const mixed = (a, b) => (a === b || a.length !== b.length || a.length > MOST_MOVING ? b : b.map((value, i) => between(a[i], value, t)));
	const window = to.window && from.window && from.window !== to.window
		? { x: between(from.window.x, to.window.x, t), y: between(from.window.y, to.window.y, t) } : to.window;
	return { ...to, query, window, model: mixedModel(from.model, to.model, t), x: mixed(from.x, to.x), y: mixed(from.y, to.y) };
}

function mixedModel(from, to, t) {
	if (from === to || !from?.factors || !to?.factors || !sameShape([from.priors, from.means], [to.priors, to.means])) return to;
	const tables = (model) => model.probabilities.map(({ table }) => table);
	if (!sameShape(tables(from), tables(to)) || to.numeric.some((column, j) => column !== j)) return to;
	return fromParameters({
		classes: to.classes,
		priors: between(from.priors, to.priors, t),
		means: between(from.means, to.means, t),
		covariances: between(from.covariances, to.covariances, t),
		probabilities: to.probabilities.map(({ levels, table }, q) => ({ levels, table: between(tables(from)[q], table, t) })),
	});
}
