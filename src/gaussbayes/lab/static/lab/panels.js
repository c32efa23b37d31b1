// What stands beside the figure: the question with which the page opens, the controls of Play, the reader's own data, tools above the plot.

import { controlsOf, followQuantity } from "../figure/controls.js";
import { el } from "../figure/elements.js";
import { EXAMPLE_GROUPS, EXAMPLES } from "../figure/examples.js";
import { markIcon } from "../figure/marks.js";
import { percentText, roundTo } from "../figure/numbers.js";
import { STRUCTURES } from "./lessons.js";
import { numberTables } from "./numbers.js";
import { counted, dataOf, Problem, targetsOf } from "./reader.js";

/** The settings of a fit with which every figure begins. */
export const PLAIN = { covariance: "full", shared: 0, shrinkage: 0, priors: null, divisor: "mle" };
const GROUP_NAMES = { course: "Of the course", shapes: "Shapes", difficulties: "Difficulties" };
const [SHOWN_SLIDERS, MOST_SLIDERS] = [3, 6]; // classes whose priors have sliders, at once or among the settings that are folded
const MOST_TOOLS = 6; // classes that have a brush
const RANKED = 4000; // rows by which features are ranked

const heading = (text) => el("h2", {}, text);
const button = (text, click, kind = "") => el("button", { type: "button", class: `gb-button ${kind}`, on: { click } }, text);

/** Several parts of a panel as one. */
const together = (nodes, ...refreshes) => ({ nodes, refresh: (settled) => refreshes.forEach((refresh) => refresh(settled)) });

/** Controls of a figure that are made anew when `key` changes, as the classes do. */
function changingControls(figure, keyOf, controls) {
	const place = el("div", { class: "lab-controls" });
	let [key, made] = [null, null];
	return {
		element: place,
		refresh: () => {
			const now = JSON.stringify(keyOf());
			if (now !== key) {
				key = now;
				made = controlsOf(figure, controls());
				place.replaceChildren(made.element);
			}
			made.refresh();
		},
	};
}

/** The question with which the page opens. */
export function startPanel({ figure }) {
	const [errors, rate] = [el("b", {}), el("span", {})];
	const fit = button("Fit them to the points", () => figure.set({ model: PLAIN }));
	const hand = button("By hand again", () => figure.press("by hand"));
	const refresh = (settled) => {
		followQuantity(figure, errors, "errors", settled, (n) => `${n} of ${figure.scene.table.n} points`);
		followQuantity(figure, rate, "error", settled, (share) => ` lie on the wrong side (${percentText(share)}).`);
		fit.hidden = !figure.state.model?.parameters;
		hand.hidden = !fit.hidden;
	};
	return together([
		el("h2", { class: "lab-question" }, "Where should the boundary be?"),
		el("p", { class: "lab-lead" }, "Each point was measured twice and belongs to class A or B. A Gaussian describes each class, and the boundary runs where both are equally probable. Drag the means and the ends of the ellipses."),
		el("p", { class: "lab-score" }, errors, rate),
		el("p", { class: "lab-row" }, fit, hand),
	], refresh);
}

/** Where the classes come from: fitted, by hand, neighbours, or from Python. */
export function modelKind({ figure, given }) {
	const { state, scene } = figure;
	if (scene.layers.neighbours) return "neighbours";
	if (given.model && state.model === given.model) return "python";
	return state.model?.parameters ? "hand" : "fitted";
}

function chooseKind(app, kind) {
	const { figure, given } = app;
	const off = { "layers.neighbours": false };
	if (kind === "neighbours") figure.set({ "layers.neighbours": true, view: "plane" });
	else if (kind === "python") figure.set({ ...off, model: given.model, view: "plane" });
	else if (kind === "fitted") figure.set({ ...off, model: PLAIN });
	else {
		if (figure.scene.layers.neighbours) figure.set(off, { record: false });
		if (figure.state.model?.grid) figure.set({ model: PLAIN }, { record: false });
		figure.press("by hand");
	}
}

/** Controls of Play: example, model, priors, what is measured, and everything else folded. */
export function playPanel(app) {
	const { figure } = app;
	const model = modelSection(app);
	const numbers = numbersSection(app);
	const examples = el("select", { on: { change: () => app.go(app.place, exampleSpec(examples.value)) } },
		el("option", { value: "", disabled: true }, "your own points"),
		EXAMPLE_GROUPS.map((group) => el("optgroup", { label: GROUP_NAMES[group] ?? group },
			Object.entries(EXAMPLES).filter(([, example]) => example.group === group && hasNumbers(example))
				.map(([name, { title }]) => el("option", { value: name }, title)))));
	const again = button("New sample", () => figure.press("draw"));
	const question = el("p", { class: "lab-quiet" });
	const refresh = () => {
		const { example } = figure.state.data;
		examples.value = example ?? "";
		again.hidden = !EXAMPLES[example]?.draw;
		question.textContent = EXAMPLES[example]?.question ?? "";
	};
	return together([
		heading("Points"), el("div", { class: "lab-row" }, el("label", { class: "gb-control" }, el("span", { class: "gb-unseen" }, "Example"), examples), again), question,
		...model.nodes, ...numbers.nodes,
	], refresh, model.refresh, numbers.refresh);
}

const hasNumbers = ({ draw, data }) => Boolean(draw) || data().rows[0].some((value) => typeof value === "number");

/** How the figure of an example begins. */
function exampleSpec(name) {
	const { draw, data, n } = EXAMPLES[name];
	const width = draw ? 2 : data().rows[0].length;
	const features = name === "iris" ? [2, 3] : width > 1 ? [0, 1] : [0];
	const { classes, priors, means, covariances } = draw ?? {};
	const model = draw && !n.some((count) => count > 0) ? { parameters: { classes, priors, means, covariances } } : PLAIN;
	const base = { data: { example: name }, model, features, hidden: [], step: null, test: null, layers: {}, window: null };
	return { ...base, view: width > 1 ? "plane" : "line", query: middleOf({ ...(draw ? { rows: draw.means } : data()) }, features), neighbours: 5 };
}

const priorSlider = (label) => ({ set: `prior.${label}`, label: `prior of ${String(label).slice(0, 16)}`, min: 0.01, max: 0.99, step: 0.01 });

/** The model's controls; those of a fit only where the model is fitted. */
function modelSection(app) {
	const { figure, given } = app;
	const kinds = [["fitted", "Gaussians, fitted"], ["hand", "Gaussians, by hand"], ["neighbours", "k nearest neighbours"]];
	const hasPython = given.model?.parameters || Object.keys(given.model?.grid?.pairs ?? {}).length > 0;
	if (hasPython) kinds.unshift(["python", "the model from Python"]);
	const kind = el("select", { on: { change: () => chooseKind(app, kind.value) } }, kinds.map(([value, text]) => el("option", { value }, text)));
	const note = el("p", { class: "lab-note" });
	const plain = button("Plain Gaussians of these two features", () => chooseKind(app, "fitted"));
	const first = changingControls(figure, () => [modelKind(app), figure.scene.classes, figure.scene.names, figure.scene.columns, figure.state.view], () => {
		const { classes, names, columns } = figure.scene;
		const now = modelKind(app);
		const fitted = now === "fitted" ? [
			{ set: "model.covariance", label: "covariance", list: true, values: STRUCTURES },
			{ set: "model.shared", label: "pooled", min: 0, max: 1, step: 0.05 },
		] : [];
		if (now === "neighbours") return [{ set: "neighbours", label: "neighbours k", min: 1, max: 51, step: 2 }];
		if (now === "python" && figure.state.model.grid) return [];
		const listed = { set: "model.priors", label: "priors", list: true, values: [["of the data", null], ["equal", "uniform"]] };
		const few = classes.length === 2 ? [classes[1]] : classes;
		const priors = few.length <= SHOWN_SLIDERS ? few.map(priorSlider) : now === "fitted" ? [listed] : [];
		const hidden = columns.length === 2 ? [{ set: "hidden", label: "not measured", list: true, values: [["– everything is –", []], ...columns.map((j, i) => [names[i], [j]])] }] : [];
		return [...fitted, ...priors, ...hidden];
	});
	const hasPriors = () => figure.scene.model?.factors && modelKind(app) !== "neighbours" && figure.scene.classes.length > SHOWN_SLIDERS && figure.scene.classes.length <= MOST_SLIDERS;
	const more = changingControls(figure, () => [modelKind(app), figure.state.view, Boolean(figure.scene.table.truth), hasPriors() && figure.scene.classes], () => [
		...(modelKind(app) === "fitted" ? [
			{ set: "model.shrinkage", label: "shrinkage", min: 0, max: 1, step: 0.01 },
			{ set: "model.divisor", label: "divide by", values: [["n", "mle"], ["n − 1", "unbiased"]] },
			{ set: "test.proportion", label: "held-out rows", min: 0, max: 0.7, step: 0.05 },
		] : []),
		...(hasPriors() ? figure.scene.classes.map(priorSlider) : []),
		...(figure.state.view === "plane" ? [{ set: "layers.regions", label: "regions", values: [["posterior", "blend"], ["labels", "labels"], ["none", "none"]] }] : []),
		{ set: "layers.points", label: "points" }, { set: "layers.evidence", label: "evidence p(x)" }, { set: "layers.density", label: "densities" },
		...(figure.scene.table.truth ? [{ set: "layers.truth", label: "generating Gaussians" }] : []),
	]);
	const refresh = () => {
		const now = modelKind(app);
		kind.value = now;
		const grid = now === "python" && figure.state.model.grid;
		plain.hidden = !grid;
		note.hidden = !grid && (hasPython || !given.model || figure.state.data !== given.data);
		note.textContent = grid ? `Posteriors were computed by Python on a grid, because ${grid.reason}. The page can fit its own model instead:`
			: `The model from Python is not shown: ${given.model?.grid?.reason}, and it has fewer than two features that are numbers. The page fits its own.`;
		first.refresh();
		more.refresh();
	};
	return together([heading("Model"), el("label", { class: "gb-control" }, el("span", { class: "gb-unseen" }, "Model"), kind), note, plain, first.element,
		el("details", { class: "lab-more" }, el("summary", {}, "More settings"), more.element)], refresh);
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

/** The reader's own data: a file, the column with the classes. */
export function dataPanel(app) {
	const { figure } = app;
	const chosen = el("input", { type: "file", id: "lab-file", hidden: true, accept: ".csv,.tsv,.txt,.tab,.dat,text/csv", on: {
		change: () => chosen.files[0] && app.load(chosen.files[0]),
	} });
	const choose = button("Choose a file", () => chosen.click(), "lab-primary");
	const drop = el("div", { class: "lab-drop" }, el("p", {}, el("b", {}, "Drop a CSV file anywhere"), " or choose one."), choose, chosen, el("p", { class: "lab-quiet" },
		"One row per line, a name above every column, and one column with the classes. The page reads it itself: nothing is sent anywhere."));
	const about = el("div", { class: "lab-about" });
	const model = modelSection(app);
	const numbers = numbersSection(app);
	const own = el("div", {}, model.nodes, numbers.nodes);
	let shown = null;
	const refresh = (settled) => {
		const { data } = figure.state;
		if (shown !== data) about.replaceChildren(...aboutData(app, data));
		shown = data;
		own.hidden = Boolean(data.example);
		drop.dataset.small = !own.hidden;
		if (own.hidden) return;
		model.refresh(settled);
		numbers.refresh(settled);
	};
	return together([heading("Your own data"), drop, about, own], refresh);
}

function aboutData(app, data) {
	if (data.example) return [el("p", { class: "lab-quiet" }, "For other formats and larger files, use the command “gaussbayes lab FILE -y TARGET”.")];
	const rows = data.sampled ? `${counted(data.labels.length, "row")} drawn at random from ${data.n_rows.toLocaleString("en")}` : counted(data.labels?.length ?? data.rows.length, "row");
	const features = counted(data.columns?.length ?? data.features.length, "feature");
	const nodes = [el("p", {}, el("b", {}, data.name || (data === app.given.data ? "The rows from Python" : "Your points")), `: ${rows}, ${features}.`)];
	const { table } = app;
	if (!table || table.data !== data) return nodes;
	const target = el("select", { on: { change: () => {
		try {
			app.use(table, target.value);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			app.say(error.message, "problem");
			target.value = data.target;
		}
	} } }, [...new Set([data.target, ...targetsOf(table.columns)])].map((name) => el("option", { value: name }, name)));
	target.value = data.target;
	return [...nodes, el("label", { class: "gb-control" }, el("span", { class: "gb-label" }, "classes are in"), target)];
}

/** Above the plot: view, features on the axes, brushes. */
export function toolBar(app) {
	const { figure } = app;
	const views = el("div", {});
	const axes = el("div", { class: "lab-axes" });
	const brushes = el("div", { class: "lab-brushes", role: "group", "aria-label": "Pointer" });
	const memo = {};
	const anew = (name, key, make) => {
		const now = JSON.stringify(key);
		if (memo[name]?.now !== now) memo[name] = { now, made: make() };
		memo[name].made?.refresh?.();
	};
	const refresh = () => {
		const { scene, state } = figure;
		const { kinds, names } = scene.table;
		const numeric = names.map((_, j) => j).filter((j) => kinds[j] === "number");
		const onlyPlane = Boolean(state.model?.grid) || scene.layers.neighbours;
		anew("views", [numeric.length, onlyPlane], () => {
			const values = [["Plane", "plane"], ["Line", "line"], ["Surface", "surface"]].filter(([, view]) => (numeric.length > 1 ? !onlyPlane || view === "plane" : view === "line"));
			const made = controlsOf(figure, values.length > 1 ? [{ set: "view", label: "", values }] : []);
			views.replaceChildren(made.element);
			return made;
		});
		anew("axes", [names, kinds, scene.columns, Boolean(state.model?.grid)], () => axes.replaceChildren(...axisChoices(app, numeric)));
		anew("brushes", [scene.classes, state.view, Boolean(state.model?.grid)], () => makeBrushes(app, brushes));
	};
	return together([views, axes, brushes], refresh);
}

/** Lists of the features on the axes; none where there is no choice. */
function axisChoices({ figure }, numeric) {
	const { columns, table } = figure.scene;
	if (numeric.length <= columns.length) return [];
	const pairs = figure.state.model?.grid && Object.keys(figure.state.model.grid.pairs);
	const change = (i, j) => {
		const features = [...columns];
		const other = features.indexOf(j);
		if (other >= 0) features[other] = features[i]; // the two change places
		features[i] = j;
		const pair = pairs && (pairs.find((name) => name === [...features].sort((a, b) => a - b).join()) ?? pairs.find((name) => name.split(",").includes(String(j))));
		const shown = pair ? pair.split(",").map(Number) : features;
		figure.set({ features: shown, query: middleOf(figure.state.data.columns ? figure.state.data : table, shown), hidden: [], window: null });
	};
	return columns.map((column, i) => {
		const usable = pairs ? numeric.filter((j) => pairs.some((name) => name.split(",").includes(String(j)))) : numeric;
		const list = el("select", { on: { change: () => change(i, Number(list.value)) } }, usable.map((j) => el("option", { value: j }, table.names[j])));
		list.value = String(column);
		return el("label", { class: "gb-control" }, el("span", { class: "gb-label" }, ["x", "y"][i]), list);
	});
}

/** Brushes: a class whose points are added, the eraser; and a button for a new class. */
function makeBrushes({ figure, place: { mode } }, place) {
	const { scene, state } = figure;
	if (state.view !== "plane" || state.model?.grid) {
		place.replaceChildren();
		return null;
	}
	const tools = [...scene.classes.slice(0, MOST_TOOLS).map((label, code) => [{ add: label }, `Add points of ${label}`, markIcon(code)]), [{ erase: true }, "Erase points", "⌫"]];
	const buttons = tools.map(([tool, text, icon]) => el("button", { type: "button", class: "gb-segment", title: text, "aria-label": text, on: {
		click: () => figure.set({ tool: JSON.stringify(figure.state.tool) === JSON.stringify(tool) ? null : tool }, { record: false }),
	} }, icon));
	const more = el("button", { type: "button", class: "gb-button", title: "Add a class", "aria-label": "Add a class", on: { click: () => figure.press("add class") } }, "+ class");
	place.replaceChildren(el("span", { class: "gb-label" }, "brush"), el("span", { class: "gb-segments" }, buttons), ...(mode === "play" ? [more] : []));
	return { refresh: () => tools.forEach(([tool], i) => buttons[i].setAttribute("aria-pressed", JSON.stringify(figure.state.tool ?? null) === JSON.stringify(tool))) };
}

/**
 * The one or two features that separate the classes best, each by itself (F ratio).
 * @param {object} data with columns and labels
 * @returns {number[]} columns, in their order
 */
export function bestFeatures({ columns, labels }) {
	const step = Math.max(1, Math.floor(labels.length / RANKED));
	const rank = ({ values }) => {
		const sums = new Map();
		let [n, total, squares] = [0, 0, 0];
		const centre = values.find((x) => x !== null) ?? 0;
		for (let i = 0; i < labels.length; i += step) {
			if (labels[i] === null || values[i] === null || values[i] === undefined) continue;
			const x = values[i] - centre;
			const entry = sums.get(labels[i]) ?? sums.set(labels[i], [0, 0]).get(labels[i]);
			entry[0] += 1;
			entry[1] += x;
			[n, total, squares] = [n + 1, total + x, squares + x * x];
		}
		const between = [...sums.values()].reduce((sum, [m, s]) => sum + (s * s) / m, 0) - (total * total) / n;
		const within = squares - (total * total) / n - between;
		return within > 0 ? between / within : between > 0 ? 1e9 : -1;
	};
	const numeric = columns.map((_, j) => j).filter((j) => columns[j].kind === "number");
	const scores = new Map(numeric.map((j) => [j, rank(columns[j])]));
	return numeric.sort((a, b) => scores.get(b) - scores.get(a)).slice(0, 2).sort((a, b) => a - b);
}

/**
 * A place amid the points, for a query.
 * @param {object} data with columns or rows
 * @param {number[]} features the columns on the axes
 * @returns {number[]} the means of the features
 */
export function middleOf(data, features) {
	return features.map((j) => {
		const column = data.columns?.[j]?.values ?? data.columns?.[j] ?? data.rows.map((row) => row[j]);
		const known = Array.from(column).filter((x) => typeof x === "number" && Number.isFinite(x));
		const mean = known.reduce((sum, x) => sum + x / known.length, 0);
		const spread = Math.max(...known.slice(0, 2000).map((x) => Math.abs(x - mean)), 0);
		return roundTo(mean, spread / 100);
	});
}
