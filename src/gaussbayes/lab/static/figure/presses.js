// The actions of the buttons of a figure.

import { fromParameters, random, sample } from "../density.js";
import { addedPoints } from "./dataset.js";

const STEP_TIME = 420; // milliseconds between EM steps that run by themselves
const MOST_STEPS = 200;
const NEW_POINTS = 25;

/** By name: functions of the figure. */
export const PRESSES = {
	step: (figure) => figure.set({ step: (figure.state.step ?? 0) + 1 }),
	restart: (figure) => figure.set({ step: 0 }),
	run: (figure) => runOn(figure, -Infinity),
	draw: (figure) => {
		const { data = {} } = figure.state;
		const next = ({ seed = 1, ...others }) => ({ ...others, seed: seed + 1 });
		figure.set({ data: data.draw ? { ...data, draw: next(data.draw) } : next(data) });
	},
	reset: (figure) => {
		const names = new Set([...Object.keys(figure.state), ...Object.keys(figure.given)]);
		figure.whole = null;
		figure.set(Object.fromEntries([...names].map((name) => [name, figure.given[name]])));
	},
	"by hand": (figure) => figure.scene.model?.factors && figure.set({ model: { parameters: figure.parameters() } }),
	"add class": addClass,
};

/** EM steps one after the other until the log-likelihood converges. */
function runOn(figure, before) {
	PRESSES.step(figure);
	const now = figure.quantity("em_log_likelihood");
	if (now - before > 1e-4 && figure.state.step < MOST_STEPS) figure.timer = setTimeout(() => runOn(figure, now), STEP_TIME);
}

/** The next class that is withheld; a new Gaussian among given ones; otherwise new points in an empty place. */
function addClass(figure) {
	const { scene: { table, classes, columns }, state } = figure;
	if (table.withheld.length) return figure.set({ "data.without": table.withheld.slice(1) });
	const label = newLabel(classes);
	const { x, y } = figure.window();
	const ranges = [x, y].slice(0, columns.length);
	const mean = ranges.map(([low, high]) => low + 0.8 * (high - low));
	const covariance = ranges.map(([low, high], i) => ranges.map((_, j) => (i === j ? ((high - low) / 14) ** 2 : 0)));
	const given = state.model?.parameters;
	if (!given) {
		const cloud = fromParameters({ classes: [label], means: [mean], covariances: [covariance] });
		const { rows } = sample(cloud, NEW_POINTS, random(classes.length));
		return figure.set({ data: addedPoints(state.data ?? {}, columns, rows, label) }, { keepWindow: true });
	}
	const k = given.classes.length;
	const priors = [...given.priors.map((prior) => (prior * k) / (k + 1)), 1 / (k + 1)];
	const [means, covariances] = [[...given.means, mean], [...given.covariances, covariance]];
	figure.set({ "model.parameters": { ...given, classes: [...given.classes, label], priors, means, covariances } });
}

/** A label that sorts after the others: the next number or the next letter. */
function newLabel(classes) {
	if (classes.every((label) => typeof label === "number")) return Math.max(0, ...classes) + 1;
	const letter = String.fromCharCode(65 + classes.length);
	return classes.some((label) => String(label) >= letter) ? `new class ${classes.length + 1}` : letter;
}
