// One feature: prior × density of each class above, the rows as marks between, posteriors below.

import { boxOutline, lineAt, MARGINS, textAt, ticksAt, ticksOf, xAxis, yAxis } from "./axes.js";
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

	/** Draw a picture: {scene, model, window, query, x, width, height}. */
	draw(picture) {
		const { scene, model, query } = picture;
		this.picture = picture;
		const { upper, axis, range, isSplit } = this.layOut(picture);
		const samples = model?.factors ? sampled(model, range) : [];
		const parts = [boxOutline(upper), ...xAxis(axis, range, scene.names[0])];
		if (samples.length) {
			this.scale(scene.layers, samples);
			const bounds = isSplit && scene.layers.boundary ? boundariesOf({ model }).filter((x) => x > range[0] && x < range[1]) : [];
			parts.push(...this.bands(bounds), ...this.heights(samples), ...this.boundaries(bounds), ...this.posteriors(samples));
		}
		parts.push(...this.marks());
		if (query && samples.length && !scene.hidden[0]) parts.push(...this.cursor());
		this.curves.replaceChildren(...parts);
		this.showHandles();
	}

	/** The boxes of the two parts, and the strip of marks between them. */
	layOut({ scene, model, window, width, height }) {
		const margin = MARGINS;
		const box = { left: margin.left, width: Math.max(40, width - margin.left - margin.right) };
		const isSplit = (model?.classes.length ?? 0) > 1;
		const hasMarks = scene.layers.points && scene.table.n && scene.table.n <= MOST_POINTS;
		const strip = hasMarks ? Math.min(MOST_ROWS, scene.classes.length || 1) * STRIP_ROW + 8 : 0;
		const room = Math.max(80, height - margin.top - margin.bottom - strip - (isSplit ? 24 : 0));
		const upper = { ...box, top: margin.top, height: isSplit ? Math.round(0.62 * room) : room };
		const middle = upper.top + upper.height;
		const lower = { ...box, top: middle + strip + 24, height: room - upper.height };
		// Without posteriors the axis is below the marks.
		const axis = isSplit ? lower : { ...upper, height: upper.height + strip };
		const unit = (window.x[1] - window.x[0]) / box.width;
		return Object.assign(this, { upper, lower, axis, middle, unit, isSplit, hasMarks, range: window.x, bottom: isSplit ? lower.top + lower.height : middle });
	}

	across(x) {
		return this.upper.left + (x - this.range[0]) / this.unit;
	}

	/** Keep the scale as long as the curves fit well, so that a handle does not run away from the pointer. */
	scale({ joint: hasJoint, density: hasDensity, evidence }, samples) {
		const height = ({ joint, density, sum }) => Math.max(hasJoint ? (evidence ? sum : Math.max(...joint)) : 0, ...(hasDensity || !hasJoint ? density : []));
		const most = Math.max(...samples.map(height));
		if (!(most * 1.04 <= this.highest && most > 0.42 * this.highest)) this.highest = 1.14 * most || 1;
		this.up = (value) => this.middle - (this.upper.height * value) / this.highest;
	}

	curve(samples, read, up, code, kind = "curve") {
		const d = samples.map((sample, i) => `${i ? "L" : "M"}${this.across(sample.x).toFixed(1)} ${up(read(sample)).toFixed(1)}`).join("");
		return svgEl("path", { class: `gb-${kind}`, d, own: { "--own": classVariable(code) } });
	}

	/** Colour behind the curves: the most probable class of each interval. */
	bands(bounds) {
		const { scene, model } = this.picture;
		if (scene.layers.regions === "none" || !this.isSplit) return [];
		const ends = [this.range[0], ...bounds, this.range[1]];
		return ends.slice(1).flatMap((end, i) => {
			const own = { "--own": classVariable(model.label([(ends[i] + end) / 2])) };
			const [left, right] = [this.across(ends[i]), this.across(end)];
			return [this.upper, this.lower].map(({ top, height }) =>
				svgEl("rect", { class: "gb-band", x: left.toFixed(1), width: Math.max(0, right - left).toFixed(1), y: top, height, own }));
		});
	}

	/** Curves of prior × density, densities, evidence and truth in the upper part. */
	heights(samples) {
		const { upper, up, highest, picture: { scene } } = this;
		const { layers, table } = scene;
		const codes = samples[0].joint.map((_, c) => c);
		const name = codes.length > 1 && layers.joint ? "prior × density" : "density";
		const parts = yAxis(upper, [0, highest], name, ticksOf([0, highest], upper.height / 60), true);
		if (layers.points && table.n > MOST_POINTS) parts.push(...this.histogram(scene));
		const ends = [{ x: this.range[0], joint: null }, ...samples, { x: this.range[1], joint: null }];
		if (layers.joint) {
			parts.push(...codes.map((c) => this.curve(ends, ({ joint }) => joint?.[c] ?? 0, up, c, "area")));
			parts.push(...codes.map((c) => this.curve(samples, ({ joint }) => joint[c], up, c)));
		}
		const kind = layers.joint ? "curve gb-dashed" : "curve";
		if (layers.density || !layers.joint) parts.push(...codes.map((c) => this.curve(samples, ({ density }) => density[c], up, c, kind)));
		if (layers.evidence && layers.joint && codes.length > 1) parts.push(this.curve(samples, ({ sum }) => sum, up, -1, "sum"));
		if (layers.truth) parts.push(...this.truth(scene, samples));
		return parts;
	}

	truth(scene, samples) {
		const found = truthOf(scene);
		return found.map(({ code, mean: [mean], covariance: [[variance]] }) => {
			const weight = (scene.table.truth.priors?.[code] ?? 1 / found.length) / Math.sqrt(2 * Math.PI * variance);
			return this.curve(samples, ({ x }) => weight * Math.exp((-0.5 * (x - mean) ** 2) / variance), this.up, code, "curve gb-dashed");
		});
	}

	/** Bars whose areas are proportions of all rows, on the scale of prior × density. */
	histogram({ table, codes, classes }) {
		const { range, up, picture: { x } } = this;
		const width = (range[1] - range[0]) / BINS;
		const counts = classes.map(() => new Float64Array(BINS));
		x.forEach((value, i) => codes[i] >= 0 && (counts[codes[i]][Math.floor((value - range[0]) / width)] += 1));
		const bar = (count, i) => {
			const [left, right] = [this.across(range[0] + i * width) + 0.5, this.across(range[0] + (i + 1) * width) - 0.5];
			const top = Math.max(this.upper.top, up(count / table.n / width));
			return count ? `M${left.toFixed(1)} ${up(0)}V${top.toFixed(1)}H${right.toFixed(1)}V${up(0)}Z` : "";
		};
		return counts.map((bars, c) => svgEl("path", { class: "gb-bars", d: Array.from(bars, bar).join(""), own: { "--own": classVariable(c) } }));
	}

	posteriors(samples) {
		const { lower, isSplit } = this;
		if (!isSplit) return [];
		const up = (value) => lower.top + lower.height * (1 - value);
		const curves = samples[0].posterior.map((_, c) => this.curve(samples, ({ posterior }) => posterior[c], up, c));
		return [boxOutline(lower), ...yAxis(lower, [0, 1], "posterior", ticksAt([0, 0.5, 1]), true), ...curves];
	}

	boundaries(bounds) {
		const { upper, unit, bottom } = this;
		let last = -Infinity; // the place of the last number
		return bounds.flatMap((x) => {
			const left = this.across(x);
			const line = lineAt("boundary", [left, upper.top], [left, bottom]);
			if (left - last < 48) return [line];
			last = left;
			const isLast = left > upper.left + upper.width - 60;
			const text = exactNumber(roundTo(x, 10 * unit), unit);
			return [line, textAt("note", left + (isLast ? -5 : 5), upper.top + 15, isLast ? "end" : "start", text)];
		});
	}

	/** Marks of the rows, each class in its own line; those at the same place are stacked a little. */
	marks() {
		const { scene: { codes, held, layers, classes, ...scene }, x } = this.picture;
		this.places = [];
		if (!this.hasMarks) return [];
		const predicted = layers.errors ? predictedCodes({ codes, held, layers, classes, ...scene }) : null;
		const taken = new Map();
		return Array.from(x).flatMap((value, i) => {
			if (!(value >= this.range[0] && value <= this.range[1])) return [];
			const [left, row] = [this.across(value), classes.length > MOST_ROWS ? 0 : Math.max(0, codes[i])];
			const key = `${row},${Math.round(left / 4)}`;
			const count = taken.get(key) ?? 0;
			taken.set(key, count + 1);
			const [cx, cy] = (this.places[i] = [left, this.middle + 6 + STRIP_ROW * (row + 0.5) - 2.2 * Math.min(3, count)]);
			const what = { class: held?.[i] ? "gb-dot gb-hollow" : "gb-dot", own: { "--own": classVariable(codes[i]) } };
			const mark = svgEl("path", { ...what, d: markPath(codes[i], x.length > 120 ? 3 : 4.6, cx, cy) });
			const isWrong = predicted && codes[i] >= 0 && predicted[i] !== codes[i];
			return isWrong ? [mark, svgEl("circle", { class: "gb-wrong", cx, cy, r: 7 })] : [mark];
		});
	}

	/** The query: a line through both parts, and dots where it meets the curves. */
	cursor() {
		const { upper, lower, isSplit, picture: { scene, model, query: [x] } } = this;
		const left = this.across(x);
		const dot = (y, c) => svgEl("circle", { class: "gb-spot", cx: left.toFixed(1), cy: y.toFixed(1), r: 4.5, own: { "--own": classVariable(c) } });
		const heights = model[scene.layers.joint ? "logJoint" : "logLikelihood"]([x]).map((log) => this.up(Math.exp(log)));
		const shares = isSplit ? model.posterior([x]).map((share) => lower.top + lower.height * (1 - share)) : [];
		return [lineAt("cursor", [left, upper.top], [left, this.bottom]), ...heights.map(dot), ...shares.map(dot)];
	}

	pixel([x]) {
		return [this.across(x), this.middle];
	}

	place(left) {
		const value = this.range[0] + (left - this.upper.left) * this.unit;
		return [roundTo(Math.min(Math.max(value, this.range[0]), this.range[1]), this.unit)];
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

	meanAt(c) {
		return this.onCurve(c, 0);
	}

	/** The place on a class's curve at some standard deviations from its mean. */
	onCurve(c, z) {
		const { scene: { layers }, model } = this.picture;
		const sd = Math.sqrt(model.covariances[c][0][0]);
		const height = (Math.exp(-0.5 * z * z) * (layers.joint ? model.priors[c] : 1)) / (sd * Math.sqrt(2 * Math.PI));
		return [this.across(model.means[c][0] + z * sd), this.up(height)];
	}

	/** The standard deviation of a class, at the turning point of its curve. */
	shapeHandles(c) {
		const { scene, model } = this.picture;
		const sd = Math.sqrt(model.covariances[c][0][0]);
		const at = this.onCurve(c, 1);
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

/** What the curves need at places of a window; closer about each mean, so that no peak is cut. */
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
