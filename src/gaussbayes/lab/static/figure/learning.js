// Training rows against test error: Gaussians (generative) and logistic regression (discriminative), means over many samples.

import { fit, fromParameters, logisticRegression, random, sample } from "../density.js";
import { boxOutline, ticksOf, xAxis, yAxis } from "./axes.js";
import { classVariable } from "./colours.js";
import { svgEl } from "./elements.js";
import { HandleLayer } from "./handles.js";
import { percentText } from "./numbers.js";
import { marginsOf } from "./plane.js";

const EXPERIMENT = { sizes: [4, 6, 10, 16, 25, 40, 65, 100, 160, 250], repeats: 40, test: 1500, seed: 1, size: 25 };
const BUDGET = 14; // milliseconds of computing in a frame
const RULES = [["generative", "Gaussians", 0], ["discriminative", "logistic regression", 1]];

/** The experiment: samples are drawn, fitted and tested a few at a time. */
class LearningRun {
	constructor({ table, state, columns }) {
		const { truth } = table;
		if (!truth) throw new Error("This view needs data that are drawn from known Gaussians.");
		Object.assign(this, { options: state.model ?? {}, settings: { ...EXPERIMENT, ...state.learning }, done: 0, columns });
		this.names = truth.classes;
		this.source = fromParameters({ ...truth, classes: truth.classes.map((_, c) => c) });
		const { rows, labels } = sample(this.source, this.settings.test, random(1000 + this.settings.seed));
		this.test = { rows, labels: labels.map((c) => this.names[c]) };
		this.sums = this.settings.sizes.map(() => ({ generative: 0, discriminative: 0, count: 0 }));
		this.least = wrongShare(this.test, (row) => this.optimal(row));
	}

	/** The label that the generating Gaussians make most probable; a class may have several. */
	optimal(row) {
		const totals = new Map();
		this.source.posterior(row).forEach((p, c) => totals.set(this.names[c], (totals.get(this.names[c]) ?? 0) + p));
		return [...totals].reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0];
	}

	get total() {
		return this.settings.sizes.length * this.settings.repeats;
	}

	/** Work for some milliseconds; returns whether something is left. */
	work() {
		const end = performance.now() + BUDGET;
		while (this.done < this.total && performance.now() < end) this.one(this.done++);
		return this.done < this.total;
	}

	one(number) {
		const { sizes, seed } = this.settings;
		const place = number % sizes.length;
		const components = this.names.map((name) => this.names.filter((other) => other === name).length);
		const counts = components.map((count) => Math.max(1, Math.round(sizes[place] / count)));
		const { rows, labels: drawn } = sample(this.source, counts, random(7919 * seed + number));
		const labels = drawn.map((c) => this.names[c]);
		try {
			const gaussian = fit(rows, labels, this.options);
			const logistic = logisticRegression(rows, labels, { penalty: 1e-2, classes: gaussian.classes });
			const sum = this.sums[place];
			sum.generative += wrongShare(this.test, (row) => gaussian.classes[gaussian.label(row)]);
			sum.discriminative += wrongShare(this.test, (row) => gaussian.classes[logistic.label(row)]);
			sum.count += 1;
		} catch {
			// A sample so small that a covariance is singular does not count.
		}
	}

	/** Mean errors at a size: those of the nearest one. */
	at(size) {
		const { sizes } = this.settings;
		const wanted = size ?? this.settings.size;
		const place = sizes.reduce((best, other, i) => (Math.abs(Math.log(other / wanted)) < Math.abs(Math.log(sizes[best] / wanted)) ? i : best), 0);
		const { count, generative, discriminative } = this.sums[place];
		return count ? { generative: generative / count, discriminative: discriminative / count, size: sizes[place] } : null;
	}
}

const wrongShare = ({ rows, labels }, predict) => rows.reduce((wrong, row, i) => wrong + (predict(row) !== labels[i] ? 1 : 0), 0) / rows.length;

export class LearningView {
	constructor(figure, stage) {
		this.figure = figure;
		this.curves = svgEl("g", { "aria-hidden": "true" });
		this.root = svgEl("svg", { class: "gb-areas" }, this.curves);
		this.handles = new HandleLayer(figure, this.root);
		stage.append(this.root);
	}

	draw({ scene, width, height }) {
		const { sizes, repeats, test, seed } = { ...EXPERIMENT, ...scene.state.learning };
		const key = JSON.stringify([scene.state.model, sizes, repeats, test, seed]);
		if (this.key !== key || this.table !== scene.table) {
			Object.assign(this, { key, table: scene.table, run: new LearningRun(scene) });
			scene.memo.learning = this.run;
		}
		const { left, right, top, bottom } = marginsOf(width);
		const box = { left, top: top + 4, width: width - left - right, height: height - top - bottom - 4 };
		const known = this.run.sums.flatMap(({ count, generative, discriminative }) => (count ? [generative / count, discriminative / count] : []));
		const high = Math.max(0.05, 1.1 * Math.max(...known, this.run.least));
		const range = [Math.log10(sizes[0]) - 0.06, Math.log10(sizes.at(-1)) + 0.06];
		const across = (size) => box.left + ((Math.log10(size) - range[0]) / (range[1] - range[0])) * box.width;
		const up = (error) => box.top + box.height * (1 - error / high);
		const marks = sizes.filter((_, i) => i % (width < 480 ? 2 : 1) === 0).map((size) => ({ value: Math.log10(size), text: String(size) }));
		const percents = ticksOf([0, 100 * high], box.height / 55).marks.map(({ value, text }) => ({ value: value / 100, text: `${text} %` }));
		const least = svgEl("line", { class: "gb-boundary", x1: box.left, x2: box.left + box.width, y1: up(this.run.least), y2: up(this.run.least) });
		this.curves.replaceChildren(boxOutline(box), ...xAxis(box, range, "training rows of each class", { ticks: { marks, note: "" } }),
			...yAxis(box, [0, high], "test error", { ticks: { marks: percents, note: "" }, lines: true }), least,
			svgEl("text", { class: "gb-note", x: box.left + box.width - 6, y: up(this.run.least) + 16, "text-anchor": "end" }, `optimal rule ${percentText(this.run.least)}`),
			...RULES.flatMap(([name, title, code], i) => this.curve(name, title, code, i, across, up)));
		this.showHandle(scene, box, across, up, range);
		if (this.run.work()) this.figure.render();
		else if (!this.isTold) this.isTold = !this.figure.showTexts();
		if (this.run.done < this.run.total) this.isTold = false;
	}

	curve(name, title, code, i, across, up) {
		const own = { "--own": classVariable(code) };
		const places = this.run.settings.sizes.flatMap((size, j) => {
			const sum = this.run.sums[j];
			return sum.count ? [[across(size), up(sum[name] / sum.count)]] : [];
		});
		if (!places.length) return [];
		const dots = places.map(([x, y]) => svgEl("circle", { class: "gb-spot", cx: x.toFixed(1), cy: y.toFixed(1), r: 3.6, own }));
		const [x, y] = [places.at(-1)[0] - 130, 30 + 20 * i];
		return [svgEl("path", { class: "gb-curve", d: `M${places.map((place) => place.map((value) => value.toFixed(1)).join(" ")).join("L")}`, own }), ...dots,
			svgEl("circle", { class: "gb-spot", cx: x - 10, cy: y - 4, r: 5, own }), svgEl("text", { class: "gb-name", x, y }, title)];
	}

	showHandle({ state }, box, across, up, range) {
		const found = this.run.at(state.learning?.size);
		if (!found || !(state.move ?? []).includes("size")) return this.handles.show([]);
		const { sizes } = this.run.settings;
		const put = (place) => ({ "learning.size": sizes[Math.min(Math.max(place, 0), sizes.length - 1)] });
		const nearest = (left) => {
			const wanted = range[0] + ((left - box.left) / box.width) * (range[1] - range[0]);
			return sizes.reduce((best, size, i) => (Math.abs(Math.log10(size) - wanted) < Math.abs(Math.log10(sizes[best]) - wanted) ? i : best), 0);
		};
		const left = across(found.size);
		this.handles.show([{
			id: "size", kind: "across", code: -1, at: [left, box.top + box.height], arm: [left, box.top], label: "training rows of each class", value: found.size, text: String(found.size),
			grab: () => ([right]) => put(nearest(left + right)),
			step: ([right, upwards]) => put(sizes.indexOf(this.run.at(this.figure.state.learning?.size).size) + Math.sign(right + upwards)),
		}]);
	}
}
