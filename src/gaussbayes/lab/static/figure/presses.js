// What the buttons of a figure do.

import { addedPoint } from "./dataset.js";
import { random, sample, fromParameters } from "../density.js";

const STEP_TIME = 420; // milliseconds between EM steps that run by themselves
const MOST_STEPS = 200;
const NEW_POINTS = 25;

/** By name: functions of the figure. */
export const PRESSES = {
	step: (figure) => {
		stopRunning(figure);
		figure.set({ step: (figure.state.step ?? 0) + 1 });
	},
	restart: (figure) => {
		stopRunning(figure);
		figure.set({ step: 0 });
	},
	run: (figure) => {
		stopRunning(figure);
		runOn(figure, -Infinity);
	},
	draw: (figure) => {
		const { data } = figure.state;
		const next = data?.draw ? { ...data, draw: { ...data.draw, seed: (data.draw.seed ?? 1) + 1 } } : { ...data, seed: (data?.seed ?? 1) + 1 };
		figure.set({ data: next });
	},
	reset: (figure) => {
		stopRunning(figure);
		figure.whole = null;
		figure.set(Object.fromEntries([...new Set([...Object.keys(figure.state), ...Object.keys(figure.given)])].map((name) => [name, figure.given[name]])));
	},
	"by hand": (figure) => {
		if (figure.scene.model?.factors) figure.set({ model: { parameters: figure.parameters() } });
	},
	"add class": addClass,
};

function stopRunning(figure) {
	clearTimeout(figure.timer);
}

/** EM steps one after the other until the log-likelihood stays. */
function runOn(figure, before) {
	figure.set({ step: (figure.state.step ?? 0) + 1 });
	const now = figure.quantity("em_log_likelihood");
	if (!(now - before > 1e-4) || figure.state.step >= MOST_STEPS) return;
	figure.timer = setTimeout(() => runOn(figure, now), STEP_TIME);
}

/** The next class that is withheld; a new Gaussian among given ones; otherwise new points in an empty place. */
function addClass(figure) {
	const { scene, state } = figure;
	if (scene.table.withheld.length) {
		figure.set({ "data.without": scene.table.withheld.slice(1) });
		return;
	}
	const label = newLabel(scene.classes);
	const { x, y } = figure.state.window ?? figure.wholeWindow();
	const ranges = [x, y].slice(0, scene.columns.length);
	const centre = emptyPlace(scene.model?.means ?? [], ranges);
	const covariance = ranges.map((range, i) => ranges.map((_, j) => (i === j ? ((range[1] - range[0]) / 14) ** 2 : 0)));
	if (state.model?.parameters) {
		const { classes, priors, means, covariances, ...others } = state.model.parameters;
		const rest = priors.map((prior) => (prior * classes.length) / (classes.length + 1));
		const parameters = { ...others, classes: [...classes, label], priors: [...rest, 1 / (classes.length + 1)], means: [...means, centre], covariances: [...covariances, covariance] };
		figure.set({ "model.parameters": parameters });
		return;
	}
	const model = fromParameters({ classes: [label], means: [centre], covariances: [covariance] });
	const { rows } = sample(model, NEW_POINTS, random(scene.classes.length));
	figure.set({ data: rows.reduce((data, row) => addedPoint(data, scene.columns, row, label), state.data) }, { keepWindow: true });
}

/** A label that sorts after the others: the next number or the next letter. */
function newLabel(classes) {
	if (classes.every((label) => typeof label === "number")) return Math.max(0, ...classes) + 1;
	const letter = String.fromCharCode(65 + classes.length);
	return classes.some((label) => String(label) >= letter) ? `new class ${classes.length + 1}` : letter;
}

/** The place of a coarse grid that is farthest from all means, in units of the window. */
function emptyPlace(means, ranges) {
	const places = [0.2, 0.35, 0.5, 0.65, 0.8];
	const all = ranges.reduce((rows) => rows.flatMap((row) => places.map((place) => [...row, place])), [[]]);
	const away = (row) => Math.min(1, ...means.map((mean) => Math.hypot(...row.map((place, i) => place - (mean[i] - ranges[i][0]) / (ranges[i][1] - ranges[i][0])))));
	const best = all.reduce((found, row) => (away(row) > away(found) ? row : found), all[0]);
	return best.map((place, i) => ranges[i][0] + place * (ranges[i][1] - ranges[i][0]));
}
