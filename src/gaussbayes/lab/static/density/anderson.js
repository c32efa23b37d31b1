// Anderson acceleration of steps that never lower an objective, such as those of EM. The last few steps f = M(x) − x are
// combined so that f would vanish if M were linear; what that proposes is taken only where the objective is no lower.

const MEMORY = 8; // steps that are combined
const LONGEST = 2; // largest entry of a combined step: far from the last ones they say nothing

/**
 * Iterate a step up to its fixed point.
 * @param {function(number[]): {image: number[], objective: number, noise: number}} step `noise` is how much of the image
 *   is rounding; it throws an Error where there are no such parameters
 * @param {number[]} start
 * @param {number} [most] steps
 * @returns {{last: object, objectives: number[]}} the last step, and the objective before each
 */
export function accelerate(step, start, most = 3000) {
	let [x, here, history] = [start, step(start), []];
	let f = subtract(here.image, x);
	let [factor, lowest, stalled] = [1, Infinity, 0];
	const objectives = [here.objective];
	for (let n = 1; n < most; n++) {
		// The error of x is up to |Δx| / |Δf| times as large as f.
		const remaining = factor * largest(f);
		if (remaining <= 1e-13 || largest(f) <= here.noise) break;
		stalled = remaining >= 0.9 * lowest ? stalled + 1 : 0;
		lowest = Math.min(lowest, remaining);
		const slack = 1e-13 * (1 + Math.abs(here.objective));
		if (stalled >= 40 && here.objective - objectives[objectives.length - 40] <= 40 * slack) break;
		let proposed = combine(x, f, history);
		let following = proposed && attempt(step, proposed);
		if (!following || !(following.objective >= here.objective - slack)) {
			history = [];
			proposed = here.image;
			following = step(proposed);
		}
		const g = subtract(following.image, proposed);
		history = [{ dx: subtract(proposed, x), df: subtract(g, f) }, ...history].slice(0, MEMORY);
		if (largest(g) > 10 * following.noise) {
			factor = Math.max(1, ...history.map(({ dx, df }) => Math.hypot(...dx) / Math.hypot(...df) || 1));
		}
		[x, f, here] = [proposed, g, following];
		objectives.push(here.objective);
	}
	return { last: here, objectives };
}

const subtract = (a, b) => a.map((value, i) => value - b[i]);
const minus = (a, t, b) => a.map((value, i) => value - t * b[i]);
const inner = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const largest = (a) => a.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

/** Where f would vanish if it were linear: f = Σ (q·f) q in orthonormal q, each with its change of x and f, p. */
function combine(x, f, history) {
	const basis = [];
	for (const { dx, df } of history) {
		let [q, p] = [df, dx.map((value, i) => value + df[i])];
		for (let pass = 0, size = Math.hypot(...q); pass < 3 && q; pass++) {
			[q, p] = [q, p].map((vector) => vector.map((value) => value / size));
			for (const known of pass < 2 ? basis : []) {
				const t = inner(known.q, q);
				[q, p] = [minus(q, t, known.q), minus(p, t, known.p)];
			}
			size = Math.hypot(...q);
			if (!(size > 1e-8)) q = null;
		}
		if (q) basis.push({ q, p });
	}
	if (!basis.length) return null;
	const step = basis.reduce((rest, { q, p }) => minus(rest, inner(q, f), p), f);
	const scale = Math.min(1, LONGEST / largest(step));
	return Number.isFinite(scale) ? x.map((value, i) => value + scale * step[i]) : null;
}

function attempt(step, x) {
	try {
		return step(x);
	} catch {
		return null;
	}
}
