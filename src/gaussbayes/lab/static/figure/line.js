// One feature: prior × density of each class above, the rows as marks between, posteriors below.

import { boxOutline, ticksOf, xAxis, yAxis } from "./axes.js";
import { classVariable } from "./colours.js";
import { movedPoint } from "./dataset.js";
import { svgEl } from "./elements.js";
import { followPointer, HandleLayer } from "./handles.js";
import { markPath } from "./marks.js";
import { exactNumber, roundTo, shortNumber } from "./numbers.js";
import { marginsOf } from "./plane.js";
import { boundariesOf } from "./quantities.js";
import { predictedCodes, truthOf } from "./scene.js";

const SAMPLES = 240;
const STRIP_ROW = 15; // pixels of a row of marks
const MOST_ROWS = 4; // of marks, one for each class
const MOST_POINTS = 400; // more are a histogram
const ARROW = 0.01; // of the window, for an arrow key
const WIDER = 1.05;
const NARROWEST = 2e-3; // of the window
const TAKEN = 14; // pixels about a point

export class LineView {
	constructor(figure, stage) {
		Object.assign(this, { figure, stage, highest: 0, selected: 0 });
		this.curves = svgEl("g", { "aria-hidden": "true" });
		this.root = svgEl("svg", { class: "gb-line" }, this.curves);
		this.handles = new HandleLayer(figure, this.root);
		stage.append(this.root);
		this.root.addEventListener("pointerdown", (event) => this.press(event));
	}

	/** Draw a picture: {scene, model, window, query, x, colours, width, height}. */
	draw(picture) {
		const { scene, model, window, width, height } = picture;
		this.picture = picture;
		const layout = (this.layout = this.layOut(scene, model, window, width, height));
		const samples = model?.factors ? sampled(model, layout.range) : [];
		const parts = [boxOutline(layout.upper), ...xAxis(layout.axis, layout.range, scene.names[0])];
		if (samples.length) {
			this.scale(scene, samples);
			const bounds = scene.layers.boundary && model.classes.length > 1 ? boundariesOf({ model }) : [];
			parts.push(...this.bands(scene, model, bounds), ...this.heights(scene, samples), ...this.boundaries(bounds), ...this.posteriors(scene, samples));
		}
		if (scene.layers.points) parts.push(...this.points(picture));
		if (picture.query && samples.length && !scene.hidden[0]) parts.push(...this.cursor(picture));
		this.curves.replaceChildren(...parts);
		this.showHandles(picture);
	}

	layOut(scene, model, window, width, height) {
		const margin = marginsOf(width);
		const box = { left: margin.left, width: Math.max(40, width - margin.left - margin.right) };
		const isSplit = (model?.classes.length ?? 0) > 1;
		const rows = scene.layers.points && scene.table.n && scene.table.n <= MOST_POINTS ? Math.min(MOST_ROWS, scene.classes.length || 1) : 0;
		const strip = rows * STRIP_ROW + (rows ? 8 : 0);
		const room = Math.max(80, height - margin.top - margin.bottom - strip - (isSplit ? 24 : 0));
		const upper = { ...box, top: margin.top, height: isSplit ? Math.round(0.62 * room) : room };
		const lower = { ...box, top: upper.top + upper.height + strip + 24, height: room - upper.height };
		const range = window.x;
		const across = (x) => box.left + ((x - range[0]) / (range[1] - range[0])) * box.width;
		const unit = (range[1] - range[0]) / box.width;
		// Without posteriors the axis is below the marks.
		const axis = isSplit ? lower : { ...upper, height: upper.height + strip };
		return { upper, lower, axis, range, across, unit, rows, stripTop: upper.top + upper.height + 6, isSplit };
	}

	/** The density at the upper edge: kept as long as the curves fit well, so that a handle does not run away from the pointer. */
	scale({ layers }, samples) {
		const curves = samples.flatMap(({ joint, density, sum }) => [...(layers.joint ? [layers.evidence ? sum : Math.max(...joint)] : []), ...(layers.density || !layers.joint ? density : [])]);
		const most = curves.reduce((top, value) => Math.max(top, value), 0);
		if (!(most * 1.04 <= this.highest && most > 0.42 * this.highest)) this.highest = 1.14 * most || 1;
		const { upper } = this.layout;
		this.up = (value) => upper.top + upper.height * (1 - value / this.highest);
	}

	/** Colour behind the curves: the most probable class of each interval. */
	bands({ layers }, model, bounds) {
		const { range, across, upper, lower, isSplit } = this.layout;
		if (layers.regions === "none" || !isSplit) return [];
		const ends = [range[0], ...bounds.filter((x) => x > range[0] && x < range[1]), range[1]];
		return ends.slice(1).flatMap((end, i) => {
			const code = model.label([(ends[i] + end) / 2]);
			return [upper, lower].map(({ top, height }) => svgEl("rect", {
				class: "gb-band", x: across(ends[i]).toFixed(1), width: Math.max(0, across(end) - across(ends[i])).toFixed(1), y: top, height,
				own: { "--own": classVariable(code) },
			}));
		});
	}

	/** Curves of prior × density, densities, evidence and truth in the upper part. */
	heights({ layers, classes, table, ...scene }, samples) {
		const { upper, range } = this.layout;
		const k = samples[0].joint.length;
		const name = k > 1 && layers.joint ? "prior × density" : "density";
		const parts = yAxis(upper, [0, this.highest], name, { ticks: ticksOf([0, this.highest], upper.height / 60), lines: true });
		const base = `L${this.layout.across(range[1]).toFixed(1)} ${this.up(0)}L${this.layout.across(range[0]).toFixed(1)} ${this.up(0)}Z`;
		if (layers.points && table.n > MOST_POINTS) parts.push(...this.histogram({ table, ...scene }, k));
		for (let c = 0; c < k; c++) {
			const own = { "--own": classVariable(c) };
			const line = (values) => this.path(samples, (sample) => sample[values][c], this.up);
			if (layers.joint) {
				parts.push(svgEl("path", { class: "gb-area", d: line("joint") + base, own }), svgEl("path", { class: "gb-curve", d: line("joint"), own }));
			}
			if (layers.density || !layers.joint) parts.push(svgEl("path", { class: `gb-curve${layers.joint ? " gb-dashed" : ""}`, d: line("density"), own }));
		}
		if (layers.evidence && k > 1 && layers.joint) parts.push(svgEl("path", { class: "gb-sum", d: this.path(samples, ({ sum }) => sum, this.up) }));
		if (layers.truth) parts.push(...this.truth({ table, classes, ...scene }));
		return parts;
	}

	truth(scene) {
		const { range } = this.layout;
		const found = truthOf(scene);
		return found.map(({ code, mean: [mean], covariance: [[variance]] }) => {
			const weight = scene.table.truth.priors?.[code] ?? 1 / found.length;
			const height = (x) => (weight * Math.exp(-0.5 * ((x - mean) ** 2 / variance))) / Math.sqrt(2 * Math.PI * variance);
			const places = Array.from({ length: SAMPLES + 1 }, (_, i) => ({ x: range[0] + (i / SAMPLES) * (range[1] - range[0]) }));
			return svgEl("path", { class: "gb-curve gb-dashed", d: this.path(places, ({ x }) => height(x), this.up), own: { "--own": classVariable(code) } });
		});
	}

	/** Bars whose areas are proportions of all rows, on the scale of prior × density. */
	histogram({ table, columns, codes }, k) {
		const { range, across } = this.layout;
		const bins = 48;
		const width = (range[1] - range[0]) / bins;
		const counts = Array.from({ length: k }, () => new Float64Array(bins));
		table.columns[columns[0]].forEach((x, i) => {
			const bin = Math.floor((x - range[0]) / width);
			if (codes[i] >= 0 && codes[i] < k && bin >= 0 && bin < bins) counts[codes[i]][bin] += 1;
		});
		return counts.map((bars, c) => {
			const d = Array.from(bars, (count, i) => {
				const [left, right, top] = [across(range[0] + i * width) + 0.5, across(range[0] + (i + 1) * width) - 0.5, this.up(count / table.n / width)];
				return count ? `M${left.toFixed(1)} ${this.up(0)}V${Math.max(this.layout.upper.top, top).toFixed(1)}H${right.toFixed(1)}V${this.up(0)}Z` : "";
			}).join("");
			return svgEl("path", { class: "gb-bars", d, own: { "--own": classVariable(c) } });
		});
	}

	posteriors(scene, samples) {
		const { lower, isSplit } = this.layout;
		if (!isSplit) return [];
		const marks = [0, 0.5, 1].map((value) => ({ value, text: String(value) }));
		const parts = [boxOutline(lower), ...yAxis(lower, [0, 1], "posterior", { ticks: { marks, note: "" }, lines: true })];
		const up = (value) => lower.top + lower.height * (1 - value);
		samples[0].posterior.forEach((_, c) => {
			const d = this.path(samples, ({ posterior }) => posterior[c], up);
			parts.push(svgEl("path", { class: "gb-curve", d, own: { "--own": classVariable(c) } }));
		});
		return parts;
	}

	boundaries(bounds) {
		const { across, range, upper, lower, isSplit, unit } = this.layout;
		let last = -Infinity;
		return bounds.filter((x) => x > range[0] && x < range[1]).flatMap((x) => {
			const left = across(x);
			const line = svgEl("line", { class: "gb-boundary", x1: left.toFixed(1), x2: left.toFixed(1), y1: upper.top, y2: isSplit ? lower.top + lower.height : upper.top + upper.height });
			const room = left - last > 48;
			if (room) last = left;
			const isRight = left > upper.left + upper.width - 60;
			const at = { class: "gb-note", x: (left + (isRight ? -5 : 5)).toFixed(1), y: upper.top + 15, "text-anchor": isRight ? "end" : "start" };
			return room ? [line, svgEl("text", at, exactNumber(roundTo(x, 10 * unit), unit))] : [line];
		});
	}

	/** Marks of the rows, each class in its own line; equal values are stacked a little. */
	points({ scene, x }) {
		const { rows, across, range } = this.layout;
		if (!rows) return [];
		const { codes, held, layers, classes } = scene;
		const predicted = layers.errors ? predictedCodes(scene) : null;
		const taken = new Map();
		this.places = Array.from(x, (value, i) => {
			if (!(value >= range[0] && value <= range[1])) return null;
			const left = across(value);
			const row = classes.length > MOST_ROWS ? 0 : Math.max(0, codes[i]);
			const key = `${row},${Math.round(left / 4)}`;
			taken.set(key, (taken.get(key) ?? 0) + 1);
			return [left, this.layout.stripTop + STRIP_ROW * (row + 0.5) - 2.2 * Math.min(3, taken.get(key) - 1)];
		});
		return this.places.flatMap((place, i) => {
			if (!place) return [];
			const d = markPath(codes[i], x.length > 120 ? 3 : 4.6, ...place);
			const mark = svgEl("path", { class: held?.[i] ? "gb-dot gb-hollow" : "gb-dot", d, own: { "--own": classVariable(codes[i]) } });
			const isWrong = predicted && codes[i] >= 0 && predicted[i] !== codes[i];
			return isWrong ? [mark, svgEl("circle", { class: "gb-wrong", cx: place[0], cy: place[1], r: 7 })] : [mark];
		});
	}

	/** The query: a line through both parts, and dots where it meets the curves. */
	cursor({ scene, model, query }) {
		const { across, upper, lower, isSplit } = this.layout;
		const left = across(query[0]).toFixed(1);
		const bottom = isSplit ? lower.top + lower.height : upper.top + upper.height;
		const parts = [svgEl("line", { class: "gb-cursor", x1: left, x2: left, y1: upper.top, y2: bottom })];
		const curve = scene.layers.joint ? "logJoint" : "logLikelihood";
		const dot = (y, c) => svgEl("circle", { class: "gb-spot", cx: left, cy: y.toFixed(1), r: 4.5, own: { "--own": classVariable(c) } });
		model[curve]([query[0]]).forEach((log, c) => parts.push(dot(this.up(Math.exp(log)), c)));
		if (isSplit) model.posterior([query[0]]).forEach((p, c) => parts.push(dot(lower.top + lower.height * (1 - p), c)));
		return parts;
	}

	path(samples, value, up) {
		const { across } = this.layout;
		return samples.map((sample, i) => `${i ? "L" : "M"}${across(sample.x).toFixed(1)} ${up(value(sample)).toFixed(1)}`).join("");
	}

	showHandles({ scene, model, query }) {
		const moves = new Set(scene.state.move ?? []);
		const handles = [];
		const isGiven = scene.state.model?.parameters && model?.factors && scene.state.model.parameters.means[0].length === 1;
		for (let c = 0; isGiven && c < Math.min(12, model.means.length); c++) {
			if (moves.has("covariances")) handles.push(this.deviationHandle(scene, model, c));
			if (moves.has("means")) handles.push(this.meanHandle(scene, model, c));
		}
		if (moves.has("points") && this.layout.rows && scene.table.n) handles.push(this.pointHandle(scene));
		if (query && moves.has("query")) handles.push(this.queryHandle(scene, query));
		this.handles.show(handles);
	}

	/** The height of a class's curve at a number of standard deviations from its mean. */
	curveTop({ layers }, model, c, z) {
		const sd = Math.sqrt(model.covariances[c][0][0]);
		const weight = layers.joint ? model.priors[c] : 1;
		return this.up((weight * Math.exp(-0.5 * z * z)) / (sd * Math.sqrt(2 * Math.PI)));
	}

	meanHandle(scene, model, c) {
		const { across, unit, range } = this.layout;
		const mean = model.means[c][0];
		const patch = (value) => ({ [`model.parameters.means.${c}`]: [roundTo(value, unit)] });
		return {
			id: `mean-${c}`, kind: "mean", code: c, at: [across(mean), this.curveTop(scene, model, c, 0)], label: `mean of ${scene.classes[c]}`,
			value: mean, text: exactNumber(mean, unit),
			grab: () => ([right]) => patch(mean + right * unit),
			step: ([right, up]) => patch(this.figure.state.model.parameters.means[c][0] + (right + up) * ARROW * (range[1] - range[0])),
		};
	}

	deviationHandle(scene, model, c) {
		const { across, unit, range } = this.layout;
		const [mean, sd] = [model.means[c][0], Math.sqrt(model.covariances[c][0][0])];
		const patch = (value) => {
			const near = roundTo(Math.max(value, NARROWEST * (range[1] - range[0])), unit / 4);
			return { [`model.parameters.covariances.${c}`]: [[near * near]] };
		};
		const top = this.curveTop(scene, model, c, 1);
		return {
			id: `sd-${c}`, kind: "across", code: c, at: [across(mean + sd), top], arm: [across(mean), top],
			label: `standard deviation of ${scene.classes[c]}`, value: sd, text: shortNumber(sd, 4),
			grab: () => ([right]) => patch(sd + right * unit),
			step: ([right, up]) => patch(Math.sqrt(this.figure.state.model.parameters.covariances[c][0][0]) * WIDER ** (right + up)),
		};
	}

	queryHandle({ names }, query) {
		const { across, unit, range, upper } = this.layout;
		const patch = (value) => ({ query: [roundTo(Math.min(Math.max(value, range[0]), range[1]), unit)] });
		return {
			id: "query", kind: "query", code: -1, at: [across(query[0]), upper.top + upper.height], label: "query point", value: query[0],
			text: `${names[0]} ${exactNumber(query[0], unit)}`,
			grab: () => ([right]) => patch(query[0] + right * unit),
			step: ([right, up]) => patch(this.figure.state.query[0] + (right + up) * ARROW * (range[1] - range[0])),
		};
	}

	pointHandle({ table, classes, codes }) {
		const { unit, range } = this.layout;
		const i = (this.selected = Math.min(this.selected, table.n - 1));
		const value = this.picture.x[i];
		return {
			id: "point", kind: "point", code: codes[i], at: this.places?.[i] ?? [0, -99], value, text: exactNumber(value, unit),
			label: `point ${i + 1} of ${table.n}${codes[i] < 0 ? "" : `, of ${classes[codes[i]]}`}; Page Up and Page Down choose another one`,
			grab: () => ([right]) => this.movedTo(i, value + right * unit),
			step: ([right, up]) => this.movedTo(i, value + (right + up) * ARROW * (range[1] - range[0])),
			key: (event) => {
				const by = { PageDown: 1, PageUp: -1 }[event.key];
				if (!by) return;
				event.preventDefault();
				this.selected = (i + by + table.n) % table.n;
				this.figure.render();
			},
		};
	}

	movedTo(i, value) {
		const { table, columns, state } = this.picture.scene;
		const { range, unit } = this.layout;
		return { data: movedPoint(state.data, table.kept?.[i] ?? i, columns, [roundTo(Math.min(Math.max(value, range[0]), range[1]), unit)]) };
	}

	/** A press moves the nearest mark of a row, or the query. */
	press(event) {
		if (event.button !== 0 || !this.layout) return;
		const { range, unit, upper } = this.layout;
		const moves = new Set(this.figure.state.move ?? []);
		const box = this.root.getBoundingClientRect();
		const [left, top] = [event.clientX - box.left, event.clientY - box.top];
		const distances = moves.has("points") && this.layout.rows ? (this.places ?? []).map((place) => (place ? Math.hypot(place[0] - left, place[1] - top) : Infinity)) : [];
		const row = distances.indexOf(Math.min(...distances));
		const isPoint = row >= 0 && distances[row] < TAKEN;
		if (!isPoint && !moves.has("query")) return;
		event.preventDefault();
		const value = (right) => range[0] + (left + right - upper.left) * unit;
		const start = isPoint ? this.picture.x[row] : 0;
		const ask = (right) => this.figure.move({ query: [roundTo(Math.min(Math.max(value(right), range[0]), range[1]), unit)] });
		if (isPoint) this.selected = row;
		else ask(0);
		const move = ([right]) => (isPoint ? this.figure.move(this.movedTo(row, start + right * unit)) : ask(right));
		followPointer(this.root, event, { move, end: () => this.figure.settle() });
	}
}

/** What the curves need at places of a window; closer about each mean, so that no peak is cut. */
function sampled(model, [low, high]) {
	const places = Array.from({ length: SAMPLES + 1 }, (_, i) => low + (i / SAMPLES) * (high - low));
	model.means.slice(0, 12).forEach(([mean], c) => {
		const sd = Math.sqrt(model.covariances[c][0][0]);
		for (let z = -4; z <= 4; z += 0.25) if (mean + z * sd > low && mean + z * sd < high) places.push(mean + z * sd);
	});
	return places.sort((a, b) => a - b).map((x) => {
		const logs = model.logJoint([x]);
		const joint = logs.map(Math.exp);
		const density = joint.map((value, c) => (model.priors[c] > 0 ? value / model.priors[c] : 0));
		return { x, joint, density, posterior: model.posterior([x]), sum: joint.reduce((sum, value) => sum + value, 0) };
	});
}
