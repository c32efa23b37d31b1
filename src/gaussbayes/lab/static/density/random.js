// Random numbers from a seed, and rows drawn from a model.

import { cholesky, correlationOf, timesMatrix, totalOf } from "./matrices.js";

/** A generator of numbers in [0, 1), `uniform()`, and of standard normal ones, `normal()`: the same for the same seed. */
export function random(seed) {
	// Small fast counter (sfc32): three words of state and a counter.
	let [a, b, c, counter] = [0x9e3779b9 | 0, seed | 0, (seed / 4294967296) | 0, 1];
	const word = () => {
		const sum = (a + b + counter++) | 0;
		a = b ^ (b >>> 9);
		b = (c + (c << 3)) | 0;
		c = (((c << 21) | (c >>> 11)) + sum) | 0;
		return sum >>> 0;
	};
	for (let i = 0; i < 15; i++) word();
	const uniform = () => ((word() >>> 5) * 67108864 + (word() >>> 6)) / 9007199254740992;
	// Box and Muller: a random radius and angle.
	const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
	return { uniform, normal };
}

/** Rows drawn from a model, with their labels: n in all, or an array with the number of each class; see `random`. */
export function sample(model, n, generator) {
	const factors = model.covariances.map((covariance) => cholesky(correlationOf(covariance)));
	const codes = Array.isArray(n)
		? n.flatMap((count, c) => new Array(count).fill(c))
		: Array.from({ length: n }, () => drawCode(model.priors, generator));
	const rows = codes.map((c) => {
		const row = [];
		timesMatrix(factors[c], model.numeric.map(() => generator.normal())).forEach((z, j) => {
			row[model.numeric[j]] = model.means[c][j] + z * Math.sqrt(model.covariances[c][j][j]);
		});
		model.probabilities.forEach(({ levels, table }, q) => {
			row[model.categorical[q]] = levels[drawCode(table[c], generator)] ?? null;
		});
		return row;
	});
	return { rows, labels: codes.map((c) => model.classes[c]) };
}

/** A number with these probabilities; one of probability 0 is never drawn. */
function drawCode(probabilities, generator) {
	let [rest, last] = [generator.uniform() * totalOf(probabilities), 0];
	for (let c = 0; c < probabilities.length && rest >= 0; c++) {
		if (!(probabilities[c] > 0)) continue;
		last = c;
		rest -= probabilities[c];
	}
	return last;
}
