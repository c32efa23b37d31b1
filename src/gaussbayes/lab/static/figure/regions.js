// Regions: posteriors on a grid of pixels, as a small image that is drawn stretched.

import { posteriorGrid } from "../density.js";
import { mixColours, rgbOf } from "./colours.js";
import { neighbourRule } from "./scene.js";

const FINE = 3; // pixels of the screen for one of the grid
const COARSE = 5; // the same during a drag
const MOST_DISTANCES = 4e6; // distances that votes may take
const FADE = { middle: 13, width: 3.2, least: 0.22 }; // nats below the highest evidence at which colour fades
const FADE_LENGTH = 256;

/** The grid of what the scene shows: posteriors, labels and evidence in the window of a frame; null without a model. */
export function regionGrid(scene, model, frame, { coarse, out }) {
	const votes = scene.layers.neighbours ? Math.sqrt((frame.width * frame.height * scene.table.n) / MOST_DISTANCES) : 0;
	const step = Math.max(votes, coarse ? COARSE : FINE) * Math.max(1, Math.sqrt(model?.classes.length ?? 1) / 2.2);
	const window = { x: frame.x, y: frame.y, width: Math.max(2, Math.round(frame.width / step)), height: Math.max(2, Math.round(frame.height / step)) };
	if (scene.layers.neighbours) return rowGrid(window, scene.classes.length, (row) => ({ posterior: neighbourRule(scene).vote(row) }));
	if (!model) return null;
	if (model.grid) return model.grid;
	if (scene.hidden.includes(true)) return hiddenGrid(scene, model, window);
	return posteriorGrid(model, window, out);
}

/** A hidden feature is integrated out: posteriors depend on the other one alone. */
function hiddenGrid({ hidden }, model, window) {
	const cache = new Map();
	const keyed = ([x, y]) => (hidden[0] ? (hidden[1] ? "" : y) : x);
	return rowGrid(window, model.classes.length, (row) => {
		const key = keyed(row);
		if (!cache.has(key)) {
			const seen = row.map((value, i) => (hidden[i] ? null : value));
			cache.set(key, { posterior: model.posterior(seen), logEvidence: model.logEvidence(seen) });
		}
		return cache.get(key);
	});
}

/** A grid that is computed row by row, for rules other than two Gaussian features. */
function rowGrid({ x, y, width, height }, k, at) {
	const size = width * height;
	const grid = { x, y, width, height, k, posterior: new Float32Array(k * size), label: new Uint16Array(size), logEvidence: new Float32Array(size) };
	for (let j = 0, place = 0; j < height; j++) {
		for (let i = 0; i < width; i++, place++) {
			const row = [x[0] + ((i + 0.5) / width) * (x[1] - x[0]), y[0] + ((j + 0.5) / height) * (y[1] - y[0])];
			const { posterior, logEvidence = 0 } = at(row);
			let best = 0;
			for (let c = 0; c < k; c++) {
				grid.posterior[c * size + place] = posterior[c];
				if (posterior[c] > posterior[best]) best = c;
			}
			grid.label[place] = best;
			grid.logEvidence[place] = logEvidence;
		}
	}
	return grid;
}

/** The image of a grid, its uppermost row first, on a small canvas that is used again. */
export class RegionImage {
	constructor() {
		this.canvas = document.createElement("canvas");
	}

	/** mode: "blend" mixes the classes' colours by posterior and fades them where evidence is low, "labels" does neither. */
	put(grid, mode, colours) {
		const { width, height } = grid;
		if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
		const context = this.canvas.getContext("2d");
		const image = context.createImageData(width, height);
		const words = new Uint32Array(image.data.buffer);
		if (mode === "labels") flatWords(grid, colours, words);
		else blendWords(grid, colours, words);
		context.putImageData(image, 0, 0);
		this.bounds = grid;
	}

	draw(context, frame) {
		const { x, y } = this.bounds;
		const [left, top] = [frame.left(x[0]), frame.top(y[1])];
		context.imageSmoothingEnabled = true;
		context.drawImage(this.canvas, left, top, frame.left(x[1]) - left, frame.top(y[0]) - top);
	}
}

const wordOf = ([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r;

function flatWords({ label, width, height, k }, colours, words) {
	const palette = Uint32Array.from({ length: k }, (_, c) => wordOf(colours.regions(c)));
	for (let row = 0; row < height; row++) {
		const start = (height - 1 - row) * width;
		for (let i = 0; i < width; i++) words[row * width + i] = palette[label[start + i]];
	}
}

function blendWords({ posterior, logEvidence, width, height, k }, colours, words) {
	const size = width * height;
	const parts = Array.from({ length: k }, (_, c) => colours.regions(c));
	const [red, green, blue] = [0, 1, 2].map((i) => Float64Array.from(parts, (colour) => colour[i]));
	const paper = rgbOf(colours.paper);
	let top = -Infinity;
	for (let i = 0; logEvidence && i < size; i++) if (logEvidence[i] > top) top = logEvidence[i];
	for (let row = 0; row < height; row++) {
		const start = (height - 1 - row) * width;
		for (let i = 0; i < width; i++) {
			const at = start + i;
			let [r, g, b] = [0, 0, 0];
			for (let c = 0, j = at; c < k; c++, j += size) {
				const proportion = posterior[j];
				if (proportion === 0) continue;
				r += proportion * red[c];
				g += proportion * green[c];
				b += proportion * blue[c];
			}
			const strength = logEvidence ? fadeOf(top - logEvidence[at]) : 1;
			r = paper[0] + (r - paper[0]) * strength;
			g = paper[1] + (g - paper[1]) * strength;
			b = paper[2] + (b - paper[2]) * strength;
			words[row * width + i] = (255 << 24) | (b << 16) | (g << 8) | r;
		}
	}
}

const FADES = Float32Array.from({ length: FADE_LENGTH }, (_, i) => {
	const [nats, { middle, width, least }] = [i / 4, FADE];
	return least + (1 - least) / (1 + Math.exp((nats - middle) / width));
});
const fadeOf = (nats) => FADES[Math.min(FADE_LENGTH - 1, Math.max(0, Math.round(4 * nats)))] || FADE.least;

/** The colour of a place on the surface: classes mixed by posterior, [r, g, b]. */
export function blendedColour(posterior, colours) {
	const total = [0, 0, 0];
	posterior.forEach((proportion, c) => {
		const colour = rgbOf(colours.classes(c));
		for (let i = 0; i < 3; i++) total[i] += proportion * colour[i];
	});
	return mixColours(total, total, 0);
}
