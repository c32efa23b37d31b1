// Dotted paths into a spec, and names that stand for several of its numbers: prior.B, mean.A.0, likelihood.C, …

import { codeOf, quantityOf } from "./quantities.js";
import { layersOf } from "./scene.js";

const NAMED = ["prior", "likelihood", "mean", "sd", "variance", "correlation", "covariance"];
const FORBIDDEN = ["__proto__", "constructor", "prototype"];

/** The value at a path; a name of a quantity gives its value. */
export function readPath(scene, path) {
	const [first, second] = path.split(".");
	if (NAMED.includes(first)) return quantityOf(scene, path);
	if (first === "layers" && second) return layersOf(scene.state)[second];
	return path.split(".").reduce((value, key) => value?.[key], scene.state);
}

/** A copy of a plain value with another value at a path; what is not on the path stays the same object. */
export function replaced(value, keys, put) {
	if (!keys.length) return put;
	const [key, ...rest] = keys;
	if (FORBIDDEN.includes(key)) throw new Error(`“${key}” cannot be set.`);
	const copy = Array.isArray(value) ? [...value] : { ...(value ?? {}) };
	copy[key] = replaced(copy[key], rest, put);
	return copy;
}

/** The state with another value at a path. */
export function writePath(scene, path, put) {
	const keys = path.split(".");
	const { state } = scene;
	if (!NAMED.includes(keys[0])) return keys[0] === "query" && !state.query ? { ...state, query: replaced([], keys.slice(1), put) } : replaced(state, keys, put);
	const rest = path.slice(keys[0].length + 1);
	if (keys[0] === "prior") return withPriors(state, rescaled(scene.model.priors, codeOf(scene, rest), put));
	if (keys[0] === "likelihood") return withLikelihood(scene, codeOf(scene, rest), put);
	return withMoment(scene, keys[0], rest, put);
}

/** Other priors, of given parameters or instead of those that are fitted. */
export const withPriors = (state, priors) => replaced(state, state.model?.parameters ? ["model", "parameters", "priors"] : ["model", "priors"], priors);

/** Probabilities with another one at a place; the others keep their ratios. */
export function rescaled(probabilities, place, value) {
	const others = 1 - probabilities[place];
	const put = Math.min(Math.max(value, 0), 1);
	return probabilities.map((probability, i) => {
		if (i === place) return put;
		return others > 0 ? (probability * (1 - put)) / others : (1 - put) / (probabilities.length - 1);
	});
}

/** Another probability of the query's category in a class, where there is one categorical feature with given parameters. */
function withLikelihood({ state, row }, code, value) {
	const [{ levels, table }] = state.model.parameters.probabilities;
	const put = rescaled(table[code], levels.indexOf(row[0]), value);
	return replaced(state, ["model", "parameters", "probabilities", 0, "table", code], put);
}

/** Another mean, variance, standard deviation, covariance or correlation of a class with given parameters. */
function withMoment(scene, kind, rest, value) {
	const whole = codeOf(scene, rest);
	const at = rest.lastIndexOf(".");
	const [code, i] = whole >= 0 ? [whole, 0] : [codeOf(scene, rest.slice(0, at)), Number(rest.slice(at + 1))];
	const parameters = ["model", "parameters"];
	if (!scene.state.model?.parameters || code < 0) throw new Error(`“${kind}.${rest}” cannot be set: the model is fitted to the data.`);
	if (kind === "mean") return replaced(scene.state, [...parameters, "means", code, i], value);
	const sigma = scene.model.covariances[code];
	const scales = sigma.map((row, j) => (j === i && kind !== "correlation" && kind !== "covariance" ? factorOf(kind, value, row[j]) : 1));
	const scaled = sigma.map((row, p) => row.map((entry, q) => entry * scales[p] * scales[q]));
	if (kind === "correlation" || kind === "covariance") {
		const product = Math.sqrt(sigma[0][0] * sigma[1][1]);
		const most = 0.999 * product;
		scaled[0][1] = scaled[1][0] = Math.min(Math.max(kind === "correlation" ? value * product : value, -most), most);
	}
	return replaced(scene.state, [...parameters, "covariances", code], scaled);
}

/** What a standard deviation is multiplied by; correlations stay. */
const factorOf = (kind, value, variance) => (kind === "sd" ? value / Math.sqrt(variance) : Math.sqrt(value / variance));
