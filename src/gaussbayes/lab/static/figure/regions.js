// Regions: posteriors on a grid of pixels, as a small image that is drawn stretched.

import { posteriorGrid } from "../density.js";
import { rgbOf } from "./colours.js";
import { neighbourRule } from "./scene.js";

const FINE = 3; // pixels of the screen for one of the grid
const COARSE = 5; // the same during a drag
const MOST_DISTANCES = 4e6; // that the votes of neighbours may take

/** The grid of a scene: posteriors, labels and evidence in the window of a frame; null without a model. */
export function regionGrid(scene, model, frame, { coarse, out }) {
	const { layers, table, classes, hidden } = scene;
	const votes = layers.neighbours ? Math.sqrt((frame.width * frame.height * table.n) / MOST_DISTANCES) : 0;
	const step = Math.max(votes, coarse ? COARSE : FINE) * Math.max(1, Math.sqrt(classes.length) / 2.2);
	const [width, height] = [frame.width, frame.height].map((side) => Math.max(2, Math.round(side / step)));
	const window = { x: frame.x, y: frame.y, width, height };
	const vote = (row) => ({ posterior: neighbourRule(scene).vote(row), logEvidence: 0 });
	if (layers.neighbours) return rowGrid(window, classes.length, vote);
	if (!model || model.grid) return model?.grid ?? null;
	return hidden.includes(true) ? hiddenGrid(hidden, model, window) : posteriorGrid(model, window, out);
}

/** A hidden feature is integrated out: posteriors depend on the other one alone. */
function hiddenGrid(hidden, model, window) {
	const known = new Map();
	return rowGrid(window, model.classes.length, (row) => {
		const seen = row.map((value, i) => (hidden[i] ? null : value));
		const key = seen.join();
		if (!known.has(key)) known.set(key, { posterior: model.posterior(seen), logEvidence: model.logEvidence(seen) });
		return known.get(key);
	});
}

/** A grid that is computed point by point, for rules other than two Gaussian features. */
function rowGrid({ x, y, width, height }, k, at) {
	const size = width * height;
	const [posterior, logEvidence, label] = [new Float32Array(k * size), new Float32Array(size), new Uint16Array(size)];
	for (let place = 0; place < size; place++) {
		const [i, j] = [place % width, Math.floor(place / width)];
		const found = at([x[0] + ((i + 0.5) / width) * (x[1] - x[0]), y[0] + ((j + 0.5) / height) * (y[1] - y[0])]);
		found.posterior.forEach((value, c) => (posterior[c * size + place] = value));
		label[place] = found.posterior.indexOf(Math.max(...found.posterior));
		logEvidence[place] = found.logEvidence;
	}
	return { x, y, width, height, k, posterior, label, logEvidence };
}

/** The image of a grid, its uppermost row first, on a small canvas that is used again. */
export class RegionImage {
	canvas = document.createElement("canvas");

	/** Draw a grid; "blend" mixes the classes' colours by posterior and fades them where evidence is low, "labels" does neither. */
	draw(context, frame, grid, mode, colours) {
		const { x, y, width, height } = grid;
		if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
		const own = this.canvas.getContext("2d");
		const image = own.createImageData(width, height);
		(mode === "labels" ? flatWords : blendWords)(grid, colours, new Uint32Array(image.data.buffer));
		own.putImageData(image, 0, 0);
		const [left, top] = [frame.left(x[0]), frame.top(y[1])];
		context.drawImage(this.canvas, left, top, frame.left(x[1]) - left, frame.top(y[0]) - top);
	}
}

function flatWords({ label, width, height, k }, colours, words) {
	const parts = Array.from({ length: k }, (_, c) => colours.regions(c));
	const flat = parts.map(([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r);
	for (let i = 0; i < words.length; i++) words[i] = flat[label[(height - 1 - Math.floor(i / width)) * width + (i % width)]];
}

function blendWords({ posterior, logEvidence, width, height, k }, colours, words) {
	const size = width * height;
	const [paper, parts] = [rgbOf(colours.paper), Array.from({ length: k }, (_, c) => colours.regions(c))];
	const shades = parts.map((colour) => colour.map((part, i) => part - paper[i]));
	const top = logEvidence ? logEvidence.reduce((most, value) => Math.max(most, value), -Infinity) : 0;
	for (let row = 0; row < height; row++) {
		for (let i = 0, at = (height - 1 - row) * width; i < width; i++, at++) {
			let [r, g, b] = [0, 0, 0];
			for (let c = 0, j = at; c < k; c++, j += size) {
				const proportion = posterior[j];
				if (proportion === 0) continue;
				r += proportion * shades[c][0];
				g += proportion * shades[c][1];
				b += proportion * shades[c][2];
			}
			const strength = logEvidence ? strengthAt(top - logEvidence[at]) : 1;
			const [red, green, blue] = [paper[0] + strength * r, paper[1] + strength * g, paper[2] + strength * b];
			words[row * width + i] = (255 << 24) | (blue << 16) | (green << 8) | red;
		}
	}
}

// Colour fades where evidence is some 13 nats below the highest one, by a table in quarters of a nat.
const FADED = 0.22;
const STRENGTHS = Float32Array.from({ length: 256 }, (_, i) => FADED + (1 - FADED) / (1 + Math.exp((i / 4 - 13) / 3.2)));
const strengthAt = (nats) => STRENGTHS[Math.round(4 * nats)] ?? FADED;
