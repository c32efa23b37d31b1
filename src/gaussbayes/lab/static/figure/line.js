// One feature: prior × density of each class above, the rows as marks between, posteriors below.

import { boxAt, boxOutline, curveAt, dotAt, lineAt, MARGINS, textAt, ticksAt, ticksOf, xAxis, yAxis } from "./axes.js";
import { classVariable } from "./colours.js";
import { svgEl } from "./elements.js";
import { HandleLayer } from "./handles.js";
import { markPath } from "./marks.js";
import { exactNumber, roundTo, shortNumber } from "./numbers.js";
import { boundariesOf } from "./quantities.js";
import { predictedCodes, truthOf } from "./scene.js";
import { SpaceView } from "./space_view.js";

const SAMPLES = 240;
const STRIP_ROW = 15; // pixels of a row of marks
const MOST_ROWS = 4; // of marks, one for each class
const MOST_POINTS = 400; // more are a histogram
const BINS = 48;
const ARROW = 0.01; // of the window, for an arrow key
const WIDER = 1.05;
const NARROWEST = 2e-3; // of the window

export class LineView extends SpaceView {
	highest = 0; // density at the upper edge

	constructor(figure, stage) {
		super();
		this.figure = figure;
		this.curves = svgEl("g", { "aria-hidden": "true" });
		this.surface = svgEl("svg", { class: "gb-line" }, this.curves);
		this.handles = new HandleLayer(figure, this.surface);
		stage.append(this.surface);
		this.surface.addEventListener("pointerdown", (event) => this.press(event));
	}

	/** Draw a drawing: {scene, model, window, query, x, width, height}. */
	draw(drawing) {
		const { scene: { layers, names, hidden }, model, query } = drawing;
		this.drawing = drawing;
		this.layOut(drawing);
		const { range, isSplit } = this;
		const parts = [boxOutline(this.upper), ...xAxis(this.axis, range, names[0])];
		if (model?.factors) {
			const samples = sampled(model, range);
			this.scale(layers, samples);
			const bounds = isSplit && layers.boundary ? boundariesOf({ model }).filter((x) => x > range[0] && x < range[1]) : [];
			parts.push(...this.bands(bounds), ...this.heights(samples), ...this.boundaries(bounds), ...this.posteriors(samples));
			if (query && !hidden[0]) parts.push(...this.cursor());
		}
		this.curves.replaceChildren(...parts, ...this.marks());
		this.showHandles();
	}

	/** The boxes of the two parts, and the strip of marks between them. */
	layOut({ scene, model, window, width, height }) {
		const { left, right, top, bottom } = MARGINS;
		const box = { left, width: Math.max(40, width - left - right) };
		const isSplit = (model?.classes.length ?? 0) > 1;
		const hasMarks = scene.layers.points && scene.table.n && scene.table.n <= MOST_POINTS;
		const strip = hasMarks ? Math.min(MOST_ROWS, scene.classes.length || 1) * STRIP_ROW + 8 : 0;
		const room = Math.max(80, height - top - bottom - strip - (isSplit ? 24 : 0));
		const upper = { ...box, top, height: isSplit ? Math.round(0.62 * room) : room };
		const lower = { ...box, top: top + upper.height + strip + 24, height: room - upper.height };
		// Without posteriors the axis is below the marks.
		const axis = isSplit ? lower : { ...upper, height: upper.height + strip };
		const unit = (window.x[1] - window.x[0]) / box.width;
		Object.assign(this, { upper, lower, axis, unit, isSplit, hasMarks, range: window.x, middle: top + upper.height });
	}

	across(x) {
		return this.upper.left + (x - this.range[0]) / this.unit;
	}

	/** Keep the scale as long as the curves fit well, so that a handle does not run away from the pointer. */
	scale(layers, samples) {
		const heights = ({ joint, density, sum }) => [
			...(layers.joint ? (layers.evidence ? [sum] : joint) : []), ...(layers.density || !layers.joint ? density : []),
		];
		const most = Math.max(...samples.flatMap(heights));
		const least = this.isSplit ? 0 : (this.figure.state.window?.y?.[1] ?? 0); // a bell that gets wider gets lower
		if (most <= least) this.highest = least;
		else if (!(most * 1.04 <= this.highest && most > 0.42 * this.highest)) this.highest = 1.14 * most || 1;
	}

	/** The pixel of a density, and of a posterior. */
	up(value) {
		return this.middle - (this.upper.height * value) / this.highest;
	}

	share(value) {
		return this.lower.top + this.lower.height * (1 - value);
	}

	curve(samples, read, code, kind = "curve") {
		return curveAt(kind, samples.map((sample) => [this.across(sample.x), this.up(read(sample))]), code);
	}

	/** Colour behind the curves: the most probable class of each interval. */
	bands(bounds) {
		const { scene, model } = this.drawing;
		if (scene.layers.regions === "none" || !this.isSplit) return [];
		const ends = [this.range[0], ...bounds, this.range[1]];
		return ends.slice(1).flatMap((end, i) => {
			const [left, right, code] = [this.across(ends[i]), this.across(end), model.label([(ends[i] + end) / 2])];
			return [this.upper, this.lower].map(({ top, height }) => boxAt("band", [left, top], right - left, height, code));
		});
	}

	/** Curves of prior × density, densities, evidence and truth in the upper part. */
	heights(samples) {
		const { upper, highest, drawing: { scene } } = this;
		const { layers, table } = scene;
		const codes = samples[0].joint.map((_, c) => c);
		const name = codes.length > 1 && layers.joint ? "prior × density" : "density";
		const parts = yAxis(upper, [0, highest], name, ticksOf([0, highest], upper.height / 60), true);
		if (layers.points && table.n > MOST_POINTS) parts.push(...this.histogram(scene));
		const [low, high] = this.range.map((x) => ({ x, joint: [] }));
		if (layers.joint) parts.push(...codes.map((c) => this.curve([low, ...samples, high], ({ joint }) => joint[c] ?? 0, c, "area")));
		if (layers.joint) parts.push(...codes.map((c) => this.curve(samples, ({ joint }) => joint[c], c)));
		const kind = layers.joint ? "curve gb-dashed" : "curve";
		if (layers.density || !layers.joint) parts.push(...codes.map((c) => this.curve(samples, ({ density }) => density[c], c, kind)));
		if (layers.evidence && layers.joint && codes.length > 1) parts.push(this.curve(samples, ({ sum }) => sum, -1, "sum"));
		if (layers.truth) parts.push(...this.truth(scene, samples));
		return parts;
	}

	truth(scene, samples) {
		return truthOf(scene).map(({ code, mean: [mean], covariance: [[variance]], prior }) => {
			const height = ({ x }) => (prior * Math.exp((-0.5 * (x - mean) ** 2) / variance)) / Math.sqrt(2 * Math.PI * variance);
			return this.curve(samples, height, code, "curve gb-dashed");
		});
	}

	/** Bars whose areas are proportions of all rows, on the scale of prior × density. */
	histogram({ table, codes, classes }) {
		const [low, high] = this.range;
		const width = (high - low) / BINS;
		const counts = classes.map(() => new Float64Array(BINS));
		this.drawing.x.forEach((value, i) => codes[i] >= 0 && (counts[codes[i]][Math.floor((value - low) / width)] += 1));
		return counts.flatMap((bars, c) => Array.from(bars, (count, i) => {
			const top = Math.max(this.upper.top, this.up(count / table.n / width));
			return boxAt("bars", [this.across(low + i * width) + 0.5, top], width / this.unit - 1, this.middle - top, c);
		}));
	}

	posteriors(samples) {
		if (!this.isSplit) return [];
		const place = ({ x, posterior }, c) => [this.across(x), this.share(posterior[c])];
		const curves = samples[0].posterior.map((_, c) => curveAt("curve", samples.map((sample) => place(sample, c)), c));
		return [boxOutline(this.lower), ...yAxis(this.lower, [0, 1], "posterior", ticksAt([0, 0.5, 1]), true), ...curves];
	}

	/** A line through both parts. */
	through(kind, left) {
		const { upper, lower, isSplit } = this;
		return lineAt(kind, [left, upper.top], [left, isSplit ? lower.top + lower.height : this.middle]);
	}

	boundaries(bounds) {
		const { upper, unit } = this;
		let last = -Infinity; // the place of the last number
		return bounds.flatMap((x) => {
			const left = this.across(x);
			const isLast = left > upper.left + upper.width - 60;
			const text = exactNumber(roundTo(x, 10 * unit), unit);
			const note = textAt("note", left + (isLast ? -5 : 5), upper.top + 15, isLast ? "end" : "start", text);
			const hasRoom = left - last > 48;
			if (hasRoom) last = left;
			return [this.through("boundary", left), ...(hasRoom ? [note] : [])];
		});
	}

	/** Marks of the rows, each class in its own line; those at the same place are stacked a little. */
	marks() {
		const { scene, x } = this.drawing;
		const { codes, held, layers, classes } = scene;
		this.places = [];
		if (!this.hasMarks) return [];
		const predicted = layers.errors ? predictedCodes(scene) : null;
		const taken = new Map();
		return Array.from(x).flatMap((value, i) => {
			if (!(value >= this.range[0] && value <= this.range[1])) return [];
			const [cx, row] = [this.across(value), classes.length > MOST_ROWS ? 0 : Math.max(0, codes[i])];
			const key = `${row},${Math.round(cx / 4)}`;
			taken.set(key, (taken.get(key) ?? -1) + 1);
			const cy = this.middle + 6 + STRIP_ROW * (row + 0.5) - 2.2 * Math.min(3, taken.get(key));
			this.places[i] = [cx, cy];
			const what = { class: held?.[i] ? "gb-dot gb-hollow" : "gb-dot", own: { "--own": classVariable(codes[i]) } };
			const mark = svgEl("path", { ...what, d: markPath(codes[i], x.length > 120 ? 3 : 4.6, cx, cy) });
			const isWrong = predicted && codes[i] >= 0 && predicted[i] !== codes[i];
			return isWrong ? [mark, svgEl("circle", { class: "gb-wrong", cx, cy, r: 7 })] : [mark];
		});
	}

	/** The query: a line through both parts, and dots where it meets the curves. */
	cursor() {
		const { scene, model, query: [x] } = this.drawing;
		const left = this.across(x);
		const heights = model[scene.layers.joint ? "logJoint" : "logLikelihood"]([x]).map((log) => this.up(Math.exp(log)));
		const shares = this.isSplit ? model.posterior([x]).map((value) => this.share(value)) : [];
		return [this.through("cursor", left), ...[heights, shares].flatMap((places) => places.map((y, c) => dotAt([left, y], 4.5, c)))];
	}

	pixel([x]) {
		return [this.across(x), this.middle];
	}

	place(left) {
		const [low, high] = this.range;
		return [roundTo(Math.min(Math.max(low + (left - this.upper.left) * this.unit, low), high), this.unit)];
	}

	arrow([right, up]) {
		return [(right + up) * ARROW * this.upper.width, 0];
	}

	textOf([x]) {
		return exactNumber(x, this.unit);
	}

	pointAt(i) {
		return this.places[i] ?? null;
	}

	/** The place on a class's curve at some standard deviations from its mean. */
	meanAt(c, z = 0) {
		const { scene: { layers }, model } = this.drawing;
		const sd = Math.sqrt(model.covariances[c][0][0]);
		const height = (Math.exp(-0.5 * z * z) * (layers.joint ? model.priors[c] : 1)) / (sd * Math.sqrt(2 * Math.PI));
		return [this.across(model.means[c][0] + z * sd), this.up(height)];
	}

	/** The standard deviation of a class, at the turning point of its curve. */
	shapeHandles(c) {
		const { scene, model } = this.drawing;
		const [at, sd] = [this.meanAt(c, 1), Math.sqrt(model.covariances[c][0][0])];
		const patch = (value) => {
			const near = roundTo(Math.max(value, NARROWEST * (this.range[1] - this.range[0])), this.unit / 4);
			return { [`model.parameters.covariances.${c}`]: [[near * near]] };
		};
		return [{
			id: `sd-${c}`, kind: "across", code: c, at, arm: [this.across(model.means[c][0]), at[1]],
			label: `standard deviation of ${scene.classes[c]}`, value: sd, text: shortNumber(sd, 4),
			grab: () => ([right]) => patch(sd + right * this.unit),
			step: ([right, up]) => patch(Math.sqrt(this.figure.state.model.parameters.covariances[c][0][0]) * WIDER ** (right + up)),
		}];
	}
}

/** The points of the curves in a window; denser around each mean, to show narrow peaks. */
function sampled(model, [low, high]) {
	const even = Array.from({ length: SAMPLES + 1 }, (_, i) => low + (i / SAMPLES) * (high - low));
	const about = ([mean], c) => Array.from({ length: 33 }, (_, i) => mean + (i / 4 - 4) * Math.sqrt(model.covariances[c][0][0]));
	const places = [...even, ...model.means.slice(0, 12).flatMap(about).filter((x) => x > low && x < high)].sort((a, b) => a - b);
	return places.map((x) => {
		const joint = model.logJoint([x]).map(Math.exp);
		const density = model.logLikelihood([x]).map(Math.exp);
		return { x, joint, density, posterior: model.posterior([x]), sum: joint.reduce((sum, value) => sum + value, 0) };
	});
}
