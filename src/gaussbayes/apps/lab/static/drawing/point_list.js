// Changing the points themselves: the dataset becomes a list of points in the state.

import { NO_CODE } from "../answer_reader.js";
import { fittedAgain } from "../state.js";

const MOST = 3000; // more points than this make no address

/** A list of points that grows, moves and shrinks; `null` when there are too many to edit. */
export function pointList(app) {
	const { data, state } = app;
	if (data.n > MOST) {
		app.say(`These are ${data.n.toLocaleString("en")} points: up to ${MOST.toLocaleString("en")} can be changed by hand.`);
		return null;
	}
	return state.data.points ? listed(state.data) : taken(app);
}

function listed({ points, classes, features }) {
	return { points, classes, features, rowOf: (row) => row };
}

/** Rows with a coordinate missing are left out; `loses` says what else than digits is lost. */
function taken(app) {
	const { points, columns, codes, pair, n, classes, features, categories } = app.data;
	const view = app.view();
	const list = [];
	const rows = new Map();
	for (let row = 0; row < n; row++) {
		const place = pair.map((feature) => points[row * columns + feature]);
		if (!place.every(Number.isFinite)) continue;
		rows.set(row, list.length);
		list.push([...view.rounded(place), labelled(codes[row])]);
	}
	const named = pair.map((feature) => features[feature]);
	const gone = n - list.length;
	const lack = gone ? `; ${gone} row${gone === 1 ? "" : "s"} without one of them left out` : "";
	const loses = gone || features.length + categories.length > 2
		? `Now these are points of ${named.join(" and ")} alone, rounded to the screen${lack}. Undo brings the table back.`
		: null;
	return { points: list, classes, features: named, loses, rowOf: (row) => rows.get(row) };
}

/** Put edited points into the state; one step of undo is made on release. */
export function put(app, { points, classes, features, loses }, dragging) {
	if (loses && !app.state.data.points) app.say(loses);
	const grown = classes.length !== app.data.classes.length;
	const { x, y } = app.view();
	const patch = { data: { points, classes, features }, bounds: { x, y }, stream: null };
	if (app.data.features.length > 2) patch.pair = [0, 1];
	if (grown) patch.model = { priors: null, ...fittedAgain(app.state) };
	app.change(patch, { record: !dragging, dragging });
}

export function nextName(classes) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const numbers = classes.every((name) => /^\d+$/.test(name));
	if (numbers) return String(Math.max(...classes.map(Number)) + 1);
	return [...letters].find((name) => !classes.includes(name)) ?? `class ${classes.length + 1}`;
}

const labelled = (code) => (code === NO_CODE ? null : code);

export function added(list, place, code) {
	const known = code === NO_CODE || code < list.classes.length;
	const classes = known ? list.classes : [...list.classes, nextName(list.classes)];
	return { ...list, classes, points: [...list.points, [...place, labelled(code)]] };
}

export function paintedName(app) {
	const code = app.tool.class;
	return code === NO_CODE ? "no class" : app.data.classes[code] ?? "a new class";
}

export function movedTo(list, row, place) {
	const points = list.points.map((point, i) => (i === row ? [...place, point[2]] : point));
	return { ...list, points };
}

export function without(list, rows) {
	const gone = new Set(rows);
	return { ...list, points: list.points.filter((_, i) => !gone.has(i)) };
}
