// The panel "Compare": the six structures and nearest neighbours side by side, each to take over;
// the automatic model, too, where it is the one in force.

import { rgb } from "../drawing/colours.js";
import { filterOf } from "../requests.js";
import { requestWhileSeen, modelKey } from "./panel_requests.js";
import { button, el, find, hint, term, write } from "./elements.js";
import { percent } from "./formats.js";

const WIDTH = 96;
const NOTHING = 255; // the label where a model could not be fitted
const ERRORS = [["test", "test"], ["leave_one_out", "left out"], ["train", "train"]];

export function mount(element, app) {
	const about = hint(
		"The same rows, other assumptions. The errors are those of all features; the lowest are ",
		"bold. Choose one to take it over.",
	);
	const problem = el("p", { class: "wrong", role: "status", hidden: true });
	const list = el("div", { class: "multiples", role: "list", id: "multiples-list" });
	element.append(about, problem, list);

	function show(answer, error) {
		write(problem, error?.message);
		if (!answer) return;
		const { models } = answer.head;
		const best = lowest(models);
		const focused = list.contains(document.activeElement) ? document.activeElement.id : null;
		list.replaceChildren(...models.map((model, i) => card(app, answer, model, i, best)));
		if (focused) find(focused)?.focus();
		mark();
	}
	function mark() {
		for (const chosen of list.querySelectorAll("button")) {
			chosen.setAttribute("aria-pressed", inForce(app, chosen.model));
		}
	}
	const key = () => modelKey(app, app.state.split, app.state.bounds);
	const extra = () => ({ view: windowOf(app), neighbours: app.state.neighbours, hide: app.state.hide, known_categories: filterOf(app.state, app.data) });
	requestWhileSeen(element, app, { kind: "multiples", key, extra, pause: 150 }, show);
	app.on("state", mark);
	app.on("theme", () => app.answers.multiples && show(app.answers.multiples, null));
}

function windowOf(app) {
	if (app.flat) return null;
	const { x, y, width, height } = app.view();
	return { x, y, width: WIDTH, height: Math.max(8, Math.round((WIDTH * height) / width)) };
}

function lowest(models) {
	return Object.fromEntries(ERRORS.map(([kind]) => {
		const there = models.map((model) => errorOf(model[kind])).filter((error) => error !== null);
		return [kind, there.length ? Math.min(...there) : null];
	}));
}

function errorOf(value) {
	return value?.error ?? (typeof value === "number" ? value : null);
}

function card(app, answer, model, i, best) {
	const kinds = ERRORS.filter(([kind]) => best[kind] !== null);
	const judged = kinds[0]?.[0];
	const leads = (one) => errorOf(one[judged]) === best[judged];
	const wins = judged && leads(model) && !answer.head.models.every(leads);
	const canvas = el("canvas", { "aria-hidden": "true", hidden: !app.data.features.length });
	paint(canvas, answer.arrays.label, i, app.colours.regions, app.colours.paper);
	const errors = kinds.map(([kind, title]) =>
		el("span", { class: errorOf(model[kind]) === best[kind] ? "error least" : "error" },
			el("span", {}, term(title, title, false)),
			" ",
			percent(errorOf(model[kind])),
		));
	const badge = wins ? el("span", { class: "badge" }, term("lowest", "lowest", false)) : null;
	const told = model.problem ? [whyNot(model.problem)] : errors;
	const content = el("span", { class: "card" }, canvas, el("strong", {}, term(title(app, model), model.neighbours ? "neighbours" : model.name, false), badge), told);
	const chosen = button(`multiples-${i}`, content, () => app.change(patchOf(model, app)), { class: "multiple" });
	chosen.model = model;
	return el("div", { role: "listitem" }, chosen);
}

/** The first sentence of a problem; all of it where the pointer rests. */
function whyNot(problem) {
	return el("span", { class: "hint", title: problem }, `${problem.split(/\.\s/)[0]}.`);
}

function title(app, model) {
	if (!model.neighbours) return model.name;
	return `${model.neighbours} nearest${app.data.categories.length ? ", by numbers" : ""}`;
}

/** The labels of one model as an image, its uppermost row first. */
function paint(canvas, { data, shape: [, height, width] }, which, colours, paper) {
	Object.assign(canvas, { width, height });
	const context = canvas.getContext("2d");
	const image = context.createImageData(width, height);
	const start = which * width * height;
	const nothing = rgb(paper);
	for (let row = 0; row < height; row++) {
		for (let column = 0; column < width; column++) {
			const label = data[start + (height - 1 - row) * width + column];
			const colour = label === NOTHING ? nothing : colours[label % colours.length];
			image.data.set([...colour, 255], 4 * (row * width + column));
		}
	}
	context.putImageData(image, 0, 0);
}

function patchOf(model, app) {
	if (model.neighbours) return { model: { from: "neighbours" }, neighbours: model.neighbours };
	const { model: before } = app.state;
	const priors = before.from === "hand" ? null : before.priors;
	if (!model.structure) return { model: { from: "auto", priors } };
	const { covariance, shared } = model.structure;
	return { model: { from: "data", covariance, shared, priors } };
}

function inForce(app, { neighbours, structure }) {
	const { model } = app.state;
	if (neighbours) return model.from === "neighbours" && app.state.neighbours === neighbours;
	if (!structure) return model.from === "auto";
	const { covariance, shared } = structure;
	return model.from === "data" && model.covariance === covariance && model.shared === shared;
}
