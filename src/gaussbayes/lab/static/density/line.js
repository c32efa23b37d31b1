// One feature: points at which two classes are equally probable, and the error of the best rule.

import { LOG_TWO_PI, normalBetween } from "./gaussian.js";
import { dotProduct } from "./matrices.js";
import { largestPlace } from "./model.js";

/**
 * The points at which classes a and b of a model of one feature are equally probable, sorted: two, one or none. If
 * variances differ, the wider class wins again far from both means.
 */
export function lineBoundaries({ numeric, anchors, offsets, covariances, priors }, a, b) {
	if (numeric.length !== 1) throw new Error("single points are boundaries of a model of one feature");
	const [sa, sb] = [a, b].map((c) => Math.sqrt(covariances[c][0][0]));
	const between = anchors[b][0] - anchors[a][0] + (offsets[b][0] - offsets[a][0]);
	const constant = Math.log(priors[a]) - Math.log(priors[b]);
	return equalPoints(sa, sb, between, constant).map((v) => anchors[a][0] + (offsets[a][0] + v));
}

/**
 * Where log N(v; 0, sa²) − log N(v; between, sb²) + constant is 0, sorted. In units of sb, with r = sb / sa and the
 * means Δ apart, these are roots of ½ (1 − r²) v² − Δ v + (c + ½ Δ²), c = constant + log r.
 */
function equalPoints(sa, sb, between, constant) {
	const [ratio, apart] = [sb / sa, between / sb];
	const c = constant + Math.log(ratio);
	const [half, level] = [0.5 * (1 - ratio) * (1 + ratio), c + 0.5 * apart * apart];
	// The two large squares of the discriminant are cancelled analytically. Only the sum −b ± √… without cancellation is
	// computed; the other root is the constant divided by it.
	const root = Math.sqrt((ratio * apart) ** 2 - 4 * half * c);
	const larger = half === 0 ? apart : 0.5 * (apart + (apart < 0 ? -root : root));
	const roots = larger === 0 && half !== 0 ? [0] : [level / larger, ...(half === 0 || root === 0 ? [] : [larger / half])];
	return roots.filter(Number.isFinite).map((v) => v * sb).sort((p, q) => p - q);
}

/**
 * The error rate of the most probable class if the model, of one or two numeric features, is right. Along the last
 * feature the boundaries are known, so that normal probabilities are added; along the other one each class is
 * integrated with this number of nodes, in units of its standard deviation.
 */
export function bayesError({ priors, anchors, offsets, covariances, correlations, numeric, categorical }, nodes = 201) {
	const d = numeric.length;
	if (!(d === 1 || d === 2) || categorical.length) throw new Error("the Bayes error needs one or two features");
	const place = (c, j) => [anchors[c][j] - anchors[0][j] + offsets[c][j], Math.sqrt(covariances[c][j][j])];
	const slope = (c) => (d === 2 ? correlations[c][0][1] : 0);
	const all = priors.map((prior, c) => ({ prior, first: place(c, 0), last: place(c, d - 1), slope: slope(c) }));
	const classes = all.filter(({ prior }) => prior > 0);
	if (d === 1) {
		const parts = classes.map(({ prior, last: [mean, deviation] }) => ({ log: Math.log(prior), mean, deviation }));
		return dotProduct(wrongProportions(parts), classes.map(({ prior }) => prior));
	}
	const step = 18 / (nodes - 1);
	let error = 0;
	classes.forEach(({ prior, first }, i) => {
		for (let z = -9; z < 9 + step / 2; z += step) {
			const along = classes.map((other) => {
				const unit = (first[0] + first[1] * z - other.first[0]) / other.first[1];
				const mean = other.last[0] + other.slope * other.last[1] * unit;
				const log = Math.log(other.prior / other.first[1]) - 0.5 * unit ** 2;
				return { log, mean, deviation: other.last[1] * Math.sqrt(1 - other.slope ** 2) };
			});
			error += prior * Math.exp(-0.5 * (z * z + LOG_TWO_PI)) * step * wrongProportions(along)[i];
		}
	});
	return error;
}

/** The proportion of each weighted normal density in the region in which another one is larger. */
function wrongProportions(parts) {
	const points = parts.flatMap((a, i) => parts.slice(i + 1).flatMap((b) => {
		return equalPoints(a.deviation, b.deviation, b.mean - a.mean, a.log - b.log).map((v) => a.mean + v);
	})).sort((p, q) => p - q);
	const widest = Math.max(...parts.map(({ deviation }) => deviation));
	const wrong = parts.map(() => 0);
	[-Infinity, ...points].forEach((low, i) => {
		const high = points[i] ?? Infinity;
		const [starts, ends] = [low, high].map(Number.isFinite);
		const at = starts && ends ? (low + high) / 2 : starts ? low + widest : ends ? high - widest : 0;
		const score = ({ log, mean, deviation }) => log - Math.log(deviation) - 0.5 * ((at - mean) / deviation) ** 2;
		const best = largestPlace(parts.map(score));
		parts.forEach(({ mean, deviation }, c) => {
			if (c !== best) wrong[c] += normalBetween((low - mean) / deviation, (high - mean) / deviation);
		});
	});
	return wrong;
}
