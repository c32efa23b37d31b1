/**
 * The figure component: `gaussbayes.figure(element, spec)` draws a Gaussian classifier and lets the reader move it.
 *
 * THE SPEC is plain JSON: the state of the figure and what may be changed. Every member has a default.
 *
 * view        "plane"     two features: regions, points, ellipses, boundary
 *             "line"      one feature: prior × density above, posterior below (with one class: only the density)
 *             "surface"   evidence p(x) over the plane in 3-D; drag or arrow keys turn it (camera: {turn, tilt} in radians)
 *             "areas"     Bayes' rule for categories: widths are priors, filled heights likelihoods, areas their products
 *             "bars"      Shapley contributions of each feature of the query to the log-odds of two classes
 *             "learning"  training rows against test error: Gaussians and logistic regression
 * data        {rows: [[…]], labels: […|null], features: ["length (cm)"], target: "species", name}
 *             {columns: [{name, kind: "number"|"category", values: […|null] or typed array}], labels, target, name}
 *             {example: "iris", n, seed}      names: figure/examples.js; n and seed only for drawn examples
 *             {draw: {n: [100, 100], seed: 1, means, covariances, classes, features}}   a class named twice is a mixture
 *             every form: `without: ["C"]` withholds the rows of these classes until "add class" is pressed
 *             a label null is an unlabelled row (grey; fitted by EM); a value null is missing
 * model       {covariance: "full"|"diagonal"|"spherical", shared: false|true|0…1, shrinkage, priors: null|"uniform"|[…],
 *               divisor: "mle"|"unbiased", smoothing}   fitted to the data whenever they change
 *             {parameters: {classes, priors, means, covariances, probabilities, features}}   given; only these have handles.
 *               probabilities, for areas: [{name: "test", levels: ["negative", "positive"], table (a row for each class)}]
 *             {grid: {pairs: {"0,1": {x, y, width, height, posterior}}, classes, reason}}   posteriors computed by Python
 * features    columns used by the model, by number or name: two for plane and surface, one for line, any number for bars and
 *             areas (default: the first ones that fit). Indices in quantities and in `query` count within this list.
 * hidden      features that are not measured and are integrated out, by number or name; a chip on the plot measures them again
 * query       [1.2, 0.2] values of the features (null: missing), or null for none
 * odds        ["A", "B"]: the classes of the log-odds in bars (default: the most probable against the next one)
 * neighbours  k of the k-nearest-neighbour rule, drawn instead of the Gaussians' regions where layers.neighbours is true
 * step        number of EM steps that are shown (0 is the start); null: converged
 * test        {proportion: 0.3, seed: 1} holds out rows, drawn hollow, for test_error; null: none
 * learning    {sizes: [5, 10, …], repeats: 30, test: 1000, seed: 1, size: 40}; `size` is the marked sample size per class
 * layers      regions: "blend" (posterior, fading where evidence is low) | "labels" | "none"; and true or false:
 *             points, ellipses (1 and 2 σ), boundary, errors (marks on misclassified points), truth (generating Gaussians),
 *             density (plane: contours of prior × density; line: p(x | class) dashed), joint (line: prior × density, filled),
 *             evidence (plane: contours of p(x); line: the sum), neighbours (regions of the k-nearest-neighbour rule).
 *             Defaults: plane – regions, points, ellipses, boundary, errors; line – regions, points, boundary, joint, evidence.
 * move        ["query", "means", "covariances", "points", "priors", "likelihoods"] what pointer and keyboard move: means and
 *             covariances (on a line standard deviations) only with model.parameters; the last two in areas
 * tool        null | {add: "A"} | {erase: true}: a press on the plane adds a point of a class or erases points
 * zoom        true: the wheel zooms, a drag with Shift shifts, a double click shows everything again
 * window      {x: [a, b], y: [a, b]} shown part; null: all data
 * controls    {set: PATH, label, min, max, step, scale: "log"}   slider
 *             {set: PATH, label, values: [[label, value], …]}    choice; a list if there are more than five, or with list: true
 *             {set: PATH, label}                                 checkbox (true or false)
 *             {press: NAME, label}   step: one EM step more · restart: EM step 0 · run: EM step by step until it converges ·
 *               draw: a new sample (seed + 1) · reset: the spec as it was given · by hand: handles for a fitted model ·
 *               add class: the next withheld class, or else a new Gaussian or new points
 * readouts    ["posterior.B", {quantity: "error", label: "training error", format: "5.2 %"}] numbers under the figure
 * card        true: prior × likelihood ÷ evidence = posterior at the query (or the votes), beside or under the plot
 * caption, alt (for screen readers), name, height (pixels of the plot, or "fill")
 *
 * A PATH is a dotted path into the spec ("model.shared", "layers.truth", "query.0", "model.parameters.means.0.1") or prior.C (the
 * others are rescaled); with given parameters also likelihood.C (areas), mean.C.i, sd.C.i, variance.C.i, correlation.C.
 *
 * QUANTITIES, for readouts, `quantity` and prose (class C by label, feature by index; at the query where that matters):
 * prior.C likelihood.C log_likelihood.C joint.C evidence log_evidence posterior.C log_odds.A.B squared_distance.C distance.C
 * p_value.C mean.C.i variance.C.i sd.C.i covariance.C correlation.C boundary.0 boundary.1 (line) n n.C errors error test_errors
 * test_error bayes_error leave_one_out_error data_log_likelihood nll.labels nll.features nll.total n_parameters query.i k vote.C
 * neighbour_error em_step em_log_likelihood contribution.i base learning.generative learning.discriminative (at learning.size)
 *
 * IN PROSE  <span data-figure="ID" data-live="posterior.B">0.672</span> follows the figure in the format of its text;
 *           <button data-figure="ID" data-set='{"model.shared": 1}'>pooled</button> sets it ({"press": "step"} presses).
 *
 * THE HANDLE  {state, scene, get(path), set(patch, {animate: true, record: true}), press(name), quantity(name), parameters(),
 *   on("change", ({state, record, settled}) => …), on("select", ({row}) => …), on("problem", ({message}) => …), on("drawn", …),
 *   png() → Promise<Blob>, svg() → text, destroy()}.  `settled` is false during a drag; its last event has settled and record.
 */

import { AreasView } from "./figure/areas.js";
import { BarsView } from "./figure/bars.js";
import { cardOf } from "./figure/card.js";
import { checkedSpec } from "./figure/checks.js";
import { palette } from "./figure/colours.js";
import { controlsOf, readoutsOf } from "./figure/controls.js";
import { el, putText } from "./figure/elements.js";
import { pngOf, svgOf } from "./figure/export_image.js";
import { LearningView } from "./figure/learning.js";
import { LineView } from "./figure/line.js";
import { className } from "./figure/marks.js";
import { probabilityText } from "./figure/numbers.js";
import { isNamed, readPath, writePath } from "./figure/paths.js";
import { mixedDrawing, drawingOf } from "./figure/drawing.js";
import { PlaneView } from "./figure/plane.js";
import { PRESSES } from "./figure/presses.js";
import { proseOf } from "./figure/prose.js";
import { quantityOf } from "./figure/quantities.js";
import { sceneOf, wholeWindow } from "./figure/scene.js";
import { SurfaceView } from "./figure/surface.js";

const VIEWS = {
	plane: PlaneView, line: LineView, surface: SurfaceView, areas: AreasView, bars: BarsView, learning: LearningView,
};
const HEIGHTS = { plane: 0.68, line: 0.62, surface: 0.68, areas: 0.62, learning: 0.56 }; // of the width
const DURATION = 200; // milliseconds of an animated change
const AFTER = 70; // milliseconds until slow numbers are computed
const SPEECH = 600; // milliseconds until screen readers are told
const NAMED_CLASSES = 12; // in the legend

/**
 * Draw a figure.
 * @param {HTMLElement} element its content is replaced; only a `figcaption` and a still image stay
 * @param {object} spec see above
 * @returns {Figure} the handle
 */
export function figure(element, spec = {}) {
	return new Figure(element, spec);
}

class Figure {
	memo = {};
	listeners = new Map();
	settled = true;

	constructor(element, spec) {
		this.state = this.given = completed(checkedSpec(spec));
		this.scene = sceneOf(this.state, this.memo);
		this.build(element);
		this.prose = proseOf(this, element.id);
		this.watch();
		this.changed({ animate: false, record: false });
	}

	build(element) {
		const { card, controls, readouts, alt, caption, name } = this.state;
		this.stage = el("div", { class: "gb-stage" });
		this.count = el("span", { class: "gb-chip", hidden: true });
		this.chips = el("div", { class: "gb-chips" });
		this.legend = el("div", { class: "gb-legend" });
		this.problem = el("p", { class: "gb-problem", role: "status", hidden: true });
		this.speech = el("p", { class: "gb-unseen", role: "status" });
		this.card = card ? cardOf(this) : null;
		this.controls = controls?.length ? controlsOf(this, controls) : null;
		this.readouts = readouts?.length ? readoutsOf(this, readouts) : null;
		const plot = el("div", { class: "gb-plot" }, this.legend, this.stage, this.problem);
		const isLabelled = element.hasAttribute("aria-label");
		const label = isLabelled ? {} : { role: "group", "aria-label": alt ?? caption ?? name ?? "Figure that can be changed" };
		this.root = el("div", { class: "gb", ...label },
			el("div", { class: "gb-parts" }, plot, this.card?.element), this.controls?.element, this.readouts?.element, this.speech);
		const kept = [...element.children].filter((child) => child.matches("figcaption, img"));
		const isNamedThere = !caption || kept.some((child) => child.matches("figcaption"));
		element.replaceChildren(this.root, ...kept, ...(isNamedThere ? [] : [el("figcaption", {}, caption)]));
		element.classList.add("gb-ready");
	}

	/** Follow the size of the element and the theme of the page. */
	watch() {
		const ended = new AbortController();
		const sizes = new ResizeObserver(() => this.render());
		const retheme = () => {
			this.colours = null;
			this.render();
		};
		const themes = new MutationObserver(retheme);
		sizes.observe(this.stage);
		themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", retheme, { signal: ended.signal });
		ended.signal.addEventListener("abort", () => [sizes, themes].forEach((observer) => observer.disconnect()));
		this.unwatch = () => ended.abort();
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
				this.state = completed(writePath({ ...this.scene, state: this.state }, path, value));
				if (isNamed(path)) this.scene = sceneOf(this.state, this.memo); // several priors are set one after the other
			}
			this.scene = sceneOf(checkedSpec(this.state), this.memo);
		} catch ({ message }) {
			Object.assign(this, before);
			return this.tell("problem", { message });
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
		clearTimeout(this.timer);
		PRESSES[name]?.(this);
	}

	/** Hear of "change", "select", "problem" or "drawn"; returns a function that ends it. */
	on(name, listener) {
		if (!this.listeners.has(name)) this.listeners.set(name, new Set());
		this.listeners.get(name).add(listener);
		return () => this.listeners.get(name).delete(listener);
	}

	tell(name, event) {
		for (const listener of this.listeners.get(name) ?? []) listener(event);
	}

	changed({ animate, record }) {
		const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
		this.tween = animate && !isStill && this.drawn ? { from: this.drawn } : null;
		this.showTexts();
		this.render();
		clearTimeout(this.later);
		if (this.settled) this.later = setTimeout(() => this.speak(), SPEECH);
		this.tell("change", { state: this.state, record, settled: this.settled });
	}

	/** The window that shows everything; it stays while things are dragged. */
	wholeWindow() {
		return (this.whole ??= wholeWindow(this.scene));
	}

	/** The window that is shown. */
	window() {
		return { ...this.wholeWindow(), ...this.state.window };
	}

	/** Draw at the next frame. */
	render() {
		this.frame ??= requestAnimationFrame((now) => {
			this.frame = null;
			if (this.stage.clientWidth) this.paint(now);
		});
	}

	paint(now) {
		const { view = "plane" } = this.state;
		const width = this.stage.clientWidth;
		const height = this.layOut(view, width);
		this.colours ??= palette(this.root);
		if (this.viewName !== view) {
			this.stage.replaceChildren();
			Object.assign(this, { viewName: view, view: new VIEWS[view](this, this.stage) });
			this.stage.append(this.chips);
		}
		const target = drawingOf(this.scene, this.window());
		const t = this.tween ? Math.min(1, (now - (this.tween.start ??= now)) / DURATION) : 1;
		this.drawn = t < 1 ? mixedDrawing(this.tween.from, target, t * (2 - t)) : target;
		const isDone = t >= 1 && this.settled;
		this.view.draw({ ...this.drawn, colours: this.colours, coarse: !isDone, width, height });
		if (t < 1) this.render();
		else this.tween = null;
		if (isDone) this.tell("drawn", {});
	}

	/** Give the stage its height: that of the spec, all that there is ("fill"), or one that suits its width. */
	layOut(view, width) {
		const { height: given } = this.state;
		const suited = Math.min(Math.max(HEIGHTS[view] * width, Math.min(width * 0.95, 300)), 470);
		const own = view === "bars" ? 140 + 38 * this.scene.columns.length : Math.round(suited);
		const text = given === "fill" ? "" : `${given ?? own}px`;
		this.stage.classList.toggle("gb-fill", given === "fill");
		if (this.stage.style.height !== text) this.stage.style.height = text;
		return given === "fill" ? this.stage.clientHeight : (given ?? own);
	}

	/** Everything that is text: legend, chips, controls, readouts, card, prose. */
	showTexts() {
		putText(this.problem, this.scene.problem ?? "");
		this.showLegend(this.scene);
		this.showChips(this.scene);
		this.controls?.refresh();
		this.card?.refresh();
		this.refreshNumbers(false);
		clearTimeout(this.slow);
		if (this.settled) this.slow = setTimeout(() => this.refreshNumbers(true), AFTER);
	}

	/** Numbers under the figure and in the text; slow ones only if the figure is settled. */
	refreshNumbers(settled) {
		this.readouts?.refresh(settled);
		this.prose?.refresh(settled);
	}

	showLegend({ classes, codes, held, view, layers }) {
		const hasUnlabelled = codes.includes(-1);
		const key = JSON.stringify([classes, hasUnlabelled, Boolean(held), layers.truth, view]);
		if (key === this.legendKey) return;
		this.legendKey = key;
		const sign = (kind, text) => el("span", { class: "gb-key" }, el("span", { class: `gb-key-${kind}` }), text);
		const others = classes.length - NAMED_CLASSES;
		const entries = [
			...classes.slice(0, NAMED_CLASSES).map((label, code) => className(code, label)),
			others > 0 && el("span", {}, `and ${others} other classes in grey`),
			hasUnlabelled && classes.length > 0 && className(-1, "unlabelled"),
			held && sign("hollow", "held-out rows"),
			layers.truth && sign("dashed", "generating Gaussians"),
		].filter(Boolean);
		this.legend.hidden = view === "learning" || entries.length < 2;
		this.legend.replaceChildren(...entries);
	}

	/** Chips on the plot: hidden features, what Python computed, how many rows are misclassified. */
	showChips({ hidden, names, columns, model }) {
		const measure = (i) => ({ click: () => this.set({ hidden: columns.filter((_, j) => hidden[j] && j !== i) }) });
		const button = { type: "button", class: "gb-chip", title: "Measure it again" };
		const chips = names.map((name, i) => hidden[i] && el("button", { ...button, on: measure(i) }, `${name} not measured ×`));
		const python = model?.reason ? el("span", { class: "gb-chip" }, "posteriors computed by Python") : null;
		this.chips.replaceChildren(...[...chips, python, this.count].filter(Boolean));
	}

	/** Show how many rows are misclassified; null: the number is old. */
	showCount(text) {
		this.count.classList.toggle("gb-old", text === null);
		if (text !== null) putText(this.count, text);
	}

	/** A sentence about the figure for screen readers. */
	speak() {
		const { row, classes, problem, layers } = this.scene;
		const name = layers.neighbours ? "vote" : "posterior";
		const parts = row ? classes.slice(0, 4).map((label) => `${label} ${probabilityText(this.quantity(`${name}.${label}`))}`) : [];
		putText(this.speech, problem ?? (parts.length ? `${name} at the query: ${parts.join(", ")}.` : ""));
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
		this.unwatch();
		this.prose.release();
		cancelAnimationFrame(this.frame);
		for (const timer of [this.later, this.slow, this.timer]) clearTimeout(timer);
		this.root.remove();
	}
}

/** A spec whose given parameters have classes, priors and a covariance for every class. */
function completed(spec) {
	const given = spec.model?.parameters;
	if (!given?.means) return spec;
	const { classes = given.means.map((_, c) => c), priors = given.means.map(() => 1 / given.means.length), covariances } = given;
	const all = Array.isArray(covariances[0]?.[0]) ? covariances : given.means.map(() => covariances);
	if (given.classes && given.priors && all === covariances) return spec;
	return { ...spec, model: { ...spec.model, parameters: { ...given, classes, priors, covariances: all } } };
}
