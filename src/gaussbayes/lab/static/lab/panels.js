// The panels beside the figure: the opening question, the controls of Play, the reader's data, the tools.

import { controlsOf, followQuantity } from "../figure/controls.js";
import { el } from "../figure/elements.js";
import { EXAMPLE_GROUPS, EXAMPLES } from "../figure/examples.js";
import { markIcon } from "../figure/marks.js";
import { percentText, roundTo } from "../figure/numbers.js";
import { STRUCTURES } from "./lessons.js";
import { numberTables } from "./numbers.js";
import { counted, targetsOf } from "./reader.js";

/** The settings of a fit with which every figure begins. */
export const PLAIN = { covariance: "full", shared: 0, shrinkage: 0, priors: null, divisor: "mle" };
const GROUP_NAMES = { course: "Of the course", shapes: "Shapes", difficulties: "Difficulties" };
const VIEW_NAMES = [["Plane", "plane"], ["Line", "line"], ["Surface", "surface"]];
const REGIONS = [["posterior", "blend"], ["labels", "labels"], ["none", "none"]];
const KINDS = [["fitted", "Gaussians, fitted"], ["hand", "Gaussians, by hand"], ["neighbours", "k nearest neighbours"]];
const [SHOWN_SLIDERS, MOST_SLIDERS] = [2, 6]; // classes whose priors have sliders: at once, or among the folded settings
const MOST_TOOLS = 4; // classes that have a brush; keys have the others
const RANKED = 4000; // rows by which features are ranked

const heading = (text) => el("h2", {}, text);
const quiet = (text) => el("p", { class: "lab-quiet" }, text);
const row = (...children) => el("div", { class: "lab-row" }, children);
const sameJson = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** A button with a text. */
export function textButton(text, click, kind = "") {
	return el("button", { type: "button", class: `gb-button ${kind}`, on: { click } }, text);
}

/** A list to choose from: options are [value, text], or already elements; the label is shown or only spoken. */
function choiceList(label, options, choose, { isSpoken = true } = {}) {
	const made = options.map((option) => (Array.isArray(option) ? el("option", { value: option[0] }, option[1]) : option));
	const list = el("select", { on: { change: () => choose(list.value) } }, made);
	const name = el("span", { class: isSpoken ? "gb-unseen" : "gb-label" }, label);
	return { list, element: el("label", { class: "gb-control" }, name, list) };
}

/** Several parts of a panel as one. */
const together = (nodes, ...refreshes) => ({ nodes, refresh: (settled) => refreshes.forEach((refresh) => refresh(settled)) });

/** Controls of a figure that are made anew when `keyOf()` changes, as the classes do. */
function changingControls(figure, keyOf, controls) {
	const element = el("div", { class: "lab-controls" });
	let [key, made] = [null, null];
	const refresh = () => {
		const now = JSON.stringify(keyOf());
		if (now !== key) element.replaceChildren((made = controlsOf(figure, controls())).element);
		key = now;
		made.refresh();
	};
	return { element, refresh };
}

/** The question with which the page opens. */
export function startPanel({ figure }) {
	const [errors, rate] = [el("b", {}), el("span", {})];
	const fit = textButton("Fit the Gaussians to the points", () => figure.set({ model: PLAIN }));
	const hand = textButton("By hand again", () => figure.press("by hand"));
	const refresh = (settled) => {
		followQuantity(figure, errors, "errors", settled, (n) => `${n} of ${figure.scene.table.n} points`);
		followQuantity(figure, rate, "error", settled, (share) => ` lie on the wrong side (${percentText(share)}).`);
		fit.hidden = !figure.state.model?.parameters;
		hand.hidden = !fit.hidden;
	};
	const lead = "Each point was measured twice and belongs to class A or B. A Gaussian describes each class, and the boundary " +
		"runs where both are equally probable. Drag the means and the ends of the ellipses.";
	return together([
		el("h2", { class: "lab-question" }, "Where should the boundary be?"), el("p", { class: "lab-lead" }, lead),
		el("p", { class: "lab-score" }, errors, rate), row(fit, hand),
	], refresh);
}

/** The source of the classes: "fitted", "hand", "neighbours" or "python". */
export function modelKind({ figure: { state, scene }, given }) {
	if (scene.layers.neighbours) return "neighbours";
	if (given.model && state.model === given.model) return "python";
	return state.model?.parameters ? "hand" : "fitted";
}

function chooseKind({ figure, given }, kind) {
	const off = { "layers.neighbours": false };
	if (kind === "neighbours") figure.set({ "layers.neighbours": true, view: "plane" });
	else if (kind === "python") figure.set({ ...off, model: given.model, view: "plane" });
	else if (kind === "fitted") figure.set({ ...off, model: PLAIN });
	else {
		figure.set({ ...off, ...(figure.state.model?.grid ? { model: PLAIN } : {}) }, { record: false });
		figure.press("by hand");
	}
}

/** Controls of Play: example, model, numbers. */
export function playPanel(app) {
	const { figure } = app;
	const [model, numbers] = [modelSection(app), numbersSection(app)];
	const groups = EXAMPLE_GROUPS.map((group) => {
		const members = Object.entries(EXAMPLES).filter(([, example]) => example.group === group && hasNumbers(example));
		return el("optgroup", { label: GROUP_NAMES[group] }, members.map(([name, { title }]) => el("option", { value: name }, title)));
	});
	const own = el("option", { value: "", disabled: true }, "your own points");
	const { list, element } = choiceList("Example", [own, ...groups], (name) => app.go(app.place, exampleSpec(name)));
	const again = textButton("New sample", () => figure.press("draw"));
	const question = quiet("");
	const refresh = () => {
		const { example = "" } = figure.state.data;
		list.value = example;
		again.hidden = !EXAMPLES[example]?.draw;
		question.textContent = EXAMPLES[example]?.question ?? "";
	};
	const nodes = [heading("Points"), row(element, again), question, ...model.nodes, ...numbers.nodes];
	return together(nodes, refresh, model.refresh, numbers.refresh);
}

const hasNumbers = ({ draw, data }) => Boolean(draw) || data().rows[0].some((value) => typeof value === "number");

/** How the figure of an example begins; one without rows has given parameters. */
function exampleSpec(name) {
	const { draw, data, n } = EXAMPLES[name];
	const { classes, priors, means, covariances } = draw ?? {};
	const width = draw ? 2 : data().rows[0].length;
	const features = name === "iris" ? [2, 3] : [0, 1].slice(0, width);
	const model = draw && !n.some((count) => count > 0) ? { parameters: { classes, priors, means, covariances } } : PLAIN;
	const query = middleOf(draw ? { rows: means } : data(), features);
	const rest = { hidden: [], step: null, test: null, layers: {}, window: null, neighbours: 5 };
	return { ...rest, data: { example: name }, model, features, query, view: width > 1 ? "plane" : "line" };
}

const PRIOR = { min: 0.01, max: 0.99, step: 0.01 };
const priorSlider = (label) => ({ ...PRIOR, set: `prior.${label}`, label: `prior of ${label}`.slice(0, 25) });

/** The visible controls of a model. */
function firstControls(app) {
	const { scene, state } = app.figure;
	const kind = modelKind(app);
	if (kind === "neighbours") return [{ set: "neighbours", label: "neighbours k", min: 1, max: 51, step: 2 }];
	if (state.model?.grid) return [];
	const { classes, names, columns } = scene;
	const fitted = [
		{ set: "model.covariance", label: "covariance", list: true, values: STRUCTURES },
		{ set: "model.shared", label: "pooled", min: 0, max: 1, step: 0.05 },
	];
	const few = classes.length === 2 ? [classes[1]] : classes;
	const listed = { set: "model.priors", label: "priors", list: true, values: [["of the data", null], ["equal", "uniform"]] };
	const priors = few.length <= SHOWN_SLIDERS ? few.map(priorSlider) : kind === "fitted" ? [listed] : [];
	const missing = [["nothing", []], ...columns.map((j, i) => [names[i], [j]])];
	const hidden = columns.length === 2 ? [{ set: "hidden", label: "not measured", list: true, values: missing }] : [];
	return [...(kind === "fitted" ? fitted : []), ...priors, ...hidden];
}

const hasManyPriors = ({ classes, model, layers }) =>
	model?.factors && !layers.neighbours && classes.length > SHOWN_SLIDERS && classes.length <= MOST_SLIDERS;

/** The folded controls of a model. */
function moreControls(app) {
	const { scene, state } = app.figure;
	const fitted = [
		{ set: "model.shrinkage", label: "shrinkage", min: 0, max: 1, step: 0.01 },
		{ set: "model.divisor", label: "divide by", values: [["n", "mle"], ["n − 1", "unbiased"]] },
		{ set: "test.proportion", label: "held-out rows", min: 0, max: 0.7, step: 0.05 },
	];
	const regions = { set: "layers.regions", label: "regions", values: REGIONS };
	return [
		...(modelKind(app) === "fitted" ? fitted : []), ...(hasManyPriors(scene) ? scene.classes.map(priorSlider) : []),
		...(state.view === "plane" ? [regions] : []), { set: "layers.points", label: "points" },
		{ set: "layers.evidence", label: "evidence p(x)" }, { set: "layers.density", label: "densities" },
		...(scene.table.truth ? [{ set: "layers.truth", label: "generating Gaussians" }] : []),
	];
}

/** The model and its controls; one that Python computed on a grid says so. */
function modelSection(app) {
	const { figure, given } = app;
	const hasPython = Boolean(given.model?.parameters || Object.keys(given.model?.grid?.pairs ?? {}).length);
	const kinds = hasPython ? [["python", "the model from Python"], ...KINDS] : KINDS;
	const { list, element } = choiceList("Model", kinds, (kind) => chooseKind(app, kind));
	const note = el("p", { class: "lab-note" });
	const plain = textButton("Plain Gaussians of these two features", () => chooseKind(app, "fitted"));
	const key = ({ scene, state }) => [modelKind(app), scene.classes.slice(0, 12), scene.names, state.view, !state.model?.grid];
	const first = changingControls(figure, () => [...key(figure), figure.scene.columns], () => firstControls(app));
	const more = changingControls(figure, () => [...key(figure), Boolean(figure.scene.table.truth)], () => moreControls(app));
	const refresh = () => {
		list.value = modelKind(app);
		const { grid } = figure.state.model ?? {};
		const { reason } = grid ?? given.model?.grid ?? {};
		plain.hidden = !grid;
		note.hidden = !grid && (hasPython || !reason || figure.state.data !== given.data);
		note.textContent = grid
			? `Posteriors were computed by Python on a grid, because ${reason}. The page can fit its own model instead:`
			: `The model from Python is not shown: ${reason}, and it has fewer than two features that are numbers. The page fits its own.`;
		first.refresh();
		more.refresh();
	};
	const folded = el("details", { class: "lab-more" }, el("summary", {}, "More settings"), more.element);
	return together([heading("Model"), element, note, plain, first.element, folded], refresh);
}

/** Errors, confusion and parameters; grey while a drag changes them. */
function numbersSection({ figure }) {
	const place = el("div", { class: "lab-numbers" });
	let timer = 0;
	const refresh = (settled) => {
		place.classList.add("gb-old");
		clearTimeout(timer);
		if (!settled) return;
		timer = setTimeout(() => {
			place.replaceChildren(...numberTables(figure.scene));
			place.classList.remove("gb-old");
		}, 120);
	};
	return together([heading("Numbers"), place], refresh);
}

/** The reader's own data: a file, the column with the classes, and the model of them. */
export function dataPanel(app) {
	const { figure } = app;
	const accept = ".csv,.tsv,.txt,.tab,.dat,text/csv";
	const change = () => file.files[0] && app.load(file.files[0]);
	const file = el("input", { type: "file", id: "lab-file", hidden: true, accept, on: { change } });
	const drop = el("div", { class: "lab-drop" }, el("p", {}, el("b", {}, "Drop a CSV file anywhere"), " or choose one."),
		textButton("Choose a file", () => file.click(), "lab-primary"), file,
		quiet("One row per line, a name above every column, and one column with the classes. Nothing is sent anywhere."));
	const about = el("div", { class: "lab-about" });
	const [model, numbers] = [modelSection(app), numbersSection(app)];
	const own = el("div", {}, model.nodes, numbers.nodes);
	let shown = null;
	const refresh = (settled) => {
		const { data } = figure.state;
		if (shown !== data) about.replaceChildren(...aboutData(app, data));
		shown = data;
		drop.dataset.small = !data.example;
		own.hidden = Boolean(data.example);
		if (own.hidden) return;
		model.refresh(settled);
		numbers.refresh(settled);
	};
	return together([heading("Your own data"), drop, about, own], refresh);
}

function aboutData(app, data) {
	if (data.example) return [quiet("For other formats and larger files, use the command “gaussbayes lab FILE -y TARGET”.")];
	const n = counted((data.labels ?? data.rows).length, "row");
	const rows = data.sampled ? `${n} drawn at random from ${data.n_rows.toLocaleString("en")}` : n;
	const name = data.name || (data === app.given.data ? "The rows from Python" : "Your points");
	const nodes = [el("p", {}, el("b", {}, name), `: ${rows}, ${counted((data.columns ?? data.features).length, "feature")}.`)];
	const { table } = app;
	if (table?.data !== data) return nodes;
	const names = [...new Set([data.target, ...targetsOf(table.columns)])].map((title) => [title, title]);
	const { list, element } = choiceList("classes are in", names, (target) => app.use(table, target), { isSpoken: false });
	list.value = data.target;
	return [...nodes, element];
}

/** Above the plot: view, features on the axes, brushes. */
export function toolBar(app) {
	const { figure } = app;
	const numeric = () => figure.scene.table.names.map((_, j) => j).filter((j) => figure.scene.table.kinds[j] === "number");
	const views = () => {
		const isPlane = figure.state.model?.grid || figure.scene.layers.neighbours;
		return isPlane || numeric().length < 2 ? [] : [{ set: "view", label: "", values: VIEW_NAMES }];
	};
	const choice = changingControls(figure, views, views);
	const axes = el("div", { class: "lab-axes" });
	const brushes = el("div", { class: "lab-brushes", role: "group", "aria-label": "Brush" });
	let [key, tools] = ["", []];
	const refresh = () => {
		const { table, columns, classes } = figure.scene;
		const { model, view, tool } = figure.state;
		const now = JSON.stringify([table.names, columns, classes, view, Boolean(model?.grid)]);
		choice.refresh();
		if (now !== key) {
			axes.replaceChildren(...axisLists(app, numeric()));
			tools = view === "plane" && !model?.grid ? brushesOf(app) : [];
			const more = app.place.mode === "play" ? [textButton("+ class", () => figure.press("add class"))] : [];
			const segments = el("span", { class: "gb-segments" }, tools.map(({ button }) => button));
			brushes.replaceChildren(...(tools.length ? [el("span", { class: "gb-label" }, "brush"), segments, ...more] : []));
		}
		key = now;
		for (const each of tools) each.button.setAttribute("aria-pressed", sameJson(each.tool, tool));
	};
	return together([choice.element, axes, brushes], refresh);
}

/** Lists of the features on the axes; none where there is no choice. A grid has only some pairs. */
function axisLists(app, numeric) {
	const { figure } = app;
	const { scene: { columns, table }, state } = figure;
	if (numeric.length <= columns.length) return [];
	const pairs = state.model?.grid && Object.keys(state.model.grid.pairs).map((pair) => pair.split(",").map(Number));
	const usable = pairs ? numeric.filter((j) => pairs.some((pair) => pair.includes(j))) : numeric;
	const change = (i, j) => {
		const wanted = columns.map((column, at) => (at === i ? j : column === j ? columns[i] : column)); // two may change places
		const isWanted = (pair) => wanted.every((column) => pair.includes(column));
		const features = pairs ? (pairs.find(isWanted) ?? pairs.find((pair) => pair.includes(j))) : wanted;
		const isHand = figure.state.model?.parameters?.means[0].length === columns.length;
		figure.set({ features, query: middleOf(table, features), hidden: [], window: null, ...(isHand ? { model: PLAIN } : {}) });
		if (isHand) app.say("Gaussians set by hand belong to the features before: those of the new ones are fitted.");
	};
	return columns.map((column, i) => {
		const options = usable.map((j) => [j, table.names[j]]);
		const { list, element } = choiceList(["x", "y"][i], options, (value) => change(i, Number(value)), { isSpoken: false });
		list.value = String(column);
		return element;
	});
}

/** Brushes: a class whose points are added, and the eraser. */
function brushesOf({ figure }) {
	const classes = figure.scene.classes.slice(0, MOST_TOOLS);
	const added = classes.map((label, code) => [{ add: label }, `Add points of ${label}`, markIcon(code)]);
	return [...added, [{ erase: true }, "Erase points", "⌫"]].map(([tool, title, icon]) => {
		const click = () => figure.set({ tool: sameJson(figure.state.tool, tool) ? null : tool }, { record: false });
		return { tool, button: el("button", { type: "button", class: "gb-segment", title, "aria-label": title, on: { click } }, icon) };
	});
}

/** The one or two columns of numbers that separate the classes best, each by itself (F ratio), in their order. */
export function bestFeatures({ columns, labels }) {
	const step = Math.max(1, Math.floor(labels.length / RANKED));
	const ratio = ({ values }) => {
		const sums = new Map();
		const centre = values.find((x) => x !== null) ?? 0;
		let [n, total, squares] = [0, 0, 0];
		for (let i = 0; i < labels.length; i += step) {
			if (labels[i] === null || values[i] === null) continue;
			const x = values[i] - centre;
			const [m, sum] = sums.get(labels[i]) ?? [0, 0];
			sums.set(labels[i], [m + 1, sum + x]);
			[n, total, squares] = [n + 1, total + x, squares + x * x];
		}
		const between = [...sums.values()].reduce((all, [m, sum]) => all + (sum * sum) / m, 0) - (total * total) / n;
		const within = squares - (total * total) / n - between;
		return within > 0 ? between / within : between > 0 ? Infinity : -1;
	};
	const ratios = columns.map((column) => (column.kind === "number" ? ratio(column) : null));
	const numeric = columns.map((_, j) => j).filter((j) => ratios[j] !== null);
	return numeric.sort((a, b) => ratios[b] - ratios[a]).slice(0, 2).sort((a, b) => a - b);
}

/** A place amid the points, for a query: the means of some features of data, in rows or columns, or of a figure's table. */
export function middleOf(data, features) {
	return features.map((j) => {
		const column = data.columns?.[j].values ?? data.columns?.[j] ?? data.rows.map((values) => values[j]);
		const known = Array.from(column).filter(Number.isFinite);
		const mean = known.reduce((sum, x) => sum + x / known.length, 0);
		const reach = known.slice(0, RANKED).reduce((most, x) => Math.max(most, Math.abs(x - mean)), 0);
		return roundTo(mean, reach / 100);
	});
}
