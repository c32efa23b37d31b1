// Ellipses of equal Mahalanobis distance in two dimensions.

import { cholesky, correlationOf } from "./matrices.js";

/** The points (n of them) at a Mahalanobis distance from the mean, the radius, once around; the last is the first. */
export function ellipse(mean, covariance, radius, n = 181) {
	const [slope, rest] = cholesky(correlationOf(covariance))[1];
	const [sx, sy] = [0, 1].map((j) => radius * Math.sqrt(covariance[j][j]));
	const angles = Array.from({ length: n }, (_, i) => (2 * Math.PI * i) / (n - 1));
	return angles.map((t) => [mean[0] + sx * Math.cos(t), mean[1] + sy * (slope * Math.cos(t) + rest * Math.sin(t))]);
}

/**
 * The half axes of a covariance's ellipse of radius 1, two vectors, the longer one first: perpendicular in coordinates
 * with equal units, such as the pixels of a screen.
 */
export function ellipseAxes([[a, b], [, c]], [ux, uy] = [1, 1]) {
	const [xx, xy, yy] = [a / ux ** 2, b / ux / uy, c / uy ** 2];
	const longer = 0.5 * (xx + yy + Math.hypot(xx - yy, 2 * xy));
	// The determinant over the longer one: their difference would lose digits.
	const shorter = Math.max(0, xx * (yy / longer) - xy * (xy / longer));
	const angle = 0.5 * Math.atan2(2 * xy, xx - yy);
	const [cos, sin, long, short] = [Math.cos(angle), Math.sin(angle), Math.sqrt(longer), Math.sqrt(shorter)];
	return [[long * cos * ux, long * sin * uy], [-short * sin * ux, short * cos * uy]];
}

/** The covariance whose ellipse of radius 1 has these half axes: Σ = Σᵢ aᵢ aᵢᵀ. */
export function covarianceOf([[a, b], [c, d]]) {
	return [[a * a + c * c, a * b + c * d], [a * b + c * d, b * b + d * d]];
}
