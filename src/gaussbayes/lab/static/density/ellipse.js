// Ellipses of equal Mahalanobis distance in two dimensions.

import { cholesky, correlationOf } from "./matrices.js";

/**
 * Points at a Mahalanobis distance from the mean, once around; the last is the first.
 * @param {number[]} mean
 * @param {number[][]} covariance
 * @param {number} radius
 * @param {number} [n] number of points
 * @returns {number[][]}
 */
export function ellipse(mean, covariance, radius, n = 181) {
	const lower = cholesky(correlationOf(covariance));
	const [sx, sy] = [radius * Math.sqrt(covariance[0][0]), radius * Math.sqrt(covariance[1][1])];
	return Array.from({ length: n }, (_, i) => {
		const angle = (2 * Math.PI * i) / (n - 1);
		const [u, v] = [Math.cos(angle), Math.sin(angle)];
		return [mean[0] + sx * u, mean[1] + sy * (lower[1][0] * u + lower[1][1] * v)];
	});
}

/**
 * The half axes of the ellipse of radius 1, the longer one first: perpendicular where one of each unit has the same
 * length, such as on a screen whose pixels are the units.
 * @param {number[][]} covariance
 * @param {number[]} [units]
 * @returns {number[][]} two vectors in the units of the features
 */
export function ellipseAxes(covariance, units = [1, 1]) {
	const [a, b, c] = [covariance[0][0] / units[0] ** 2, covariance[0][1] / units[0] / units[1], covariance[1][1] / units[1] ** 2];
	const half = 0.5 * Math.hypot(a - c, 2 * b);
	const longer = 0.5 * (a + c) + half;
	// The determinant over the longer one: their difference would lose digits.
	const shorter = longer > 0 ? Math.max(0, a * (c / longer) - b * (b / longer)) : 0;
	const angle = 0.5 * Math.atan2(2 * b, a - c);
	const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
	const [long, short] = [Math.sqrt(longer), Math.sqrt(shorter)];
	return [
		[long * cos * units[0], long * sin * units[1]],
		[-short * sin * units[0], short * cos * units[1]],
	];
}

/**
 * The covariance whose ellipse of radius 1 has these half axes: Σ = Σᵢ aᵢ aᵢᵀ.
 * @param {number[][]} axes
 * @returns {number[][]}
 */
export function covarianceOf(axes) {
	const entry = (i, j) => axes.reduce((sum, axis) => sum + axis[i] * axis[j], 0);
	return [[entry(0, 0), entry(0, 1)], [entry(0, 1), entry(1, 1)]];
}
