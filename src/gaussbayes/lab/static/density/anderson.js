// Anderson acceleration of steps that never lower an objective, such as those of EM. The last few steps f = M(x) − x are
// combined so that f would vanish if M were linear; the proposal is accepted only if it does not lower the objective.

import { dotProduct } from "./matrices.js";

/**
 * Iterate a step up to its fixed point; returns the last step, and the objective before each. A step takes parameters
 * to {image, objective, noise}, where noise is the rounding error of the image, or throws if they do not exist.
 */
export function accelerate(step, start, most = 3000) {
	let [x, here, history] = [start, step(start), []];
	let [f, factor, lowest, stalled] = [plusMultiple(here.image, -1, x), 1, Infinity, 0];
	const objectives = [here.objective];
	while (objectives.length < most) {
		// The error of x is up to |Δx| / |Δf| times as large as f.
		const remaining = factor * largestSize(f);
		stalled = remaining < 0.9 * lowest ? 0 : stalled + 1;
		lowest = Math.min(lowest, remaining);
		if (remaining <= 1e-13 || largestSize(f) <= here.noise || stalled >= 40) break;
		const least = here.objective - 1e-13 * (1 + Math.abs(here.objective));
		let [proposed, following] = [combinedStep(x, f, history), null];
		try {
			following = proposed && step(proposed);
		} catch {} // parameters do not exist there
		if (!(following?.objective >= least)) [history, proposed, following] = [[], here.image, step(here.image)];
		const g = plusMultiple(following.image, -1, proposed);
		history = [{ dx: plusMultiple(proposed, -1, x), df: plusMultiple(g, -1, f) }, ...history.slice(0, 7)];
		if (largestSize(g) > 10 * following.noise) {
			factor = Math.max(1, ...history.map(({ dx, df }) => Math.hypot(...dx) / Math.hypot(...df) || 1));
		}
		[x, f, here] = [proposed, g, following];
		objectives.push(here.objective);
	}
	return { last: here, objectives };
}

const plusMultiple = (a, t, b) => a.map((value, i) => value + t * b[i]);
const largestSize = (a) => a.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

/** The point at which f would vanish if it were linear: f = Σ (q·f) q in orthonormal q, each with its change p of x +
 * f. */
function combinedStep(x, f, history) {
	const basis = [];
	for (const { dx, df } of history) {
		let [q, p, size, pass] = [df, plusMultiple(dx, 1, df), Math.hypot(...df), 0];
		for (; pass < 3 && size > (pass && 1e-8); pass++) {
			[q, p] = [q, p].map((vector) => vector.map((value) => value / size));
			for (const known of pass < 2 ? basis : []) {
				const t = -dotProduct(known.q, q);
				[q, p] = [plusMultiple(q, t, known.q), plusMultiple(p, t, known.p)];
			}
			size = Math.hypot(...q);
		}
		if (pass === 3) basis.push({ q, p });
	}
	const step = basis.reduce((rest, { q, p }) => plusMultiple(rest, -dotProduct(q, f), p), f);
	// The last steps describe only the region around them.
	const scale = Math.min(1, 2 / largestSize(step));
	return basis.length && Number.isFinite(scale) ? plusMultiple(x, scale, step) : null;
}
