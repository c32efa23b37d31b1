// Curves in the plane: ellipses of the Gaussians, boundaries, contours of densities; drawn on a canvas.

import { boundaryCurves, contourLines, ellipse } from "../density.js";

const ROUND = 73; // points of an ellipse

/** Nats below the highest density at which contours are drawn. */
export const LEVELS = [0.35, 0.8, 1.4, 2.2, 3.2, 4.5, 6.2, 8.5];

/** A path through points of the data, one line or several. */
function pathThrough(lines, frame) {
	const path = new Path2D();
	for (const line of lines) line.forEach(([x, y], i) => path[i ? "lineTo" : "moveTo"](frame.left(x), frame.top(y)));
	return path;
}

function strokePath(context, path, colour, width, opacity = 1, dash = []) {
	Object.assign(context, { strokeStyle: colour, lineWidth: width, globalAlpha: opacity, lineJoin: "round" });
	context.setLineDash(dash);
	context.stroke(path);
	context.globalAlpha = 1;
	context.setLineDash([]);
}

/** Soft ellipses of one and two standard deviations about each mean. */
export function drawEllipses(context, { means, covariances }, frame, colours, strength) {
	means.forEach((mean, c) => {
		for (const radius of [2, 1]) {
			const path = pathThrough([ellipse(mean, covariances[c], radius, ROUND)], frame);
			context.fillStyle = colours.classes(c);
			context.globalAlpha = 0.12 * strength;
			context.fill(path);
			strokePath(context, path, colours.lines(c), radius === 1 ? 1.8 : 1.2, strength * (radius === 1 ? 0.9 : 0.55));
		}
	});
}

/** The generating Gaussians: dashed ellipses of one and two standard deviations, with a cross at the mean. */
export function drawTruth(context, truth, frame, colours) {
	for (const { code, mean, covariance } of truth) {
		const [left, top, colour] = [frame.left(mean[0]), frame.top(mean[1]), colours.lines(code)];
		strokePath(context, new Path2D(`M${left - 5} ${top}h10M${left} ${top - 5}v10`), colour, 1.8);
		const lines = [1, 2].map((radius) => ellipse(mean, covariance, radius, ROUND));
		strokePath(context, pathThrough(lines, frame), colour, 1.6, 1, [6, 5]);
	}
}

/** A smoothed line for boundaries of votes: each point becomes the mean of its neighbours. */
function smoothed(line) {
	return line.map((_, i) => {
		const reach = Math.min(3, i, line.length - 1 - i);
		const near = line.slice(i - reach, i + reach + 1);
		return [0, 1].map((axis) => near.reduce((sum, place) => sum + place[axis], 0) / near.length);
	});
}

/** Boundaries between regions, with a halo that separates them from the points. */
export function drawBoundary(context, grid, frame, colours) {
	const lines = boundaryCurves(grid).map(({ points }) => (grid.logRatio ? points : smoothed(points)));
	const path = pathThrough(lines, frame);
	strokePath(context, path, colours.paper, 4.6, 0.7);
	strokePath(context, path, colours.ink, 1.9);
}

/** Contours of the evidence p(x). */
export function drawEvidence(context, grid, frame, colours) {
	if (!grid.logEvidence) return;
	const top = grid.logEvidence.reduce((most, value) => Math.max(most, value), -Infinity);
	LEVELS.forEach((level, i) => {
		strokePath(context, pathThrough(contourLines(grid.logEvidence, grid, top - level), frame), colours.ink, 1, 0.75 - 0.06 * i);
	});
}

/** Contours of prior × density of each class, at the same levels for all: ellipses, since log densities are quadratic. */
export function drawJoint(context, { priors, means, covariances }, frame, colours) {
	const peaks = covariances.map(([[a, b], [, d]], c) => Math.log(priors[c]) - 0.5 * Math.log(a * d - b * b));
	means.forEach((mean, c) => {
		const squares = LEVELS.map((level) => 2 * (peaks[c] - Math.max(...peaks) + level)).filter((square) => square > 0);
		const lines = squares.map((square) => ellipse(mean, covariances[c], Math.sqrt(square), ROUND));
		strokePath(context, pathThrough(lines, frame), colours.lines(c), 1.1, 0.8, [5, 2.5]);
	});
}
