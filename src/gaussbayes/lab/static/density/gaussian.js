// One Gaussian: its log-density, and the tail probabilities of squared distances and of a normal variable.

import { dotProduct, factorise, timesMatrix } from "./matrices.js";

export const LOG_TWO_PI = Math.log(2 * Math.PI);

/** log N(x; mean, Σ) of vectors of any length; the covariance Σ is an array of rows. */
export function logGaussian(mean, covariance, x) {
	const { whitener, logDeterminant } = factorise(covariance);
	if (!whitener) throw new Error("a covariance must be positive definite");
	const white = timesMatrix(whitener, mean.map((value, j) => x[j] - value));
	return -0.5 * (mean.length * LOG_TWO_PI + logDeterminant + dotProduct(white, white));
}

/** The density N(x; mean, Σ); see `logGaussian`. */
export const gaussianDensity = (mean, covariance, x) => Math.exp(logGaussian(mean, covariance, x));

/** log Σ exp(vᵢ) of an array, without overflow; −∞ if all values are. */
export function logSumExp(values) {
	let [most, sum] = [-Infinity, 0];
	for (const value of values) if (value > most) most = value;
	if (!Number.isFinite(most)) return most;
	for (const value of values) sum += Math.exp(value - most);
	return most + Math.log(sum);
}

/** The probability that a row of d features has at least this squared Mahalanobis distance: P(χ²_d ≥ m²). */
export const chiSquare = (squaredDistance, degrees) => upperGamma(degrees / 2, squaredDistance / 2);

/** P(low < Z < high) of a standard normal variable; small probabilities keep their digits. */
export function normalBetween(low, high) {
	const above = (z) => 0.5 * upperGamma(0.5, (z * z) / 2);
	if (low > 0) return above(low) - above(high);
	return high < 0 ? above(high) - above(low) : 1 - above(low) - above(high);
}

/** The regularised upper incomplete gamma function Q(a, x), where 2a is an integer. */
function upperGamma(a, x) {
	if (!(x > 0 && a > 0)) return 1;
	if (x === Infinity) return 0;
	// log Γ(a) by Γ(a) = (a − 1) Γ(a − 1), from Γ(1) = 1 or Γ(½) = √π.
	let logGamma = a % 1 ? 0.5 * Math.log(Math.PI) : 0;
	for (let b = a % 1 ? 0.5 : 1; b < a; b++) logGamma += Math.log(b);
	const front = Math.exp(a * Math.log(x) - x - logGamma);
	if (x < a + 1) {
		let [term, sum] = [1 / a, 1 / a];
		for (let n = 1; term > sum * 1e-17; n++) sum += term *= x / (a + n);
		return 1 - front * sum;
	}
	// The continued fraction from its front (Lentz).
	let [b, c, d] = [x + 1 - a, 1e300, 1 / (x + 1 - a)];
	let fraction = d;
	for (let n = 1, change = 0; n < 10000 && Math.abs(change - 1) > 1e-16; n++) {
		b += 2;
		d = 1 / (n * (a - n) * d + b);
		c = b + (n * (a - n)) / c;
		change = c * d;
		fraction *= change;
	}
	return front * fraction;
}
