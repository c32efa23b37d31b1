// Quantities by name, for readouts, prose and pages: see the header of figure.js.

import { bayesError, chiSquare, leaveOneOut, lineBoundaries, negativeLogLikelihood, shapley } from "../density.js";
import { neighbourRule, predictedCodes, remembered } from "./scene.js";

const SLOW = /^(bayes_error|leave_one_out_error|neighbour_error|learning\.)/;
const DATA = /^(n\.|errors?$|test_|data_log_likelihood|nll\.)/;
const SLOW_ROWS = 5000;

/** Whether a quantity takes too long to follow a drag. */
export const isSlow = (scene, name) => SLOW.test(name) || (scene.table.n > SLOW_ROWS && DATA.test(name));

/**
 * The value of a quantity; NaN where it is not defined (no model, no query, an unknown name).
 * @param {object} scene
 * @param {string} name
 */
export function quantityOf(scene, name) {
	const at = name.indexOf(".");
	const [kind, rest] = at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at + 1)];
	if (!Object.hasOwn(QUANTITIES, kind)) return NaN;
	try {
		return QUANTITIES[kind](scene, rest) ?? NaN;
	} catch {
		return NaN; // a model without this quantity, or a row that no class can have
	}
}

/** The place of a class by its label, −1 if there is none. */
export const codeOf = (scene, label) => scene.classes.findIndex((name) => String(name) === label);

/** A class and an index: "A.0" → [0, 0]; without an index the first feature. */
function codeAndIndex(scene, rest) {
	const whole = codeOf(scene, rest);
	if (whole >= 0) return [whole, 0];
	const at = rest.lastIndexOf(".");
	return [codeOf(scene, rest.slice(0, at)), Number(rest.slice(at + 1))];
}

/** Two classes: "A.B" → [0, 1], labels that have dots themselves among them. */
function twoCodes(scene, rest) {
	const parts = rest.split(".");
	for (let i = 1; i < parts.length; i++) {
		const pair = [parts.slice(0, i), parts.slice(i)].map((words) => codeOf(scene, words.join(".")));
		if (!pair.includes(-1)) return pair;
	}
	return [-1, -1];
}

/** The two classes of the log-odds: those of the spec, or the most probable and the next one. */
export function oddsOf(scene) {
	const given = (scene.state.odds ?? []).map((label) => codeOf(scene, String(label)));
	if (given.length === 2 && !given.includes(-1)) return given;
	const logs = scene.model.logPosterior(scene.row);
	return logs.map((_, c) => c).sort((a, b) => logs[b] - logs[a]).slice(0, 2);
}

/** What each feature adds to the log-odds at the query. */
export const contributionsOf = (scene) => {
	const [a, b] = oddsOf(scene);
	return { a, b, ...shapley(scene.model, scene.row, a, b) };
};

/** All boundaries on a line at which the most probable class changes, sorted. */
export function boundariesOf({ model }) {
	if (!model?.factors || model.numeric.length !== 1) return [];
	const found = [];
	model.classes.forEach((_, a) => {
		for (let b = 0; b < a; b++) {
			for (const x of lineBoundaries(model, b, a)) {
				const joint = model.logJoint([x]);
				if (joint.every((value, c) => c === a || c === b || value <= joint[a])) found.push(x);
			}
		}
	});
	return found.sort((p, q) => p - q);
}

const each = (method) => (scene, rest) => scene.model[method](scene.row)[codeOf(scene, rest)];
const covarianceAt = (scene, c, i, j) => scene.model.covariances[c][i][j];

/** Rows whose predicted class is wrong among those that `isCounted(i)`: {wrong, all}. */
export function countWrong(scene, isCounted) {
	const predicted = predictedCodes(scene);
	const counts = { wrong: 0, all: 0 };
	for (let i = 0; predicted && i < scene.codes.length; i++) {
		if (scene.codes[i] < 0 || predicted[i] < 0 || !isCounted(i)) continue;
		counts.all += 1;
		if (predicted[i] !== scene.codes[i]) counts.wrong += 1;
	}
	return counts;
}

const trainingErrors = (scene) => countWrong(byModel(scene), (i) => !scene.held?.[i]);
const testErrors = (scene) => countWrong(byModel(scene), (i) => scene.held?.[i]);
const byModel = (scene) => (scene.layers.neighbours ? { ...scene, memo: {}, layers: { ...scene.layers, neighbours: false } } : scene);
const share = ({ wrong, all }) => (all ? wrong / all : NaN);
const training = ({ table, held }, values) => (held ? values.filter((_, i) => !held[i]) : values);

function leaveOneOutError(scene) {
	const { memo, table, rows, held, state, columns } = scene;
	return remembered(memo, "leave one out", [table, rows, held, state.model], () => {
		const { errors, n } = leaveOneOut(training(scene, rows()), training(scene, table.labels), { ...state.model, features: columns.map((j) => table.names[j]) });
		return errors / n;
	});
}

function dataLogLikelihood({ model, rows, codes, table, held }) {
	return rows().reduce((sum, row, i) => {
		if (held?.[i]) return sum;
		return sum + (codes[i] < 0 ? model.logEvidence(row) : model.logJoint(row)[codes[i]]);
	}, table.n ? 0 : NaN);
}

const QUANTITIES = {
	prior: (scene, rest) => scene.model.priors[codeOf(scene, rest)],
	likelihood: (scene, rest) => Math.exp(each("logLikelihood")(scene, rest)),
	log_likelihood: each("logLikelihood"),
	joint: (scene, rest) => Math.exp(each("logJoint")(scene, rest)),
	evidence: (scene) => Math.exp(scene.model.logEvidence(scene.row)),
	log_evidence: (scene) => scene.model.logEvidence(scene.row),
	posterior: each("posterior"),
	log_odds: (scene, rest) => scene.model.logOdds(scene.row, ...twoCodes(scene, rest)),
	squared_distance: each("squaredDistance"),
	distance: (scene, rest) => Math.sqrt(each("squaredDistance")(scene, rest)),
	p_value: (scene, rest) => chiSquare(each("squaredDistance")(scene, rest), scene.row.filter((value) => typeof value === "number").length),
	mean: (scene, rest) => {
		const [c, i] = codeAndIndex(scene, rest);
		return scene.model.means[c][i];
	},
	variance: (scene, rest) => {
		const [c, i] = codeAndIndex(scene, rest);
		return covarianceAt(scene, c, i, i);
	},
	sd: (scene, rest) => Math.sqrt(QUANTITIES.variance(scene, rest)),
	covariance: (scene, rest) => covarianceAt(scene, codeOf(scene, rest), 0, 1),
	correlation: (scene, rest) => scene.model.correlations[codeOf(scene, rest)][0][1],
	boundary: (scene, rest) => remembered(scene.memo, "boundaries", [scene.model], () => boundariesOf(scene))[Number(rest)],
	n: ({ table, codes, ...scene }, rest) => (rest ? codes.filter((code) => code === codeOf(scene, rest)).length : table.n),
	errors: (scene) => trainingErrors(scene).wrong,
	error: (scene) => share(trainingErrors(scene)),
	test_errors: (scene) => testErrors(scene).wrong,
	test_error: (scene) => share(testErrors(scene)),
	bayes_error: ({ memo, model }) => remembered(memo, "bayes error", [model], () => bayesError(model)),
	leave_one_out_error: leaveOneOutError,
	data_log_likelihood: dataLogLikelihood,
	nll: (scene, rest) => negativeLogLikelihood(scene.model, training(scene, scene.rows()), training(scene, scene.table.labels))[rest],
	n_parameters: ({ model }) => model.nParameters,
	query: ({ state }, rest) => state.query[Number(rest)],
	k: ({ state }) => state.neighbours ?? 5,
	vote: (scene, rest) => neighbourRule(scene).vote(scene.row)[codeOf(scene, rest)],
	neighbour_error: (scene) =>
		share(countWrong({ ...scene, memo: {}, layers: { ...scene.layers, neighbours: true } }, (i) => (scene.held ? scene.held[i] : true))),
	em_step: ({ state, model }) => state.step ?? model.steps.length,
	em_log_likelihood: ({ model }) => model.steps.at(-1),
	contribution: (scene, rest) => contributionsOf(scene).contributions[Number(rest)],
	base: (scene) => contributionsOf(scene).base,
	learning: ({ memo, state }, rest) => memo.learning?.at(state.learning?.size)?.[rest],
};
