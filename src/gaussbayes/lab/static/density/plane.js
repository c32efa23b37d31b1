// Two features, fast: the parameters of many points, and the posteriors on a grid of pixels. Typed arrays, no objects.

import { estimateCovariances } from "./covariance.js";
import { readPriors } from "./model.js";
import { FIT_OPTIONS } from "./table.js";

/**
 * The parameters of points in a plane, none of them missing.
 * @param {Float64Array} x
 * @param {Float64Array} y
 * @param {Int32Array} codes the class of each point, −1 for points that do not count
 * @param {number} k number of classes
 * @param {object} [options] as in `fit`: covariance, shared, shrinkage, shrinkageTarget, priors, divisor
 * @returns {{priors: number[], means: number[][], covariances: number[][][], anchors: number[][], offsets: number[][],
 *   weights: number[]}} as `fromParameters` takes them; an Error if a class has no points
 */
export function planeFit(x, y, codes, k, options = {}) {
	const settings = { ...FIT_OPTIONS, ...options };
	const [n, count, first] = [codes.length, new Float64Array(k), new Int32Array(k).fill(-1)];
	for (let i = n - 1; i >= 0; i--) if (codes[i] >= 0) first[codes[i]] = i;
	const empty = first.indexOf(-1);
	if (empty >= 0) throw new Error(`class number ${empty} has no points`);
	const [ax, ay] = [Float64Array.from(first, (i) => x[i]), Float64Array.from(first, (i) => y[i])];
	const [sx, sy, sxx, sxy, syy] = Array.from({ length: 5 }, () => new Float64Array(k));
	for (let i = 0; i < n; i++) {
		const c = codes[i];
		if (c < 0) continue;
		count[c] += 1;
		sx[c] += x[i] - ax[c];
		sy[c] += y[i] - ay[c];
	}
	for (let c = 0; c < k; c++) {
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
	const classes = Array.from(count, (_, c) => c);
	const moments = {
		weights: Array.from(count),
		anchors: classes.map((c) => [ax[c], ay[c]]),
		offsets: classes.map((c) => [sx[c], sy[c]]),
		scatters: classes.map((c) => [[sxx[c], sxy[c]], [sxy[c], syy[c]]]),
	};
	return {
		priors: readPriors(settings.priors, classes, moments.weights),
		means: classes.map((c) => [ax[c] + sx[c], ay[c] + sy[c]]),
		covariances: estimateCovariances(moments, settings, settings.classes ?? classes),
		anchors: moments.anchors,
		offsets: moments.offsets,
		weights: moments.weights,
	};
}

/**
 * Posteriors, evidence and labels in the middle of each pixel of a window.
 * @param {object} model of two features that hold numbers
 * @param {{x: number[], y: number[], width: number, height: number}} window the edges of the window and its pixels
 * @param {object} [out] an earlier result for the same numbers of classes and pixels, to be overwritten
 * @returns {{posterior: Float32Array, logRatio: Float32Array, logEvidence: Float32Array, label: Uint16Array, x: number[],
 *   y: number[], width: number, height: number, k: number}} `posterior` and `logRatio` (log joint less the largest) are
 *   class by class, row by row from the lowest y
 */
export function posteriorGrid(model, window, out) {
	const { x, y, width, height } = window;
	const k = model.classes.length;
	const size = width * height;
	if (model.numeric.length !== 2) throw new Error("a grid needs a model of two features");
	const grid = out && out.posterior.length === k * size ? out : emptyGrid(k, size);
	Object.assign(grid, { x, y, width, height, k });
	const { posterior, logRatio, logEvidence, label } = grid;
	const [stepX, stepY] = [(x[1] - x[0]) / width, (y[1] - y[0]) / height];
	// log joint = base(x) − ½ (slope(x) + w₂₂ (y − mean))², with what depends on x worked out once for each column.
	const [base, slope] = [new Float64Array(k * width), new Float64Array(k * width)];
	const rise = model.factors.map(({ whitener }) => whitener[1][1]);
	model.factors.forEach(({ whitener, logDeterminant }, c) => {
		const constant = Math.log(model.priors[c]) - Math.log(2 * Math.PI) - 0.5 * logDeterminant;
		for (let i = 0; i < width; i++) {
			const u = x[0] - model.anchors[c][0] - model.offsets[c][0] + (i + 0.5) * stepX;
			base[c * width + i] = constant - 0.5 * (whitener[0][0] * u) ** 2;
			slope[c * width + i] = whitener[1][0] * u;
		}
	});
	const [joint, level] = [new Float64Array(k), new Float64Array(k)];
	for (let row = 0, at = 0; row < height; row++) {
		for (let c = 0; c < k; c++) {
			level[c] = rise[c] * (y[0] - model.anchors[c][1] - model.offsets[c][1] + (row + 0.5) * stepY);
		}
		for (let i = 0; i < width; i++, at++) {
			let best = 0;
			for (let c = 0, j = i; c < k; c++, j += width) {
				const v = slope[j] + level[c];
				const value = base[j] - 0.5 * v * v;
				joint[c] = value;
				if (value > joint[best]) best = c;
			}
			const most = joint[best];
			let sum = 0;
			for (let c = 0, j = at; c < k; c++, j += size) {
				const ratio = joint[c] - most;
				logRatio[j] = ratio;
				// Below exp(−104) a Float32 is 0.
				const value = ratio > -104 ? Math.exp(ratio) : 0;
				posterior[j] = value;
				sum += value;
			}
			const scale = 1 / sum;
			for (let c = 0, j = at; c < k; c++, j += size) posterior[j] *= scale;
			logEvidence[at] = most + Math.log(sum);
			label[at] = best;
		}
	}
	return grid;
}

function emptyGrid(k, size) {
	return {
		posterior: new Float32Array(k * size),
		logRatio: new Float32Array(k * size),
		logEvidence: new Float32Array(size),
		label: new Uint16Array(size),
	};
}
