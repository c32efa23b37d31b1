// The goal at the end of a lesson: a question with options, a number to type, or a value to reach.

import { number } from "./controls.js";
import { button, el } from "./elements.js";
import { liveText, valueAt } from "./live_text.js";

/** A goal's elements, and a function that looks anew whether it is reached; `onReached` is called once. */
export function lessonGoal(goal, app, onReached) {
	const texts = { done: liveText(goal.done), hint: liveText(goal.hint) };
	const result = el("p", { class: "result", id: "lessons-result", role: "status" });
	let reached = false;
	function judge(right) {
		if (right && !reached) onReached();
		reached ||= right;
		const name = right ? "done" : "hint";
		result.className = `result ${name}`;
		texts[name].refresh(app);
		if (result.dataset.shown === name && !texts[name].pieces.includes(null)) return;
		result.dataset.shown = name;
		result.replaceChildren(right ? "✓ " : "", ...texts[name].pieces);
	}
	const controls = goal.options ? options() : goal.answer ? typed() : [];
	function options() {
		const buttons = goal.options.map((text, i) =>
			button(`lessons-option-${i}`, text, () => {
				buttons.forEach((each, j) => each.setAttribute("aria-pressed", i === j));
				judge(i === goal.right);
			}, { "aria-pressed": "false" }));
		return [el("div", { class: "offered" }, buttons)];
	}
	function typed() {
		const field = number("lessons-answer", "Your answer", {}, (value) => {
			const right = valueAt(app, goal.answer, { fresh: true });
			if (right === undefined) throw new Error("The figure is not there yet.");
			judge(Math.abs(value - right) <= goal.within);
		});
		return [field.root];
	}
	function refresh() {
		for (const { refresh: write } of Object.values(texts)) write(app);
		if (!goal.value || app.dragging) return;
		const value = valueAt(app, goal.value, { fresh: true });
		const { above = -Infinity, below = Infinity } = goal;
		if (value !== undefined) judge(reached || (value > above && value < below));
	}
	const root = el("section", { class: "goal" }, el("h3", {}, "Your turn"), el("p", {}, goal.ask), ...controls, result);
	return { root, refresh };
}
