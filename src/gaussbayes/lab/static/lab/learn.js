// Lessons beside the figure: a list, and one lesson step by step with live numbers and a question that is checked.

import { controlsOf, followQuantity } from "../figure/controls.js";
import { el } from "../figure/elements.js";
import { numberLike } from "../figure/numbers.js";
import { LESSONS } from "./lessons.js";

const LIVE = /\{(\S+(?: \S+)*?) ([−+\d.,]+(?: %)?)\}/g; // {quantity number}; names of classes may hold spaces
const solved = new Set(); // lessons whose last question is answered, while the page is open

const collapsed = (text) => text.replace(/\s+/g, " ").trim();

/** A text with its live numbers: {nodes, refresh(settled)}. */
function liveText(figure, text) {
	const nodes = [];
	const spans = [];
	let end = 0;
	for (const { 0: whole, 1: quantity, 2: format, index } of collapsed(text).matchAll(LIVE)) {
		const span = el("span", { class: "live-value" }, format);
		spans.push({ span, quantity, format });
		nodes.push(collapsed(text).slice(end, index), span);
		end = index + whole.length;
	}
	nodes.push(collapsed(text).slice(end));
	const refresh = (settled) => {
		for (const { span, quantity, format } of spans) followQuantity(figure, span, quantity, settled, (value) => numberLike(value, format));
	};
	return { nodes, refresh };
}

/** The list of lessons, or a step of one. */
export function learnPanel(app, lesson) {
	return lesson ? stepPanel(app, lesson) : listPanel(app);
}

function listPanel(app) {
	const items = LESSONS.map(({ id, title, question, steps }, i) => el("li", {}, el("button", { type: "button", class: "lab-lesson", on: { click: () => app.teach(id) } },
		el("span", { class: "lab-number", "aria-hidden": "true" }, solved.has(id) ? "✓" : String(i + 1)),
		el("span", {}, el("b", {}, title), el("span", {}, question)), el("span", { class: "lab-quiet" }, `${steps.length} steps`))));
	return { nodes: [el("h2", {}, "Lessons"), el("ol", { class: "lab-lessons" }, items)], refresh() {} };
}

function stepPanel(app, lesson) {
	const { figure } = app;
	const { step } = app.place;
	const { text, goal, controls } = lesson.steps[step];
	const isLast = step === lesson.steps.length - 1;
	const body = liveText(figure, text);
	const check = goal ? goalPart(figure, goal, () => isLast && solved.add(lesson.id)) : null;
	const made = controls ? controlsOf(figure, controls) : null;
	const button = (label, click, kind = "") => el("button", { type: "button", class: `gb-button ${kind}`, on: { click } }, label);
	const dots = el("p", { class: "lab-dots" }, `Step ${step + 1} of ${lesson.steps.length}`);
	return {
		nodes: [
			el("p", { class: "lab-crumb" }, button("All lessons", () => app.visit("learn"), "lab-link"), dots),
			el("h2", {}, lesson.title), step === 0 && el("p", { class: "lab-lead" }, lesson.question),
			el("p", { class: "lab-text" }, body.nodes), made && el("div", { class: "lab-controls" }, made.element), check?.element,
			el("p", { class: "lab-row lab-turn" }, step > 0 && button("Back", () => app.turn(-1)),
				button(isLast ? (lesson === LESSONS.at(-1) ? "All lessons" : "Next lesson") : "Next", () => app.turn(1), "lab-primary")),
		].filter(Boolean),
		refresh: (settled) => {
			body.refresh(settled);
			made?.refresh();
			check?.refresh(settled);
		},
	};
}

/** A question with its check: {element, refresh(settled)}. */
function goalPart(figure, goal, reached) {
	const answer = el("p", { class: "lab-answer", role: "status", hidden: true });
	let hint = null;
	const show = (right) => {
		hint = right ? null : liveText(figure, goal.hint);
		hint?.refresh(true);
		answer.replaceChildren(...(right ? [collapsed(goal.done)] : hint.nodes));
		answer.dataset.right = right;
		answer.hidden = false;
		if (right) reached();
	};
	const asked = el("p", {}, el("b", {}, collapsed(goal.ask)));
	if (goal.options) {
		const buttons = goal.options.map((text, i) => el("button", { type: "button", class: "gb-button", on: { click: () => {
			buttons.forEach((each, j) => each.setAttribute("aria-pressed", i === j));
			show(i === goal.right);
		} } }, text));
		return { element: el("div", { class: "lab-goal" }, asked, el("div", { class: "lab-options" }, buttons), answer), refresh() {} };
	}
	if (goal.answer) {
		const field = el("input", { type: "text", inputmode: "decimal", size: 6, "aria-label": collapsed(goal.ask) });
		const checked = (event) => {
			event.preventDefault();
			show(Math.abs(Number(field.value.replace(",", ".")) - figure.quantity(goal.answer)) < (goal.within ?? 0.5) && field.value.trim() !== "");
		};
		const form = el("form", { class: "lab-row", on: { submit: checked } }, field, el("button", { class: "gb-button" }, "Check"));
		return { element: el("div", { class: "lab-goal" }, asked, form, answer), refresh() {} };
	}
	let started = null;
	const refresh = (settled) => {
		const value = figure.quantity(goal.quantity);
		const inside = value > (goal.above ?? -Infinity) && value < (goal.below ?? Infinity);
		started ??= value;
		if (settled && (inside || value !== started)) show(inside);
		else hint?.refresh(settled);
	};
	return { element: el("div", { class: "lab-goal" }, asked, answer), refresh };
}
