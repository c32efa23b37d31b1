// The drawn numbers of a scene, and interpolation between two scenes during an animation.

import { fromParameters } from "../density.js";

const MOST_MOVING = 5000; // points that move from one sample to the next

/** The drawn numbers of a scene: parameters of the model, query, window, points. */
export function drawingOf(scene, window) {
	const { columns, table, model, view, state: { query = null } } = scene;
	const [x = [], y = []] = columns.map((column) => table.columns[column]);
	const isPlace = view === "areas" || view === "bars" || columns.every((_, i) => Number.isFinite(query?.[i]));
	return { scene, model, window, query: isPlace ? query : null, x, y };
}

const between = (a, b, t) => (Array.isArray(a) ? a.map((value, i) => between(value, b[i], t)) : a + (b - a) * t);
const shapeOf = (value) => (Array.isArray(value) ? `[${value.map(shapeOf)}]` : typeof value);

/** A drawing between two others, 0 ≤ t ≤ 1; values that cannot be interpolated are those of the second. */
export function mixedDrawing(from, to, t) {
	if (t >= 1) return to;
	const areNumbers = (shape) => !/[a-z]/.test(shape.replaceAll("number", ""));
	const mixed = (a, b) => (shapeOf(a) === shapeOf(b) && areNumbers(shapeOf(a)) ? between(a, b, t) : b);
	const isMoving = (a, b) => a !== b && a.length === b.length && b.length <= MOST_MOVING;
	const moved = (a, b) => (isMoving(a, b) ? b.map((value, i) => between(a[i], value, t)) : b);
	const [x, y] = [moved(from.x, to.x), moved(from.y, to.y)];
	const window = { x: mixed(from.window.x, to.window.x), y: mixed(from.window.y, to.window.y) };
	return { ...to, window, query: mixed(from.query, to.query), model: mixedModel(from.model, to.model, t), x, y };
}

const parametersOf = (model) => [model.priors, model.means, model.covariances, model.probabilities.map(({ table }) => table)];

function mixedModel(from, to, t) {
	if (from === to || !from?.factors || !to?.factors || to.numeric.some((column, j) => column !== j)) return to;
	const [before, after] = [parametersOf(from), parametersOf(to)];
	if (shapeOf(before) !== shapeOf(after)) return to;
	const [priors, means, covariances, tables] = between(before, after, t);
	const probabilities = to.probabilities.map(({ levels }, q) => ({ levels, table: tables[q] }));
	return fromParameters({ classes: to.classes, priors, means, covariances, probabilities });
}
