// Lessons beside the figure: a list, and one lesson step by step with live numbers and a question that is checked.

import { controlsOf, followQuantity } from "../figure/controls.js";
import { el } from "../figure/elements.js";
import { numberLike } from "../figure/numbers.js";
import { LESSONS } from "./lessons.js";
import { textButton } from "./panels.js";

const LIVE = /\{(\S+(?: \S+)*?) ([−+\d.,]+(?: %)?)\}/g; // {quantity number}; names of classes may hold spaces
const solved = new Set(); // lessons whose last question is answered, while the page is open

const collapsed = (text) => text.replace(/\s+/g, " ").trim();

/** A text with its live numbers: {nodes, refresh(settled)}. */
function liveText(figure, given) {
	const text = collapsed(given);
	const [nodes, spans] = [[], []];
	let end = 0;
	for (const { 0: whole, 1: quantity, 2: format, index } of text.matchAll(LIVE)) {
		const span = el("span", { class: "live-value" }, format);
		const write = (value) => numberLike(value, format);
		spans.push((settled) => followQuantity(figure, span, quantity, settled, write));
		nodes.push(text.slice(end, index), span);
		end = index + whole.length;
	}
	return { nodes: [...nodes, text.slice(end)], refresh: (settled) => spans.forEach((follow) => follow(settled)) };
}

/** The list of lessons, or a step of one. */
export function learnPanel(app, lesson) {
	return lesson ? stepPanel(app, lesson) : { nodes: [el("h2", {}, "Lessons"), lessonList(app)], refresh() {} };
}

function lessonList(app) {
	return el("ol", { class: "lab-lessons" }, LESSONS.map(({ id, title, question, steps }, i) => {
		const number = el("span", { class: "lab-number", "aria-hidden": "true" }, solved.has(id) ? "✓" : String(i + 1));
		const texts = el("span", {}, el("b", {}, title), el("span", {}, question));
		const length = el("span", { class: "lab-quiet" }, `${steps.length} steps`);
		const click = () => app.teach(id);
		return el("li", {}, el("button", { type: "button", class: "lab-lesson", on: { click } }, number, texts, length));
	}));
}

function stepPanel(app, lesson) {
	const { figure, place: { step } } = app;
	const { text, goal, controls = [] } = lesson.steps[step];
	const isLast = step === lesson.steps.length - 1;
	const next = isLast ? (lesson === LESSONS.at(-1) ? "All lessons" : "Next lesson") : "Next";
	const [body, made] = [liveText(figure, text), controlsOf(figure, controls)];
	const check = goal && goalPart(figure, goal, () => isLast && solved.add(lesson.id));
	const count = el("p", { class: "lab-dots" }, `Step ${step + 1} of ${lesson.steps.length}`);
	return {
		nodes: [
			el("div", { class: "lab-crumb" }, textButton("All lessons", () => app.visit("learn"), "lab-link"), count),
			el("h2", {}, lesson.title), step === 0 ? el("p", { class: "lab-lead" }, lesson.question) : "",
			el("p", { class: "lab-text" }, body.nodes),
			el("div", { class: "lab-controls" }, made.element), check?.element ?? "",
			el("div", { class: "lab-row lab-turn" }, step > 0 && textButton("Back", () => app.turn(-1)),
				textButton(next, () => app.turn(1), "lab-primary")),
		],
		refresh: (settled) => [body, made, check].forEach((part) => part?.refresh(settled)),
	};
}

/** A question with its check: {element, refresh(settled)}. */
function goalPart(figure, goal, reached) {
	const answer = el("p", { class: "lab-answer", role: "status", hidden: true });
	let [hint, started] = [null, null];
	const show = (isRight) => {
		hint = isRight ? null : liveText(figure, goal.hint);
		hint?.refresh(true);
		answer.replaceChildren(...(hint?.nodes ?? [collapsed(goal.done)]));
		answer.dataset.right = isRight;
		answer.hidden = false;
		if (isRight) reached();
	};
	const refresh = (settled) => {
		const value = figure.quantity(goal.quantity ?? "");
		const isInside = value > (goal.above ?? -Infinity) && value < (goal.below ?? Infinity);
		started ??= value;
		if (settled && goal.quantity && (isInside || value !== started)) show(isInside);
		else hint?.refresh(settled);
	};
	const question = [goal.options && optionsPart(goal, show), goal.answer && fieldPart(figure, goal, show)];
	return { element: el("div", { class: "lab-goal" }, el("p", {}, el("b", {}, collapsed(goal.ask))), question, answer), refresh };
}

function optionsPart({ options, right }, show) {
	const buttons = options.map((text, i) => textButton(text, () => {
		buttons.forEach((button, j) => button.setAttribute("aria-pressed", i === j));
		show(i === right);
	}));
	return el("div", { class: "lab-options" }, buttons);
}

function fieldPart(figure, { ask, answer }, show) {
	const field = el("input", { type: "text", inputmode: "decimal", size: 6, "aria-label": collapsed(ask) });
	const submit = (event) => {
		event.preventDefault();
		show(field.value.trim() !== "" && Math.abs(Number(field.value.replace(",", ".")) - figure.quantity(answer)) < 0.5);
	};
	return el("form", { class: "lab-row", on: { submit } }, field, el("button", { class: "gb-button" }, "Check"));
}
