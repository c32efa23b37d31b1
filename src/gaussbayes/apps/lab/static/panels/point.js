// The panel "Point": Bayes' rule with numbers at one place, and what each feature says.

import { requestWhileSeen, modelKey } from "./panel_requests.js";
import { categoriesOf } from "../requests.js";
import { isFitted } from "../state.js";
import { choice, number, select } from "./controls.js";
import { button, el, hint, section } from "./elements.js";
import { bayesFormula, bayesLines, voteProportions } from "./formula.js";
import { logOdds } from "./log_odds.js";

export function mount(element, app) {
	const start = hint("Click in the plot, or ", button("point-set", "put a point in the middle", () => moveTo(middle(app))), ".");
	const x = number("point-x", "Across", {}, (value) => moveTo([value, app.state.at?.[1] ?? middle(app)[1]]));
	const y = number("point-y", "Up", {}, (value) => moveTo([app.state.at?.[0] ?? middle(app)[0], value]));
	const clear = button("point-clear", "Take it away", () => app.change({ at: null }));
	const coordinates = [["none", "None"], ["0", "Across"], ["1", "Up"]];
	const hide = choice("point-hide", "Feature not measured", coordinates, (value) =>
		app.change({ hide: value === "none" ? null : Number(value) }));
	const hidden = el("p", { class: "hint", role: "status" });
	const known = knownCategories(app);
	const verdict = el("p", { class: "verdict", "aria-live": "polite" });
	const lines = el("div");
	const bars = el("div");
	const formula = bayesFormula();
	const bayes = section("Bayes' rule here", verdict, formula, lines);
	bayes.id = "point-bayes";
	const odds = section("What each feature says",
		hint("Log-odds of the two most probable classes: bars to the right speak for the first."), bars);
	odds.id = "point-odds";
	const answered = el("div", { class: "place" }, bayes, odds);
	const place = el("div", { class: "row" }, x.root, y.root, clear);
	element.append(start, place, hide.root, hidden, known.root, answered);

	function moveTo(at, done = true) {
		const short = app.flat ? at.map((value) => Number(value.toPrecision(6))) : app.view().rounded(at);
		app.change({ at: short }, { record: done });
	}
	function refresh() {
		const { at, hide: which } = app.state;
		const features = app.data ? app.data.pair.map((i) => app.data.features[i]) : ["", ""];
		const nowhere = app.data?.features.length === 0;
		known.refresh();
		place.hidden = nowhere;
		start.hidden = app.place !== null;
		clear.disabled = at === null;
		x.set(at?.[0] ?? null);
		y.set(at?.[1] ?? null);
		x.input.disabled = which === 0;
		y.input.disabled = which === 1;
		hide.root.hidden = y.root.hidden = app.flat;
		hide.set(which === null ? "none" : String(which));
		hidden.hidden = which === null;
		const [gone, left] = which === 1 ? [features[1], features[0]] : features;
		hidden.textContent = `${gone} is integrated out: the regions depend on ${left} alone.`;
		names([x.root, y.root], hide.root, features);
		if (app.place === null) answered.hidden = true;
	}
	function show(answer) {
		const { classes, explanation, posterior, prediction, problem, neighbours } = answer.head;
		answered.hidden = app.place === null;
		formula.hidden = odds.hidden = !explanation;
		if (problem) verdict.replaceChildren(problem);
		else verdict.replaceChildren("Predicted: ", el("strong", {}, String(prediction)));
		if (!explanation) {
			const rows = neighbours?.join(", ");
			const voted = rows ? `The ${neighbours.length} nearest points vote: rows ${rows}.` : "";
			lines.replaceChildren(hint(voted), posterior ? voteProportions(app, classes, posterior) : "");
			return;
		}
		lines.replaceChildren(bayesLines(app, explanation, classes, answer.head.p_values));
		bars.replaceChildren(logOdds(app, explanation.log_odds, classes) ?? "");
	}
	app.on("state data scene", refresh);
	app.on("point", show);
	// The page asks about places of the plane by itself, but not about those of a single feature.
	const alone = () => (app.flat && app.place ? modelKey(app, app.place, app.state.categories) : null);
	const extra = () => ({ at: app.place, known_categories: categoriesOf(app.state, app.data) });
	const complain = (_, error) => error && verdict.replaceChildren(error.message);
	requestWhileSeen(element, app, { kind: "point", key: alone, extra }, complain);
	refresh();
	if (app.answers.point) show(app.answers.point);
}

/** A list for each feature that holds categories: which one is known of the point, if any. */
function knownCategories(app) {
	const lists = el("div", { class: "categories" });
	const integrated = hint();
	const root = section("Categories of the point", lists, integrated);
	root.id = "point-categories";
	let selects = [];
	let shown = "";
	const choose = (which) => (value) => {
		const categories = categoriesOf(app.state, app.data);
		categories[which] = value === "" ? null : Number(value);
		app.change({ categories });
	};
	return {
		root,
		refresh() {
			const { data } = app;
			root.hidden = !data?.categories.length || app.place === null;
			if (root.hidden) return;
			const now = JSON.stringify(data.categories);
			if (now !== shown) {
				shown = now;
				selects = data.categories.map(({ name }, i) => select(`point-category-${i}`, name, choose(i)));
				lists.replaceChildren(...selects.map((one) => one.root));
				selects.forEach((one, i) => {
					const named = data.categories[i].values.map((value, code) => [code, value]);
					one.options([["", "not known"], ...named]);
				});
			}
			categoriesOf(app.state, data).forEach((code, i) => selects[i].set(code ?? ""));
			const fitted = isFitted(app.state.model) || app.state.model.from === "categories";
			for (const { input } of selects) input.disabled = !fitted;
			const plot = data.features.length ? ", as all categories are in the plot" : "";
			integrated.textContent = fitted
				? `What is not known is integrated out${plot}.`
				: "Only a fitted model has probabilities of categories.";
		},
	};
}

function names(fields, hide, features) {
	const write = (label, text) => label && label.textContent !== text && Object.assign(label, { textContent: text, title: text });
	features.forEach((name, i) => {
		write(fields[i].querySelector("label"), name ?? "");
		write(hide.querySelectorAll("label > span")[i + 1], name ?? "");
	});
}

function extent(app) {
	if (app.flat) return { x: app.answers.line?.head.x ?? [0, 1], y: [0, 0] };
	return app.view ? app.view() : { x: [0, 1], y: [0, 1] };
}

function middle(app) {
	const { x, y } = extent(app);
	return [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2];
}
