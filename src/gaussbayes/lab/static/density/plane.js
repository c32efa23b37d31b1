// Two features, fast: the parameters of many points, and the posteriors on a grid of pixels. Typed arrays, no objects.

import { estimateCovariances } from "./covariance.js";
import { LOG_TWO_PI } from "./gaussian.js";
import { mapMatrix } from "./matrices.js";
import { readPriors } from "./model.js";
import { FIT_OPTIONS } from "./table.js";

/**
 * The parameters of complete points in a plane, as `fromParameters` takes them; an Error if a class has no points.
 * @param {Float64Array} x
 * @param {Float64Array} y
 * @param {Int32Array} codes the class of each point, −1 for ignored points
 * @param {number} k number of classes
 * @param {object} [options] as in `fit`: covariance, shared, shrinkage, shrinkageTarget, priors, divisor, classes
 */
export function planeFit(x, y, codes, k, options = {}) {
	const settings = { ...FIT_OPTIONS, ...options };
	const classes = settings.classes ?? Array.from({ length: k }, (_, c) => c);
	const [n, first, count] = [codes.length, new Int32Array(k).fill(-1), new Float64Array(k)];
	for (let i = n - 1; i >= 0; i--) if (codes[i] >= 0) first[codes[i]] = i;
	const [ax, ay] = [x, y].map((values) => Float64Array.from(first, (i) => values[i]));
	const [sx, sy, sxx, sxy, syy] = Array.from({ length: 5 }, () => new Float64Array(k));
	for (let i = 0; i < n; i++) {
		const c = codes[i];
		if (c < 0) continue;
		count[c] += 1;
		sx[c] += x[i] - ax[c];
		sy[c] += y[i] - ay[c];
	}
	for (let c = 0; c < k; c++) {
		if (!count[c]) throw new Error(`class ${classes[c]} has no points`);
		sx[c] /= count[c];
		sy[c] /= count[c];
	}
	for (let i = 0; i < n; i++) {
		const c = codes[i];
		if (c < 0) continue;
		const u = x[i] - ax[c] - sx[c];
		const v = y[i] - ay[c] - sy[c];
		sxx[c] += u * u;
		sxy[c] += u * v;
		syy[c] += v * v;
	}
	const [anchors, offsets, weights] = [classes.map((_, c) => [ax[c], ay[c]]), classes.map((_, c) => [sx[c], sy[c]]), [...count]];
	const scatters = classes.map((_, c) => [[sxx[c], sxy[c]], [sxy[c], syy[c]]]);
	const covariances = estimateCovariances({ weights, anchors, offsets, scatters }, settings, classes);
	const means = mapMatrix(anchors, (value, c, j) => value + offsets[c][j]);
	return { priors: readPriors(settings.priors, classes, weights), means, covariances, anchors, offsets, weights };
}

/**
 * Posteriors, evidence and labels in the middle of each pixel of a window.
 * @param {object} model of two features that hold numbers
 * @param {{x: number[], y: number[], width: number, height: number}} window the edges of the window and its pixels
 * @param {object} [out] an earlier result for the same numbers of classes and pixels, to be overwritten
 * @returns {object} the window; `posterior` and `logRatio` (log joint less the largest; Float32Array), class by class,
 *   row by row from the lowest y; `logEvidence` and `label` row by row
 */
export function posteriorGrid(model, { x, y, width, height }, out) {
	const [k, size] = [model.classes.length, width * height];
	if (model.numeric.length !== 2) throw new Error("a grid needs a model of two features");
	const grid = out?.posterior.length === k * size ? out : {
		posterior: new Float32Array(k * size), logRatio: new Float32Array(k * size),
		logEvidence: new Float32Array(size), label: new Uint16Array(size),
	};
	const { posterior, logRatio, logEvidence, label } = Object.assign(grid, { x, y, width, height, k });
	const [stepX, stepY] = [(x[1] - x[0]) / width, (y[1] - y[0]) / height];
	// log joint = base(x) − ½ (slope(x) + w₂₂ (y − mean))², with the terms in x computed once for each column.
	const [base, slope, joint, level] = [k * width, k * width, k, k].map((length) => new Float64Array(length));
	model.factors.forEach(({ whitener, logDeterminant }, c) => {
		const constant = Math.log(model.priors[c]) - LOG_TWO_PI - 0.5 * logDeterminant;
		for (let i = 0; i < width; i++) {
			const u = x[0] - model.anchors[c][0] - model.offsets[c][0] + (i + 0.5) * stepX;
			base[c * width + i] = constant - 0.5 * (whitener[0][0] * u) ** 2;
			slope[c * width + i] = whitener[1][0] * u;
		}
	});
	for (let row = 0, at = 0; row < height; row++) {
		for (let c = 0; c < k; c++) {
			const v = y[0] - model.anchors[c][1] - model.offsets[c][1] + (row + 0.5) * stepY;
			level[c] = model.factors[c].whitener[1][1] * v;
		}
		for (let i = 0; i < width; i++, at++) {
			let best = 0;
			let sum = 0;
			for (let c = 0, j = i; c < k; c++, j += width) {
				const v = slope[j] + level[c];
				joint[c] = base[j] - 0.5 * v * v;
				if (joint[c] > joint[best]) best = c;
			}
			const most = joint[best];
			for (let c = 0, j = at; c < k; c++, j += size) {
				const ratio = (logRatio[j] = joint[c] - most);
				const value = ratio > -104 ? Math.exp(ratio) : 0; // below exp(−104) a Float32 is 0
				posterior[j] = value;
				sum += value;
			}
			const scale = 1 / (sum || 1);
			for (let c = 0, j = at; c < k; c++, j += size) posterior[j] *= scale;
			logEvidence[at] = most + Math.log(sum);
			label[at] = best;
		}
	}
	return grid;
}
