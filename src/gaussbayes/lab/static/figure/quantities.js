// Quantities by name, for readouts, prose and pages: see the header of figure.js.

import { bayesError, chiSquare, leaveOneOut, lineBoundaries, negativeLogLikelihood, shapley } from "../density.js";
import { neighbourRule, predictedCodes, remembered } from "./scene.js";

const SLOW = /^(bayes_error|leave_one_out_error|neighbour_error|learning\.)/;
const OF_ROWS = /^(n\.|errors?$|test_|data_log_likelihood|nll\.)/;
const MANY = 5000; // rows

/** Whether a quantity takes too long to follow a drag. */
export const isSlow = (scene, name) => SLOW.test(name) || (scene.table.n > MANY && OF_ROWS.test(name));

/** A name in two parts: "posterior.B" → ["posterior", "B"]. */
export const splitName = (name) => [name.split(".", 1)[0], name.slice(name.indexOf(".") + 1 || name.length)];

/** The value of a quantity; NaN where it is not defined (no model, no query, an unknown name). */
export function quantityOf(scene, name) {
	const [kind, rest] = splitName(name);
	if (!Object.hasOwn(QUANTITIES, kind)) return NaN;
	try {
		return QUANTITIES[kind](scene, rest) ?? NaN;
	} catch {
		return NaN; // a model without this quantity, or a row that no class can have
	}
}

/** The place of a class by its label, −1 if there is none. */
export const codeOf = (scene, label) => scene.classes.findIndex((name) => String(name) === label);

/** A class and an index: "A.0" → [0, 0]; without an index the first feature. Labels may have dots themselves. */
export function codeAndIndex(scene, rest) {
	const [at, whole] = [rest.lastIndexOf("."), codeOf(scene, rest)];
	return whole >= 0 ? [whole, 0] : [codeOf(scene, rest.slice(0, at)), Number(rest.slice(at + 1))];
}

function twoCodes(scene, rest) {
	const parts = rest.split(".");
	const pairs = parts.map((_, i) => [parts.slice(0, i), parts.slice(i)].map((words) => codeOf(scene, words.join("."))));
	return pairs.find((pair) => !pair.includes(-1)) ?? [-1, -1];
}

/** The contributions of the features to the log-odds of two classes: those of the spec, or the two most probable ones.
 * */
export function contributionsOf(scene) {
	const { state, model, row } = scene;
	const given = (state.odds ?? []).map((label) => codeOf(scene, String(label)));
	const logs = model.logPosterior(row);
	const order = logs.map((_, c) => c).sort((p, q) => logs[q] - logs[p]);
	const [a, b] = given.length === 2 && !given.includes(-1) ? given : order;
	return { a, b, ...shapley(model, row, a, b) };
}

/** All boundaries on a line at which the most probable class changes, sorted. */
export function boundariesOf({ model, memo = {} }) {
	return remembered(memo, "boundaries", [model], () => {
		const places = model.classes.map((_, c) => c);
		const pairs = places.flatMap((a) => places.slice(0, a).map((b) => [b, a]));
		const isHighest = (x, a, b) => model.logJoint([x]).every((value, c, joint) => c === a || c === b || value <= joint[a]);
		return pairs.flatMap(([a, b]) => lineBoundaries(model, a, b).filter((x) => isHighest(x, a, b))).sort((p, q) => p - q);
	});
}

/** The number and the proportion of rows that are misclassified among those that `isCounted(i)`. */
function countWrong(scene, isCounted, byNeighbours = false) {
	const isShown = Boolean(scene.layers.neighbours) === byNeighbours;
	const other = () => ({ ...scene, memo: {}, layers: { ...scene.layers, neighbours: byNeighbours } });
	const predicted = predictedCodes(isShown ? scene : other());
	const counted = Array.from(scene.codes.keys()).filter((i) => scene.codes[i] >= 0 && predicted[i] >= 0 && isCounted(i));
	const wrong = counted.filter((i) => predicted[i] !== scene.codes[i]).length;
	return { wrong, share: counted.length ? wrong / counted.length : NaN };
}

const ofTraining = (scene) => countWrong(scene, (i) => !scene.held?.[i]);
const ofTest = (scene) => countWrong(scene, (i) => scene.held?.[i]);

/** Rows and labels that are not held out. */
function trainingRows({ rows, table, held }) {
	const taken = (values) => (held ? values.filter((_, i) => !held[i]) : values);
	return [taken(rows()), taken(table.labels)];
}

function leaveOneOutError(scene) {
	const { memo, rows, held, state, names } = scene;
	return remembered(memo, "leave one out", [rows, held, state.model], () => {
		const { errors, n } = leaveOneOut(...trainingRows(scene), { ...state.model, features: names });
		return errors / n;
	});
}

function dataLogLikelihood({ model, rows, codes, held }) {
	const terms = rows().map((row, i) => (held?.[i] ? 0 : codes[i] < 0 ? model.logEvidence(row) : model.logJoint(row)[codes[i]]));
	return terms.length ? terms.reduce((sum, term) => sum + term, 0) : NaN;
}

/** A quantity of a class, by a method of the model or by its parameters. */
const ofClass = (method) => (scene, rest) => scene.model[method](scene.row)[codeOf(scene, rest)];
const ofMoments = (read) => (scene, rest) => read(scene.model, ...codeAndIndex(scene, rest));

const QUANTITIES = {
	prior: (scene, rest) => scene.model.priors[codeOf(scene, rest)],
	likelihood: (...of) => Math.exp(ofClass("logLikelihood")(...of)),
	log_likelihood: ofClass("logLikelihood"),
	joint: (...of) => Math.exp(ofClass("logJoint")(...of)),
	evidence: ({ model, row }) => Math.exp(model.logEvidence(row)),
	log_evidence: ({ model, row }) => model.logEvidence(row),
	posterior: ofClass("posterior"),
	log_odds: (scene, rest) => scene.model.logOdds(scene.row, ...twoCodes(scene, rest)),
	squared_distance: ofClass("squaredDistance"),
	distance: (...of) => Math.sqrt(ofClass("squaredDistance")(...of)),
	p_value: (scene, rest) => chiSquare(ofClass("squaredDistance")(scene, rest), scene.row.filter(Number.isFinite).length),
	mean: ofMoments(({ means }, c, i) => means[c][i]),
	variance: ofMoments(({ covariances }, c, i) => covariances[c][i][i]),
	sd: ofMoments(({ covariances }, c, i) => Math.sqrt(covariances[c][i][i])),
	covariance: ofMoments(({ covariances }, c) => covariances[c][0][1]),
	correlation: ofMoments(({ correlations }, c) => correlations[c][0][1]),
	boundary: (scene, rest) => boundariesOf(scene)[Number(rest)],
	n: (scene, rest) => (rest ? scene.codes.filter((code) => code === codeOf(scene, rest)).length : scene.table.n),
	errors: (scene) => ofTraining(scene).wrong,
	error: (scene) => ofTraining(scene).share,
	test_errors: (scene) => ofTest(scene).wrong,
	test_error: (scene) => ofTest(scene).share,
	bayes_error: ({ memo, model }) => remembered(memo, "bayes error", [model], () => bayesError(model)),
	leave_one_out_error: leaveOneOutError,
	data_log_likelihood: dataLogLikelihood,
	nll: (scene, rest) => negativeLogLikelihood(scene.model, ...trainingRows(scene))[rest],
	n_parameters: ({ model }) => model.nParameters,
	query: ({ state }, rest) => state.query[Number(rest)],
	k: ({ state }) => state.neighbours ?? 5,
	vote: (scene, rest) => neighbourRule(scene).vote(scene.row)[codeOf(scene, rest)],
	neighbour_error: (scene) => countWrong(scene, (i) => !scene.held || scene.held[i], true).share,
	em_step: ({ state, model }) => state.step ?? model.steps.length,
	em_log_likelihood: ({ model }) => model.steps.at(-1),
	contribution: (scene, rest) => contributionsOf(scene).contributions[Number(rest)],
	base: (scene) => contributionsOf(scene).base,
	learning: ({ memo, state }, rest) => memo.learning?.at(state.learning?.size)?.[rest],
};
