// One Gaussian: its log-density, and the tail probabilities of squared distances and of a normal variable.

import { factorise, sumOfSquares, timesLower } from "./matrices.js";

export const LOG_TWO_PI = Math.log(2 * Math.PI);

/**
 * log N(x; mean, Σ) in any number of dimensions.
 * @param {number[]} mean
 * @param {number[][]} covariance
 * @param {number[]} x
 * @returns {number}
 */
export function logGaussian(mean, covariance, x) {
	const { whitener, logDeterminant } = factorise(covariance);
	if (!whitener) throw new Error("a covariance must be positive definite");
	const squares = sumOfSquares(timesLower(whitener, mean.map((value, j) => x[j] - value)));
	return -0.5 * (mean.length * LOG_TWO_PI + logDeterminant + squares);
}

/**
 * The density N(x; mean, Σ).
 * @param {number[]} mean
 * @param {number[][]} covariance
 * @param {number[]} x
 * @returns {number}
 */
export function gaussianDensity(mean, covariance, x) {
	return Math.exp(logGaussian(mean, covariance, x));
}

/**
 * log Σ exp(vᵢ), without overflow.
 * @param {number[]} values
 * @returns {number} −∞ if all values are
 */
export function logSumExp(values) {
	let most = -Infinity;
	for (const value of values) if (value > most) most = value;
	if (!Number.isFinite(most)) return most;
	let sum = 0;
	for (const value of values) sum += Math.exp(value - most);
	return most + Math.log(sum);
}

/**
 * How probable it is that a row of a class lies at least so far out: P(χ²_d ≥ m²).
 * @param {number} squaredDistance of Mahalanobis
 * @param {number} degrees the number of features
 * @returns {number}
 */
export function chiSquare(squaredDistance, degrees) {
	return upperGamma(degrees / 2, squaredDistance / 2);
}

/**
 * P(low < Z < high) of a standard normal variable; small probabilities keep their digits.
 * @param {number} low
 * @param {number} high
 * @returns {number}
 */
export function normalBetween(low, high) {
	if (low > 0) return normalAbove(low) - normalAbove(high);
	if (high < 0) return normalAbove(-high) - normalAbove(-low);
	return 1 - normalAbove(-low) - normalAbove(high);
}

function normalAbove(z) {
	if (z < 0) return 1 - normalAbove(-z);
	return 0.5 * upperGamma(0.5, (z * z) / 2);
}

/** The regularised upper incomplete gamma function Q(a, x), where 2a is a whole number. */
function upperGamma(a, x) {
	if (!(x > 0)) return 1;
	if (x === Infinity) return 0;
	const front = Math.exp(a * Math.log(x) - x - logGammaOfHalves(a));
	if (x < a + 1) {
		// P by its series.
		let term = 1 / a;
		let sum = term;
		for (let n = 1; term > sum * 1e-17; n++) {
			term *= x / (a + n);
			sum += term;
		}
		return 1 - front * sum;
	}
	// Q by its continued fraction, from the front (Lentz).
	let b = x + 1 - a;
	let c = 1e300;
	let d = 1 / b;
	let fraction = d;
	for (let n = 1, change = 0; n < 10000 && Math.abs(change - 1) > 1e-16; n++) {
		const numerator = n * (a - n);
		b += 2;
		d = 1 / (numerator * d + b || 1e-300);
		c = b + numerator / c || 1e-300;
		change = c * d;
		fraction *= change;
	}
	return front * fraction;
}

/** log Γ(a) by Γ(a) = (a − 1) Γ(a − 1), from Γ(1) = 1 or Γ(½) = √π. */
function logGammaOfHalves(a) {
	let sum = a % 1 ? 0.5 * Math.log(Math.PI) : 0;
	for (let b = a % 1 ? 0.5 : 1; b < a; b++) sum += Math.log(b);
	return sum;
}
