// Training rows against test error: Gaussians (generative) and logistic regression (discriminative), means over many samples.

import { fit, fromParameters, logisticRegression, random, sample } from "../density.js";
import { boxOutline, curveAt, dotAt, lineAt, MARGINS, textAt, ticksAt, ticksOf, xAxis, yAxis } from "./axes.js";
import { svgEl } from "./elements.js";
import { percentText } from "./numbers.js";

const EXPERIMENT = { sizes: [4, 6, 10, 16, 25, 40, 65, 100, 160, 250], repeats: 40, test: 1500, seed: 1, size: 25 };
const BUDGET = 14; // milliseconds of computing in a frame
const RULES = [["generative", "Gaussians"], ["discriminative", "logistic regression"]];

const wrongShare = ({ rows, labels }, predict) => rows.filter((row, i) => predict(row) !== labels[i]).length / rows.length;

/** The experiment: samples are drawn, fitted and tested a few at a time. */
class LearningRun {
	constructor({ table: { truth }, state }) {
		if (!truth) throw new Error("This view needs data that are drawn from known Gaussians.");
		const settings = { ...EXPERIMENT, ...state.learning };
		const total = settings.sizes.length * settings.repeats;
		Object.assign(this, { options: state.model ?? {}, settings, done: 0, total, names: truth.classes });
		this.source = fromParameters({ ...truth, classes: truth.classes.map((_, c) => c) }); // a class may have several Gaussians
		this.test = this.drawn(settings.test, 1000 + settings.seed);
		this.sums = settings.sizes.map(() => ({ generative: 0, discriminative: 0, count: 0 }));
		this.least = wrongShare(this.test, (row) => this.optimal(row));
	}

	drawn(n, seed) {
		const { rows, labels } = sample(this.source, n, random(seed));
		return { rows, labels: labels.map((c) => this.names[c]) };
	}

	/** The most probable label under the generating Gaussians. */
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
		const parts = (name) => this.names.filter((other) => other === name).length;
		const counts = this.names.map((name) => Math.max(1, Math.round(sizes[place] / parts(name))));
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
		const away = (place) => Math.abs(Math.log(sizes[place] / size));
		const place = sizes.reduce((best, _, i) => (away(i) < away(best) ? i : best), 0);
		const { count, generative, discriminative } = this.sums[place];
		return { generative: generative / count, discriminative: discriminative / count, size: sizes[place] };
	}
}

export class LearningView {
	constructor(figure, stage) {
		this.figure = figure;
		this.curves = svgEl("g", { "aria-hidden": "true" });
		stage.append(svgEl("svg", {}, this.curves));
	}

	draw({ scene, width, height }) {
		const { table, memo, state } = scene;
		const key = JSON.stringify([state.model, { ...state.learning, size: 0 }]);
		const isNew = this.key !== key || this.table !== table;
		if (isNew) Object.assign(this, { key, table, run: (memo.learning = new LearningRun(scene)) });
		const { settings: { sizes }, sums, least } = this.run;
		const { left, right, top, bottom } = MARGINS;
		const box = { left, top: top + 4, width: width - left - right, height: height - top - bottom - 4 };
		const known = sums.filter(({ count }) => count).flatMap((sum) => RULES.map(([name]) => sum[name] / sum.count));
		const high = Math.max(0.05, 1.1 * Math.max(...known, least));
		const range = [Math.log10(sizes[0]) - 0.06, Math.log10(sizes.at(-1)) + 0.06];
		const across = (size) => left + ((Math.log10(size) - range[0]) / (range[1] - range[0])) * box.width;
		const up = (error) => box.top + box.height * (1 - error / high);
		const marked = across(this.run.at(state.learning?.size).size);
		const shown = sizes.filter((_, i) => width > 480 || i % 2 === 0).map(Math.log10);
		const percents = ticksOf([0, 100 * high], box.height / 55).marks.map(({ value }) => value / 100);
		this.curves.replaceChildren(boxOutline(box),
			...xAxis(box, range, "training rows of each class", ticksAt(shown, (value) => String(Math.round(10 ** value)))),
			...yAxis(box, [0, high], "test error", ticksAt(percents, percentText), true),
			lineAt("boundary", [left, up(least)], [left + box.width, up(least)]),
			textAt("note", left + box.width - 6, up(least) + 16, "end", `optimal rule ${percentText(least)}`),
			lineAt("known", [marked, box.top], [marked, box.top + box.height]),
			...RULES.flatMap(([name, title], i) => this.curve(name, title, i, across, up, left + box.width - 142)));
		if (this.run.work()) this.figure.render();
		this.figure.refreshNumbers(true);
	}

	curve(name, title, code, across, up, left) {
		const { sums, settings: { sizes } } = this.run;
		const all = sizes.map((size, j) => [across(size), up(sums[j][name] / sums[j].count)]);
		const places = all.filter(([, y]) => Number.isFinite(y));
		const top = 30 + 20 * code;
		const legend = [dotAt([left - 10, top - 4], 5, code), textAt("name", left, top, "start", title)];
		return [curveAt("curve", places, code), ...places.map((place) => dotAt(place, 3.6, code)), ...legend];
	}
}
