// Dotted paths into a spec, and names that stand for several of its numbers: prior.B, mean.A.0, likelihood.C, …

import { codeAndIndex, codeOf, quantityOf, splitName } from "./quantities.js";

const NAMED = ["prior", "likelihood", "mean", "sd", "variance", "correlation", "covariance"];
const FORBIDDEN = ["__proto__", "constructor", "prototype"];

/** Whether a path is a name of a quantity. */
export const isNamed = (path) => NAMED.includes(splitName(path)[0]);

/** The value at a path; a name of a quantity gives its value. */
export function readPath(scene, path) {
	if (isNamed(path)) return quantityOf(scene, path);
	const { state, layers } = scene;
	return path.split(".").reduce((value, key) => value?.[key], { ...state, layers });
}

/** A copy of a plain value with another value at a path; members outside the path stay the same objects. */
function replaced(value, [key, ...rest], put) {
	if (key === undefined) return put;
	if (FORBIDDEN.includes(key)) throw new Error(`“${key}” cannot be set.`);
	const copy = Array.isArray(value) ? [...value] : { ...value };
	copy[key] = replaced(copy[key], rest, put);
	return copy;
}

/** The state with another value at a path. */
export function writePath(scene, path, put) {
	const { state } = scene;
	const [kind, rest] = splitName(path);
	if (kind === "query" && rest) return { ...state, query: replaced(state.query ?? [], [rest], put) };
	if (!isNamed(path)) return replaced(state, path.split("."), put);
	const given = state.model?.parameters;
	const code = codeOf(scene, rest);
	if (kind === "prior") {
		const priors = rescaled(scene.model.priors, code, put);
		return replaced(state, given ? ["model", "parameters", "priors"] : ["model", "priors"], priors);
	}
	if (!given) throw new Error(`“${path}” cannot be set: the model is fitted to the data.`);
	if (kind === "likelihood") {
		const [{ levels, table }] = given.probabilities;
		const likelihoods = rescaled(table[code], levels.indexOf(scene.row[0]), put);
		return replaced(state, ["model", "parameters", "probabilities", 0, "table", code], likelihoods);
	}
	return withMoment(scene, kind, codeAndIndex(scene, rest), put);
}

/** Probabilities with another one at a place; the others keep their ratios. */
export function rescaled(probabilities, place, value) {
	const others = 1 - probabilities[place];
	const put = Math.min(Math.max(value, 0), 1);
	const share = (probability) => (others > 0 ? (probability * (1 - put)) / others : (1 - put) / (probabilities.length - 1));
	return probabilities.map((probability, i) => (i === place ? put : share(probability)));
}

/** Another mean, variance, standard deviation (correlations stay), covariance or correlation of a class. */
function withMoment({ state, model }, kind, [code, i], value) {
	const path = ["model", "parameters"];
	if (kind === "mean") return replaced(state, [...path, "means", code, i], value);
	const sigma = model.covariances[code].map((row) => [...row]);
	if (kind === "sd" || kind === "variance") {
		const factor = (kind === "sd" ? value : Math.sqrt(value)) / Math.sqrt(sigma[i][i]);
		for (const j of sigma.keys()) for (const [p, q] of [[i, j], [j, i]]) sigma[p][q] *= factor;
	} else {
		const product = Math.sqrt(sigma[0][0] * sigma[1][1]);
		const wanted = kind === "correlation" ? value * product : value;
		sigma[0][1] = sigma[1][0] = Math.min(Math.max(wanted, -0.999 * product), 0.999 * product);
	}
	return replaced(state, [...path, "covariances", code], sigma);
}
