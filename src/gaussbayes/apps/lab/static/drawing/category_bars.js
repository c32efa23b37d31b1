// Where no feature holds numbers there is no plane: bars show the probabilities of each category
// within each class. A click on a category says that it is known of the point.

import { bar, classColour, el, hint } from "../panels/elements.js";
import { probability } from "../panels/formats.js";
import { modelKey, requestWhileSeen } from "../panels/panel_requests.js";
import { categoriesOf } from "../requests.js";

export function mountCategoryBars(app, stage) {
	const posterior = el("section", { "aria-live": "polite" });
	const place = el("div", { id: "categories", hidden: true });
	stage.append(place);
	let buttons = [];

	function show(answer) {
		if (!answer?.head.categories.length) return;
		const { classes, categories } = answer.head;
		buttons = categories.map(({ values }, j) =>
			values.map((value, code) =>
				el("button", { type: "button", title: "Known of the point, or not", on: { click: () => choose(j, code) } }, String(value))));
		place.replaceChildren(
			hint("P(category | class). Click on the categories that are known."),
			...categories.map(({ feature, values, probabilities }, j) =>
				el("section", {}, el("h3", {}, feature), values.map((_, code) =>
					el("div", { class: "category" }, buttons[j][code], bars(classes, probabilities.map((each) => each?.[code])))))),
			posterior,
		);
		mark();
	}
	function showPosterior({ head }) {
		if (!head.posterior || place.hidden) return;
		const prior = head.explanation.classes.map((terms) => [head.classes.indexOf(terms.class), terms.prior]);
		const rows = [["prior", head.classes.map((_, code) => new Map(prior).get(code))], ["posterior", head.posterior]];
		posterior.replaceChildren(el("h3", {}, app.data.target), ...rows.map(([name, values]) =>
			el("div", { class: "category" }, el("strong", {}, name), bars(head.classes, values))));
	}
	function choose(which, code) {
		const categories = categoriesOf(app.state, app.data);
		categories[which] = categories[which] === code ? null : code;
		app.change({ categories });
	}
	function mark() {
		if (place.hidden || !app.data) return;
		categoriesOf(app.state, app.data).forEach((known, j) =>
			buttons[j]?.forEach((each, code) => each.setAttribute("aria-pressed", code === known)));
	}
	const refresh = () => {
		place.hidden = !app.data || app.data.features.length > 0;
		mark();
	};
	app.on("point", showPosterior);
	app.on("data", refresh);
	app.on("state", refresh);
	const key = () => (place.hidden ? null : modelKey(app));
	requestWhileSeen(place, app, { kind: "numbers", key }, (answer) => show(answer));
}

function bars(classes, values) {
	return el("div", {}, classes.map((label, code) =>
		el("div", { class: "category-bar", title: label, own: { "--own": classColour(code) } },
			bar(values[code] ?? 0),
			el("span", { class: "count" }, probability(values[code] ?? null)),
		)));
}
