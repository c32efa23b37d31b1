// Priors as linked sliders: moving one rescales the others, so that they always sum to 1.

import { answersWithParameters } from "../manual_model.js";
import { button, el, term } from "./elements.js";
import { probability } from "./formats.js";
import { className } from "./marks.js";
import { moves, number } from "./controls.js";

/** Priors after one was moved: those not locked share what is left as they did before. */
function rescaled(priors, moved, wanted, locked) {
	const stays = (i) => i !== moved && locked.has(i);
	const free = priors.map((_, i) => i).filter((i) => i !== moved && !locked.has(i));
	const room = Math.max(0, 1 - priors.reduce((sum, prior, i) => sum + (stays(i) ? prior : 0), 0));
	const value = free.length ? Math.min(Math.max(wanted, 0), room) : room;
	const before = free.reduce((sum, i) => sum + priors[i], 0);
	return priors.map((prior, i) => {
		if (i === moved) return value;
		if (stays(i)) return prior;
		return (room - value) * (before > 0 ? prior / before : 1 / free.length);
	});
}

export function priors(app) {
	const locked = new Set();
	const list = el("div", { class: "priors", role: "group", "aria-label": "Priors, which sum to 1" });
	const fromData = button("model-priors-data", term("From the data", "From the data", false), () => app.change({ model: { priors: null } }));
	const uniform = button("model-priors-uniform", term("Uniform", "Uniform", false), () => {
		const k = lines.length;
		change(new Array(k).fill(1 / k), true);
	});
	const root = el("div", { class: "control", id: "model-priors" },
		list,
		el("div", { class: "row" }, fromData, uniform),
	);
	let lines = [];
	let shown = "";

	const change = (values, done) => app.change({ model: { priors: values } }, { dragging: !done });
	let before = null; // the move began: going back brings back what the others had
	const move = (code, wanted, done) => {
		before ??= current(app);
		const values = rescaled(before, code, wanted, locked);
		if (done) before = null;
		change(values, done);
		show(values);
	};

	function line(code, label) {
		const id = `model-prior-${code}`;
		const input = el("input", {
			type: "range", id, min: 0, max: 1, step: 0.005, "aria-label": `Prior of ${label}`,
			on: moves((done) => move(code, input.valueAsNumber, done)),
		});
		const typed = number(`${id}-number`, `Prior of ${label}, as a number`, { min: 0, max: 1 },
			(value) => move(code, value, true), { dense: true, digits: 3 });
		const lock = button(`${id}-lock`, el("span", { "aria-hidden": "true" }), () => setLock(!locked.has(code)), {
			class: "lock", title: "Keep this prior when others move", "aria-label": `Keep the prior of ${label}`,
		});
		function setLock(on) {
			if (on) locked.add(code);
			else locked.delete(code);
			lock.setAttribute("aria-pressed", on);
			input.disabled = on;
			typed.input.disabled = on;
		}
		setLock(false);
		const row = el("div", { class: "prior-line" }, className(app, code, label), input, typed.root, lock);
		const set = (value) => {
			input.value = String(value);
			input.setAttribute("aria-valuetext", probability(value));
			typed.set(value);
		};
		return { row, set };
	}

	function show(values) {
		values.forEach((value, code) => lines[code]?.set(value));
	}

	function refresh() {
		const values = current(app);
		const labels = app.answers.data?.head.classes ?? [];
		if (!values || values.length !== labels.length) return;
		const now = JSON.stringify(labels);
		if (now !== shown) {
			shown = now;
			locked.clear();
			lines = labels.map((label, code) => line(code, label));
			list.replaceChildren(...lines.map((one) => one.row));
		}
		show(values);
		fromData.hidden = app.state.model.from === "hand";
		fromData.setAttribute("aria-pressed", app.state.model.priors === null);
	}
	return { root, refresh };
}

/** The priors in force: those that were set, else those of the fitted model. */
function current(app) {
	if (app.state.model.priors) return app.state.model.priors;
	return answersWithParameters(app)[0]?.head.parameters.priors ?? null;
}
