// One feature: where two classes are equally probable, and how often the best rule errs.

import { LOG_TWO_PI, normalBetween } from "./gaussian.js";
import { largestPlace } from "./model.js";

/**
 * The points at which two classes are equally probable; one feature.
 * @param {object} model of one feature
 * @param {number} a place of a class
 * @param {number} b place of another
 * @returns {number[]} sorted: two, one or none; where variances differ the wider class wins again far out
 */
export function lineBoundaries(model, a, b) {
	if (model.numeric.length !== 1) throw new Error("single points are boundaries of a model of one feature");
	const [sa, sb] = [a, b].map((c) => Math.sqrt(model.covariances[c][0][0]));
	const between = model.anchors[b][0] - model.anchors[a][0] + (model.offsets[b][0] - model.offsets[a][0]);
	const constant = Math.log(model.priors[a]) - Math.log(model.priors[b]);
	return equalPoints(sa, sb, between, constant).map((v) => model.anchors[a][0] + (model.offsets[a][0] + v));
}

/**
 * Where log N(v; 0, sa²) − log N(v; between, sb²) + constant is 0, sorted. In units of sb, with r = sb / sa and the
 * means Δ apart, these are roots of ½ (1 − r²) v² − Δ v + (c + ½ Δ²), c = constant + log r.
 */
function equalPoints(sa, sb, between, constant) {
	const ratio = sb / sa;
	const apart = between / sb;
	const c = constant + Math.log(ratio);
	if (!Number.isFinite(c)) return [];
	const half = 0.5 * (1 - ratio) * (1 + ratio);
	const level = c + 0.5 * apart * apart;
	let roots;
	if (half === 0) {
		roots = apart === 0 ? [] : [level / apart];
	} else {
		// The two large squares of the discriminant are cancelled by hand.
		const discriminant = (ratio * apart) ** 2 - 4 * half * c;
		if (discriminant < 0) return [];
		const larger = 0.5 * (apart + (apart < 0 ? -1 : 1) * Math.sqrt(discriminant));
		if (larger === 0) roots = [0];
		else roots = discriminant === 0 ? [level / larger] : [level / larger, larger / half];
	}
	return roots.filter(Number.isFinite).map((v) => v * sb).sort((p, q) => p - q);
}

/**
 * How often the most probable class is wrong if the model is right; models of one or two features that hold numbers.
 * Along one feature the boundaries are known, so that nothing but normal probabilities is added; along the other one
 * the rows of each class are integrated in units of its own deviation.
 * @param {object} model
 * @param {number} [nodes] of the integral over the first of two features
 * @returns {number}
 */
export function bayesError(model, nodes = 401) {
	const d = model.numeric.length;
	if (!(d === 1 || d === 2) || model.categorical.length) throw new Error("the Bayes error needs one or two features");
	const place = (c, j) => model.anchors[c][j] - model.anchors[0][j] + model.offsets[c][j];
	const possible = model.classes.map((_, c) => c).filter((c) => model.priors[c] > 0);
	const last = possible.map((c) => Math.sqrt(model.covariances[c][d - 1][d - 1]));
	if (d === 1) {
		const wrong = wrongProportions(possible.map((c) => Math.log(model.priors[c])), possible.map((c) => place(c, 0)), last);
		return wrong.reduce((sum, proportion, i) => sum + proportion * model.priors[possible[i]], 0);
	}
	const first = possible.map((c) => Math.sqrt(model.covariances[c][0][0]));
	const correlation = possible.map((c) => model.correlations[c][0][1]);
	const rest = possible.map((_, i) => last[i] * Math.sqrt(1 - correlation[i] ** 2));
	const step = 18 / (nodes - 1);
	let error = 0;
	possible.forEach((c, i) => {
		for (let node = 0; node < nodes; node++) {
			const z = node * step - 9;
			const x = place(c, 0) + first[i] * z;
			const units = possible.map((b, j) => (x - place(b, 0)) / first[j]);
			const logWeights = possible.map((b, j) => Math.log(model.priors[b] / first[j]) - 0.5 * units[j] ** 2);
			const means = possible.map((b, j) => place(b, 1) + correlation[j] * last[j] * units[j]);
			const weight = model.priors[c] * Math.exp(-0.5 * (z * z + LOG_TWO_PI)) * step;
			error += weight * wrongProportions(logWeights, means, rest)[i];
		}
	});
	return error;
}

/** Of the rows of each of several weighted normal densities, the proportion that lies where another is larger. */
function wrongProportions(logWeights, means, deviations) {
	const k = means.length;
	const points = [-Infinity, Infinity];
	for (let a = 0; a < k; a++) {
		for (let b = a + 1; b < k; b++) {
			const between = means[b] - means[a];
			for (const v of equalPoints(deviations[a], deviations[b], between, logWeights[a] - logWeights[b])) {
				points.push(means[a] + v);
			}
		}
	}
	points.sort((p, q) => p - q);
	const wrong = new Array(k).fill(0);
	const widest = Math.max(...deviations);
	for (let i = 0; i + 1 < points.length; i++) {
		const [low, high] = [points[i], points[i + 1]];
		if (low === high) continue;
		const middle = Math.max(low, Math.min(high, low === -Infinity ? high - widest : low + widest));
		const at = high === Infinity || low === -Infinity ? (Number.isFinite(middle) ? middle : 0) : (low + high) / 2;
		const best = largestPlace(
			means.map((mean, c) => logWeights[c] - Math.log(deviations[c]) - 0.5 * ((at - mean) / deviations[c]) ** 2),
		);
		for (let c = 0; c < k; c++) {
			if (c !== best) wrong[c] += normalBetween((low - means[c]) / deviations[c], (high - means[c]) / deviations[c]);
		}
	}
	return wrong;
}
