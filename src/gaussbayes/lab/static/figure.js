/**
 * The figure component: `gaussbayes.figure(element, spec)` draws a Gaussian classifier and lets the reader move it.
 *
 * THE SPEC is plain JSON: the state of the figure and what may be changed. Every member has a default.
 *
 * view        "plane"     two features: regions, points, ellipses, boundary
 *             "line"      one feature: prior × density above, posterior below (with one class: only the density)
 *             "surface"   evidence p(x) over the plane in 3-D; drag or arrow keys turn it
 *             "areas"     Bayes' rule for categories: widths are priors, filled heights likelihoods, areas joint probabilities
 *             "bars"      Shapley contributions of each feature of the query to the log-odds of two classes
 *             "learning"  training rows against test error: Gaussians and logistic regression
 * data        { rows: [[…]], labels: […|null], features: ["length (cm)"], target: "species", name }
 *             { columns: [{name, kind: "number"|"category", values: […|null]}], labels, target, name }   (values may be typed arrays)
 *             { example: "iris", n, seed }                 names: figure/examples.js; n and seed only for drawn examples
 *             { draw: {n: [100, 100], seed: 1, means, covariances, classes, features} }   a class that is named twice is a mixture
 *             every form: `without: ["C"]` withholds the rows of these classes until "add class" is pressed
 *             a label null is an unlabelled row (grey; fitted by EM); a value null is missing
 * model       { covariance: "full"|"diagonal"|"spherical", shared: false|true|0…1, shrinkage, priors: null|"uniform"|[…], divisor: "mle"|"unbiased",
 *               smoothing }                                fitted to the data whenever they change
 *             { parameters: {classes, priors, means, covariances, probabilities} }   given; only these have handles.
 *               probabilities, for "areas": [{name: "test", levels: ["negative", "positive"], table: [[0.9, 0.1], [0.1, 0.9]]}] (a row for each class)
 *             { grid: {pairs: {"0,1": {x, y, width, height, posterior}}, classes, reason} }   posteriors computed by Python
 * features    columns used by the model, by number or name: two for plane and surface (default: the first two of numbers), one for
 *             line, any number for bars and areas (default: all). Indices in quantities and in `query` count within this list.
 * hidden      features that are not measured and are integrated out, by number or name: [1]; a chip on the plot measures them again
 * query       [1.2, 0.2] values of the features (null: missing), or null for none
 * odds        ["A", "B"]: the classes of the log-odds in bars (default: the most probable against the next one)
 * neighbours  k of the k-nearest-neighbour rule, drawn instead of the Gaussians' regions where layers.neighbours is true
 * step        number of EM steps that are shown (0 is the start); null: converged
 * test        { proportion: 0.3, seed: 1 } holds out rows, drawn hollow, for test_error; null: none
 * learning    { sizes: [5, 10, …], repeats: 30, test: 1000, seed: 1, size: 40 }; `size` is the marked sample size per class
 * layers      regions: "blend" (posterior, fading where evidence is low) | "labels" | "none"
 *             points, ellipses (1 and 2 σ), boundary, errors (marks on misclassified points), truth (dashed: generating Gaussians)
 *             density: plane – contours of prior × density; line – p(x | class) dashed
 *             joint: line – prior × density, filled (default true);  evidence: plane – contours of p(x), line – the sum curve
 *             neighbours: regions of the k-nearest-neighbour rule.  Defaults: plane – regions, points, ellipses, boundary, errors.
 * move        ["query", "means", "covariances", "priors", "likelihoods", "points"] what pointer and keyboard move
 *             and "size" (learning: the marked sample size)
 *             (means and covariances: handles, only with model.parameters; on a line covariances are standard deviations)
 * tool        null | {add: "A"} | {erase: true}: a press on the plane adds a point of a class or erases points
 * zoom        true: the wheel zooms, a drag with Shift or two fingers shifts, a double click shows everything again
 * window      {x: [a, b], y: [a, b]} shown part; null: all data
 * controls    {set: PATH, label, min, max, step, scale: "log"}   slider
 *             {set: PATH, label, values: [[label, value], …]}    segmented choice; a list where there are more than five, or with list: true
 *             {set: PATH, label}                                 checkbox (true or false)
 *             {press: "step"|"restart"|"run"|"draw"|"reset"|"add class"|"by hand", label}
 *               step: one EM step more; restart: EM step 0; run: EM until it converges, step by step; draw: a new sample (seed + 1);
 *               reset: the spec as it was given; add class: the next withheld class, or a new Gaussian; by hand: handles for a fitted model
 * readouts    ["posterior.B", {quantity: "error", label: "training error", format: "5.2 %"}] a row of numbers under the figure
 * card        true: prior × likelihood ÷ evidence = posterior of the query, docked under the plot
 * caption, alt (for screen readers), height (pixels of the plot), name (of the figure)
 *
 * A PATH is a dotted path into the spec ("model.shared", "layers.truth", "query.0", "model.parameters.means.0.1") or one of
 * prior.C (the others are rescaled), likelihood.C (areas: of the query's category), mean.C.i, sd.C.i, variance.C.i, correlation.C (given parameters).
 *
 * QUANTITIES, for readouts, `handle.quantity` and prose (class C by label, feature by index; at the query unless noted):
 * prior.C likelihood.C log_likelihood.C joint.C evidence log_evidence posterior.C log_odds.A.B squared_distance.C distance.C p_value.C
 * mean.C.i variance.C.i sd.C.i covariance.C correlation.C boundary.0 boundary.1 (line) n n.C errors error test_errors test_error bayes_error
 * leave_one_out_error data_log_likelihood nll.labels nll.features nll.total n_parameters query.i k vote.C neighbour_error em_step
 * em_log_likelihood contribution.i base learning.generative learning.discriminative (test errors at learning.size)
 *
 * IN PROSE  <span data-figure="ID" data-live="posterior.B">0.672</span> follows the figure in the format of its text (decimals, %, e-notation);
 *           <button class="live-set" data-figure="ID" data-set='{"model.shared": 1}'>pooled</button> sets it ({"press": "step"} presses).
 *
 * THE HANDLE  { state, get(path), set(patch, {animate: true, record: true}), press(name), quantity(name), parameters(), table(),
 *   on("change", ({state, record, settled}) => …), on("select", ({row}) => …), on("problem", ({message}) => …), png() → Promise<Blob>, svg() → text,
 *   destroy() }.  `settled` is false during a drag; its last event has settled and record true.
 */

import { AreasView } from "./figure/areas.js";
import { BarsView } from "./figure/bars.js";
import { palette } from "./figure/colours.js";
import { cardOf } from "./figure/card.js";
import { controlsOf, quantityText, readoutsOf } from "./figure/controls.js";
import { el, putText } from "./figure/elements.js";
import { pngOf, svgOf } from "./figure/export_image.js";
import { LearningView } from "./figure/learning.js";
import { LineView } from "./figure/line.js";
import { className } from "./figure/marks.js";
import { readPath, writePath } from "./figure/paths.js";
import { mixedPicture, pictureOf } from "./figure/picture.js";
import { PlaneView } from "./figure/plane.js";
import { PRESSES } from "./figure/presses.js";
import { proseOf } from "./figure/prose.js";
import { quantityOf } from "./figure/quantities.js";
import { sceneOf, wholeWindow } from "./figure/scene.js";
import { SurfaceView } from "./figure/surface.js";

const VIEWS = { plane: PlaneView, line: LineView, surface: SurfaceView, areas: AreasView, bars: BarsView, learning: LearningView };
const DURATION = 200; // milliseconds of an animated change
const AFTER = 70; // milliseconds until slow numbers are computed
const HEIGHTS = { plane: 0.68, line: 0.62, surface: 0.68, areas: 0.62, bars: 0.5, learning: 0.56 }; // of the width
const NAMED_CLASSES = 12; // in the legend

/**
 * Draw a figure.
 * @param {HTMLElement} element its content is replaced; only a `figcaption` and a still picture stay
 * @param {object} spec see above
 * @returns {Figure} the handle
 */
export function figure(element, spec = {}) {
	return new Figure(element, spec);
}

class Figure {
	constructor(element, spec) {
		Object.assign(this, { element, given: normalised(spec), memo: {}, listeners: new Map(), settled: true, tween: null, drawn: null });
		this.state = this.given;
		this.build();
		this.scene = sceneOf(this.state, this.memo);
		this.prose = proseOf(this, element.id);
		this.watch();
		this.changed({ animate: false, record: false });
	}

	build() {
		const { state, element } = this;
		this.stage = el("div", { class: "gb-stage" });
		this.chips = el("div", { class: "gb-chips" });
		this.problem = el("p", { class: "gb-problem", role: "status", hidden: true });
		this.legend = el("div", { class: "gb-legend" });
		this.speech = el("p", { class: "gb-unseen", role: "status" });
		this.card = state.card ? cardOf(this) : null;
		this.controls = state.controls?.length ? controlsOf(this, state.controls) : null;
		this.readouts = state.readouts?.length ? readoutsOf(this, state.readouts) : null;
		const plot = el("div", { class: "gb-plot" }, this.legend, this.stage, this.problem);
		const parts = el("div", { class: "gb-parts" }, plot, this.card?.element);
		const label = state.alt ?? state.caption ?? state.name ?? "Figure that can be changed";
		this.root = el("div", { class: "gb", role: "group", "aria-label": label }, parts, this.controls?.element, this.readouts?.element, this.speech);
		const kept = [...element.children].filter((child) => child.matches("figcaption, img"));
		const caption = state.caption && !kept.some((child) => child.matches("figcaption")) ? el("figcaption", {}, state.caption) : null;
		element.replaceChildren(this.root, ...kept, ...(caption ? [caption] : []));
		element.classList.add("gb-ready");
	}

	/** Follow the size of the element and the theme of the page. */
	watch() {
		this.sizes = new ResizeObserver(() => this.render());
		this.sizes.observe(this.stage);
		this.themes = new MutationObserver(() => this.retheme());
		this.themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
		this.darkness = matchMedia("(prefers-color-scheme: dark)");
		this.onDark = () => this.retheme();
		this.darkness.addEventListener("change", this.onDark);
	}

	retheme() {
		this.colours = null;
		this.render();
	}

	/** The value at a path of the spec, or of a named quantity such as prior.B. */
	get(path) {
		return readPath(this.scene, path);
	}

	/** A number by its name. */
	quantity(name) {
		return quantityOf(this.scene, name);
	}

	/** The parameters of the model that is shown, as `spec.model.parameters` takes them. */
	parameters() {
		const { classes, priors, means, covariances, probabilities } = this.scene.model ?? {};
		return { classes, priors, means, covariances, probabilities };
	}

	/**
	 * Change the figure.
	 * @param {object} patch values by path
	 * @param {{animate?: boolean, record?: boolean, settled?: boolean, keepWindow?: boolean}} [options]
	 */
	set(patch, { animate = true, record = true, settled = true, keepWindow = false } = {}) {
		const before = { state: this.state, scene: this.scene, memo: { ...this.memo } };
		try {
			for (const [path, value] of Object.entries(patch)) {
				this.state = normalised(writePath({ ...this.scene, state: this.state }, path, value));
				if (/^(prior|likelihood|mean|sd|variance|correlation|covariance)\./.test(path)) this.scene = sceneOf(this.state, this.memo);
			}
			this.scene = sceneOf(this.state, this.memo);
		} catch (error) {
			Object.assign(this, before);
			this.tell("problem", { message: error.message });
			return;
		}
		const isNew = ["data", "features", "view"].some((name) => this.state[name] !== before.state[name]);
		if (isNew && !keepWindow) this.whole = null;
		this.settled = settled;
		this.changed({ animate, record });
	}

	/** A step of a drag. */
	move(patch) {
		this.set(patch, { animate: false, record: false, settled: false, keepWindow: true });
	}

	/** The end of a drag. */
	settle(record = true) {
		if (this.settled) return;
		this.settled = true;
		this.changed({ animate: false, record });
	}

	/** Press a control: see `controls` of the spec. */
	press(name) {
		PRESSES[name]?.(this);
	}

	/** Hear of "change", "select" or "problem"; returns a function that ends it. */
	on(name, listener) {
		const listeners = this.listeners.get(name) ?? this.listeners.set(name, new Set()).get(name);
		listeners.add(listener);
		return () => listeners.delete(listener);
	}

	tell(name, event) {
		for (const listener of this.listeners.get(name) ?? []) listener(event);
	}

	changed({ animate, record }) {
		const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
		this.tween = animate && !still && this.drawn ? { from: this.drawn, start: null } : null;
		this.showTexts();
		this.render();
		clearTimeout(this.later);
		if (this.settled) this.later = setTimeout(() => this.speak(), 600);
		this.tell("change", { state: this.state, record, settled: this.settled });
	}

	/** The window that shows everything; it stays while things are dragged. */
	wholeWindow() {
		return (this.whole ??= wholeWindow(this.scene));
	}

	/** Draw at the next frame. */
	render() {
		this.frame ??= requestAnimationFrame((now) => {
			this.frame = null;
			this.paint(now);
		});
	}

	paint(now) {
		const width = this.stage.clientWidth;
		if (!width) return;
		const height = this.layOut(width);
		this.colours ??= palette(this.root);
		this.useView();
		const target = pictureOf(this.scene, this.state.window ?? this.wholeWindow());
		let picture = target;
		if (this.tween) {
			this.tween.start ??= now;
			const t = Math.min(1, (now - this.tween.start) / DURATION);
			picture = mixedPicture(this.tween.from, target, t * (2 - t));
			if (t < 1) this.render();
			else this.tween = null;
		}
		this.drawn = picture;
		this.view.draw({ ...picture, colours: this.colours, coarse: !this.settled || Boolean(this.tween), width, height });
		if (this.settled && !this.tween) this.tell("drawn", {});
	}

	layOut(width) {
		const view = this.state.view ?? "plane";
		const own = view === "bars" ? 140 + 38 * this.scene.columns.length : Math.min(Math.max(HEIGHTS[view] * width, Math.min(width * 0.95, 300)), 470);
		const height = this.state.height === "fill" ? this.stage.clientHeight : (this.state.height ?? Math.round(own));
		const text = this.state.height === "fill" ? "" : `${height}px`;
		if (this.stage.style.height !== text) this.stage.style.height = text;
		this.stage.classList.toggle("gb-fill", this.state.height === "fill");
		return height;
	}

	useView() {
		const name = this.state.view ?? "plane";
		if (this.viewName === name) return;
		this.viewName = name;
		this.stage.replaceChildren();
		this.view = new VIEWS[name](this, this.stage);
		this.stage.append(this.chips);
	}

	/** Everything that is text: legend, chips, controls, readouts, card, prose. */
	showTexts() {
		const { settled, scene } = this;
		putText(this.problem, scene.problem ?? "");
		this.showLegend();
		this.showChips();
		this.controls?.refresh();
		const refresh = (isSettled) => {
			this.readouts?.refresh(isSettled);
			this.prose?.refresh(isSettled);
		};
		this.card?.refresh();
		refresh(false);
		clearTimeout(this.slow);
		if (settled) this.slow = setTimeout(() => refresh(true), AFTER);
	}

	showLegend() {
		const { classes, codes, held, view, layers, state } = this.scene;
		const key = JSON.stringify([classes, codes.includes(-1), Boolean(held), layers.truth, view]);
		if (key === this.legendKey) return;
		this.legendKey = key;
		const named = classes.slice(0, NAMED_CLASSES).map((label, code) => className(code, label));
		const others = classes.length - named.length;
		if (others > 0) named.push(el("span", {}, `and ${others} other classes in grey`));
		if (codes.includes(-1) && classes.length && state.layers?.points !== false) named.push(className(-1, "unlabelled"));
		if (held) named.push(el("span", { class: "gb-key" }, el("span", { class: "gb-key-hollow" }), "held-out rows"));
		if (layers.truth) named.push(el("span", { class: "gb-key" }, el("span", { class: "gb-key-dashed" }), "generating Gaussians"));
		const isShown = view !== "learning" && (classes.length > 1 || named.length > 1);
		this.legend.replaceChildren(...(isShown ? named : []));
		this.legend.hidden = !isShown;
	}

	/** Chips on the plot: hidden features, what Python computed, how many rows are misclassified. */
	showChips() {
		const { hidden, names, columns, model } = this.scene;
		const chips = names.filter((_, i) => hidden[i]).map((name) => {
			const shown = () => this.set({ hidden: columns.filter((_, i) => hidden[i] && names[i] !== name) });
			return el("button", { type: "button", class: "gb-chip", title: "Measure it again", on: { click: shown } }, `${name} not measured `, el("span", { "aria-hidden": "true" }, "×"));
		});
		if (model?.reason) chips.push(el("span", { class: "gb-chip" }, "posteriors computed by Python"));
		this.count ??= el("span", { class: "gb-chip", hidden: true });
		this.chips.replaceChildren(...chips, this.count);
	}

	showCount(text) {
		putText(this.count, text);
	}

	/** A sentence about the figure for screen readers. */
	speak() {
		const { row, classes, model, problem } = this.scene;
		if (problem || !row || !model) return putText(this.speech, problem ?? "");
		const parts = classes.slice(0, 4).map((label) => `${label} ${quantityText(`posterior.${label}`, quantityOf(this.scene, `posterior.${label}`))}`);
		putText(this.speech, `Posterior at the query: ${parts.join(", ")}.`);
	}

	/** The plot as SVG text. */
	svg() {
		return svgOf(this);
	}

	/** The plot as PNG. */
	png() {
		return pngOf(this);
	}

	destroy() {
		this.sizes.disconnect();
		this.themes.disconnect();
		this.darkness.removeEventListener("change", this.onDark);
		this.prose.release();
		cancelAnimationFrame(this.frame);
		for (const timer of [this.later, this.slow, this.timer]) clearTimeout(timer);
		this.root.remove();
	}
}

/** A spec whose given parameters have a prior and a covariance for every class. */
function normalised(spec) {
	const given = spec.model?.parameters;
	if (!given?.means || (given.priors && given.classes && Array.isArray(given.covariances[0]?.[0] ?? []))) return spec;
	const k = given.means.length;
	const covariances = Array.isArray(given.covariances[0][0]) ? given.covariances : given.means.map(() => given.covariances);
	const classes = given.classes ?? given.means.map((_, c) => c);
	return { ...spec, model: { ...spec.model, parameters: { ...given, classes, covariances, priors: given.priors ?? new Array(k).fill(1 / k) } } };
}
