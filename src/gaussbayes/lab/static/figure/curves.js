// Curves in the plane: ellipses of the Gaussians, boundaries, contours of densities; drawn on a canvas.

import { boundaryCurves, contourLines, ellipse } from "../density.js";

const LEVELS = [0.35, 0.8, 1.4, 2.2, 3.2, 4.5, 6.2, 8.5]; // nats below the highest value
const ROUND = 73; // points of an ellipse

/** A path through places of the data. */
function pathThrough(line, frame, path = new Path2D()) {
	line.forEach(([x, y], i) => (i ? path.lineTo(frame.left(x), frame.top(y)) : path.moveTo(frame.left(x), frame.top(y))));
	return path;
}

function strokePath(context, path, { colour, width, opacity = 1, dash = [] }) {
	context.strokeStyle = colour;
	context.lineWidth = width;
	context.globalAlpha = opacity;
	context.setLineDash(dash);
	context.stroke(path);
	context.globalAlpha = 1;
	context.setLineDash([]);
}

/** Soft ellipses of one and two standard deviations about each mean. */
export function drawEllipses(context, { means, covariances }, frame, colours, strength = 1) {
	means.forEach((mean, c) => {
		for (const radius of [2, 1]) {
			const path = pathThrough(ellipse(mean, covariances[c], radius, ROUND), frame);
			context.fillStyle = colours.classes(c);
			context.globalAlpha = strength * (colours.theme === "dark" ? 0.1 : 0.12);
			context.fill(path);
			strokePath(context, path, { colour: colours.lines(c), width: radius === 1 ? 1.8 : 1.2, opacity: strength * (radius === 1 ? 0.9 : 0.55) });
		}
	});
}

/** The generating Gaussians: dashed ellipses of one and two standard deviations, with a cross at the mean. */
export function drawTruth(context, truth, frame, colours) {
	for (const { code, mean, covariance } of truth) {
		const colour = colours.lines(code);
		const [left, top] = [frame.left(mean[0]), frame.top(mean[1])];
		strokePath(context, new Path2D(`M${left - 5} ${top}h10M${left} ${top - 5}v10`), { colour, width: 1.8 });
		for (const radius of [1, 2]) {
			strokePath(context, pathThrough(ellipse(mean, covariance, radius, ROUND), frame), { colour, width: 1.6, dash: [6, 5] });
		}
	}
}

/** Boundaries between regions, with a halo that sets them off the points. */
export function drawBoundary(context, grid, frame, colours) {
	const path = new Path2D();
	for (const { points } of boundaryCurves(grid)) pathThrough(points, frame, path);
	context.lineJoin = "round";
	strokePath(context, path, { colour: colours.paper, width: 4.6, opacity: 0.7 });
	strokePath(context, path, { colour: colours.ink, width: 1.9 });
}

/** Contours of the evidence p(x). */
export function drawEvidence(context, grid, frame, colours) {
	if (!grid.logEvidence) return;
	let top = -Infinity;
	for (const value of grid.logEvidence) if (value > top) top = value;
	LEVELS.forEach((level, i) => {
		const path = new Path2D();
		for (const line of contourLines(grid.logEvidence, grid, top - level)) pathThrough(line, frame, path);
		strokePath(context, path, { colour: colours.ink, width: 1, opacity: 0.75 - 0.06 * i });
	});
}

/** Contours of prior × density of each class, at the same levels for all: ellipses, since log densities are quadratic. */
export function drawJoint(context, { priors, means, covariances }, frame, colours) {
	const peaks = covariances.map(([[a, b], [, d]], c) => Math.log(priors[c]) - 0.5 * Math.log(a * d - b * b));
	const top = Math.max(...peaks);
	means.forEach((mean, c) => {
		for (const level of LEVELS) {
			const square = 2 * (peaks[c] - top + level);
			if (!(square > 0)) continue;
			const line = ellipse(mean, covariances[c], Math.sqrt(square), ROUND);
			strokePath(context, pathThrough(line, frame), { colour: colours.lines(c), width: 1.1, opacity: 0.8, dash: [5, 2.5] });
		}
	});
}
