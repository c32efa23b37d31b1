// The panel "Numbers": how well the model does, and what it consists of.

import { requestWhileSeen, modelKey } from "./panel_requests.js";
import { calibration, confusion, matrix } from "./charts.js";
import { choice } from "./controls.js";
import { el, folded, hint, section, table, term, write } from "./elements.js";
import { count, percent, probability, short } from "./formats.js";
import { className } from "./marks.js";

const SETS = [["train", "Train"], ["test", "Test"], ["leave_one_out", "Left out"]];
const MOST_FEATURES = 8; // wider matrices are of no use in a panel
const MOST_VALUES = 20; // of a feature that holds categories

export function mount(element, app) {
	let which = "train";
	const set = choice("numbers-set", "Shown for", SETS, (value) => {
		which = value;
		detail();
	});
	const problem = el("p", { class: "wrong", role: "status", hidden: true });
	const scores = el("div");
	const figures = el("div");
	const parameters = el("div");
	const well = section("How well it does", scores);
	const errors = section("Errors and probabilities", set.root, figures);
	element.append(problem, well, errors, parameters);

	function detail() {
		const head = app.answers.numbers?.head;
		if (!head) return;
		if (!head[which]) which = SETS.map(([name]) => name).find((name) => head[name]) ?? "train";
		for (const [name] of SETS) set.enable(name, Boolean(head[name]));
		set.set(which);
		const found = head[which];
		errors.hidden = !found;
		if (!found) return;
		const named = (code) => className(app, code, head.classes[code]);
		figures.replaceChildren(
			confusion(head.classes, found.confusion, named),
			found.calibration?.length ? calibration(found.calibration) : "",
		);
	}

	function show(answer, error) {
		const wrong = error?.message ?? answer.head.problem;
		write(problem, wrong);
		well.hidden = errors.hidden = parameters.hidden = Boolean(wrong);
		if (wrong) return;
		const { head } = answer;
		scores.replaceChildren(scoreTable(head), hint(...counted(head)));
		detail();
		parameters.replaceChildren(...parametersOf(app, head));
	}
	requestWhileSeen(element, app, { kind: "numbers", key: () => modelKey(app, app.state.split), pause: 150 }, show);
}

function scoreTable(head) {
	const sets = SETS.filter(([name]) => head[name]);
	const line = (title, read) => [title, ...sets.map(([name]) => read(head[name]))];
	const heads = sets.map(([name, title]) => (head[name].folds ? `In ${head[name].folds} folds` : title));
	return table("Less is better", ["", ...heads], [
		line("error", (set) => percent(set.error)),
		line("log loss", (set) => set.log_loss === null ? "∞" : short(set.log_loss)),
		line("Brier score", (set) => short(set.brier)),
		line("rows", (set) => count(set.n)),
	], { class: "scores" });
}

function counted(head) {
	const length = head.features.length + head.categories.length;
	const all = head.features.length && length > Math.min(2, head.features.length)
		? ` Errors here are by all ${length} features, under the plot by those shown.`
		: "";
	if (!head.parameters) return [`Nearest neighbours keep every row instead of parameters.${all}`];
	const steps = head.iterations === null ? "" : ` Something is missing: EM took ${count(head.iterations)} iterations.`;
	return [el("strong", {}, count(head.count)), " ", term("free parameters"), `.${steps}${all}`];
}

function parametersOf(app, head) {
	const found = head.parameters;
	if (!found) return [];
	const features = head.features.slice(0, MOST_FEATURES);
	const { priors, means, covariances, correlations } = found;
	const spread = (code, j) =>
		`${short(means[code][j])} ± ${short(Math.sqrt(covariances[code][j][j]))}`;
	const names = head.classes.map((label, code) => className(app, code, label));
	const middles = table(
		"Mean and standard deviation of each feature",
		["", ...features],
		names.map((name, code) => [name, ...features.map((_, j) => (means[code] ? spread(code, j) : "–"))]),
		{ class: "means" },
	);
	const priorRows = head.classes.map((label, code) => [className(app, code, label), probability(priors[code])]);
	const weights = table("Priors", ["", "prior"], priorRows);
	const left = head.features.length - features.length;
	const note = left > 0 ? [hint(`${left} more features are not shown.`)] : [];
	const cut = (values) => values.slice(0, MOST_FEATURES).map((row) => row.slice(0, MOST_FEATURES));
	const each = head.classes.map((label, code) => {
		if (!covariances[code]) return null; // no row of it was seen
		const heat = correlations?.[code];
		const parts = [matrix("Covariance", features, cut(covariances[code]), heat)];
		if (heat && features.length > 1) parts.push(matrix("Correlation", features, cut(heat), heat));
		return el("div", { class: "matrices" }, el("h4", {}, className(app, code, label)), parts);
	});
	const tables = head.categories.map((one) => categoryTable(one, names));
	if (!features.length) return [folded("Priors", true, weights), folded("Categories", true, ...tables)];
	return [
		folded("Means and priors", true, el("div", { class: "scroll" }, middles), weights, ...note),
		folded("Covariances and correlations", false, ...each),
		...(tables.length ? [folded("Categories", true, ...tables)] : []),
	];
}

function categoryTable({ feature, values, probabilities }, names) {
	const some = values.slice(0, MOST_VALUES).map(String);
	const rows = probabilities.map((ofClass, code) => [
		names[code].cloneNode(true),
		...some.map((_, j) => (ofClass ? probability(ofClass[j]) : "–")),
	]);
	const left = values.length - some.length;
	return el("div", { class: "scroll" },
		table(`P(${feature} | class)`, ["", ...some], rows, { class: "means" }),
		left > 0 ? hint(`${left} more categories are not shown.`) : null,
	);
}
