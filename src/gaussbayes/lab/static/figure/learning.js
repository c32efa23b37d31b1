// Training rows against test error: Gaussians (generative) and logistic regression (discriminative), means over many samples.

import { fit, fromParameters, logisticRegression, random, sample } from "../density.js";
import { boxOutline, lineAt, MARGINS, textAt, ticksAt, ticksOf, xAxis, yAxis } from "./axes.js";
import { classVariable } from "./colours.js";
import { svgEl } from "./elements.js";
import { HandleLayer } from "./handles.js";
import { percentText } from "./numbers.js";

const EXPERIMENT = { sizes: [4, 6, 10, 16, 25, 40, 65, 100, 160, 250], repeats: 40, test: 1500, seed: 1, size: 25 };
const BUDGET = 14; // milliseconds of computing in a frame
const RULES = [["generative", "Gaussians"], ["discriminative", "logistic regression"]];

const wrongShare = ({ rows, labels }, predict) => rows.filter((row, i) => predict(row) !== labels[i]).length / rows.length;
const nearestPlace = (values, wanted) => values.reduce((best, value, i) => (Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? i : best), 0);

/** The experiment: samples are drawn, fitted and tested a few at a time. */
class LearningRun {
	constructor({ table: { truth }, state }) {
		if (!truth) throw new Error("This view needs data that are drawn from known Gaussians.");
		const settings = { ...EXPERIMENT, ...state.learning };
		Object.assign(this, { options: state.model ?? {}, settings, done: 0, total: settings.sizes.length * settings.repeats, names: truth.classes });
		this.source = fromParameters({ ...truth, classes: truth.classes.map((_, c) => c) }); // a class may have several Gaussians
		this.test = this.drawn(settings.test, 1000 + settings.seed);
		this.sums = settings.sizes.map(() => ({ generative: 0, discriminative: 0, count: 0 }));
		this.least = wrongShare(this.test, (row) => this.optimal(row));
	}

	drawn(n, seed) {
		const { rows, labels } = sample(this.source, n, random(seed));
		return { rows, labels: labels.map((c) => this.names[c]) };
	}

	/** The label that the generating Gaussians make most probable. */
	optimal(row) {
		const totals = new Map();
		this.source.posterior(row).forEach((p, c) => totals.set(this.names[c], (totals.get(this.names[c]) ?? 0) + p));
		return [...totals].reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0];
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
		const counts = this.names.map((name) => Math.max(1, Math.round(sizes[place] / this.names.filter((other) => other === name).length)));
		const { rows, labels } = this.drawn(counts, 7919 * seed + number);
		try {
			const gaussian = fit(rows, labels, this.options);
			const logistic = logisticRegression(rows, labels, { penalty: 1e-2, classes: gaussian.classes });
			const errors = [gaussian, logistic].map((rule) => wrongShare(this.test, (row) => gaussian.classes[rule.label(row)]));
			RULES.forEach(([name], i) => (this.sums[place][name] += errors[i]));
			this.sums[place].count += 1;
		} catch {
			// A sample so small that a covariance is singular does not count.
		}
	}

	/** Mean errors at the size that is nearest. */
	at(size = this.settings.size) {
		const { sizes } = this.settings;
		const place = nearestPlace(sizes.map(Math.log), Math.log(size));
		const { count, generative, discriminative } = this.sums[place];
		return count ? { generative: generative / count, discriminative: discriminative / count, size: sizes[place], place } : null;
	}
}

export class LearningView {
	constructor(figure, stage) {
		this.figure = figure;
		this.curves = svgEl("g", { "aria-hidden": "true" });
		this.root = svgEl("svg", {}, this.curves);
		this.handles = new HandleLayer(figure, this.root);
		stage.append(this.root);
	}

	draw({ scene, width, height }) {
		const { table, memo, state } = scene;
		const key = JSON.stringify([state.model, { ...state.learning, size: 0 }]);
		if (this.key !== key || this.table !== table) Object.assign(this, { key, table, run: (memo.learning = new LearningRun(scene)) });
		const { settings: { sizes }, sums, least } = this.run;
		const { left, right, top, bottom } = MARGINS;
		const box = { left, top: top + 4, width: width - left - right, height: height - top - bottom - 4 };
		const known = sums.filter(({ count }) => count).flatMap((sum) => RULES.map(([name]) => sum[name] / sum.count));
		const high = Math.max(0.05, 1.1 * Math.max(...known, least));
		const range = [Math.log10(sizes[0]) - 0.06, Math.log10(sizes.at(-1)) + 0.06];
		Object.assign(this, { box, range, across: (size) => left + ((Math.log10(size) - range[0]) / (range[1] - range[0])) * box.width });
		const up = (error) => box.top + box.height * (1 - error / high);
		const shown = sizes.filter((_, i) => width > 480 || i % 2 === 0).map(Math.log10);
		const percents = ticksOf([0, 100 * high], box.height / 55).marks.map(({ value }) => value / 100);
		this.curves.replaceChildren(boxOutline(box),
			...xAxis(box, range, "training rows of each class", ticksAt(shown, (value) => String(Math.round(10 ** value)))),
			...yAxis(box, [0, high], "test error", ticksAt(percents, percentText), true),
			lineAt("boundary", [left, up(least)], [left + box.width, up(least)]),
			textAt("note", left + box.width - 6, up(least) + 16, "end", `optimal rule ${percentText(least)}`),
			...RULES.flatMap(([name, title], i) => this.curve(name, title, i, up)));
		this.showHandle(state);
		const isDone = !this.run.work();
		if (!isDone) this.figure.render();
		else if (this.told !== this.run) this.figure.showTexts();
		this.told = isDone ? this.run : null;
	}

	curve(name, title, code, up) {
		const { sums, settings: { sizes } } = this.run;
		const own = { "--own": classVariable(code) };
		const places = sizes.map((size, j) => [this.across(size), up(sums[j][name] / sums[j].count)]).filter(([, y]) => Number.isFinite(y));
		const dot = ([x, y], r = 3.6) => svgEl("circle", { class: "gb-spot", cx: x.toFixed(1), cy: y.toFixed(1), r, own });
		const d = places.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
		const [x, y] = [this.box.left + this.box.width - 142, 30 + 20 * code];
		return [svgEl("path", { class: "gb-curve", d, own }), ...places.map((place) => dot(place)), dot([x - 10, y - 4], 5), textAt("name", x, y, "start", title)];
	}

	/** The marked sample size. */
	showHandle({ learning, move }) {
		const { run, box, range } = this;
		const found = move?.includes("size") ? run.at(learning?.size) : null;
		if (!found) return this.handles.show([]);
		const { sizes } = run.settings;
		const put = (place) => ({ "learning.size": sizes[Math.min(Math.max(place, 0), sizes.length - 1)] });
		const nearest = (x) => nearestPlace(sizes.map(Math.log10), range[0] + ((x - box.left) / box.width) * (range[1] - range[0]));
		const left = this.across(found.size);
		this.handles.show([{
			id: "size", kind: "across", code: -1, at: [left, box.top + box.height], arm: [left, box.top],
			label: "training rows of each class", value: found.size, text: String(found.size),
			grab: () => ([right]) => put(nearest(left + right)),
			step: ([right, up]) => put(run.at(this.figure.state.learning?.size).place + Math.sign(right + up)),
		}]);
	}
}
