// The panel "Lessons": guided steps; each sets the page up, says what to look at, and holds the
// controls that it speaks of. A lesson is data; see guided_lessons.toml.

import { DEFAULT, difference, merge } from "../state.js";
import { slider } from "./controls.js";
import { button, el, find, hint, write as writeText } from "./elements.js";
import { percent } from "./formats.js";
import { lessonGoal } from "./lesson_goal.js";
import { liveText, names } from "./live_text.js";
import { modelKey, requestWhileSeen } from "./panel_requests.js";

const RATE = { min: 0.001, max: 0.999, step: 0.001 };

export function mount(element, app) {
	const lessons = new Map(); // name → {title, steps}
	const reached = new Set();
	const progress = el("progress", { max: 1, value: 0, "aria-label": "Progress of the lesson" });
	const where = el("p", { class: "count" });
	const text = el("div", { class: "lesson", "aria-live": "polite", id: "lessons-text" });
	const own = el("div", { class: "lesson-controls", id: "lessons-controls" });
	const goal = el("div");
	const to = (by) => () => go(app.state.lesson[0], app.state.lesson[1] + by);
	const back = button("lessons-back", "Back", to(-1));
	const next = button("lessons-next", "Next", to(1), { class: "primary" });
	const again = button("lessons-again", "Reset", to(0), { title: "Put everything back as this step needs it" });
	const all = button("lessons-all", "All lessons", () => app.change({ lesson: null }));
	const wrong = el("p", { class: "wrong", role: "alert", hidden: true });
	const body = el("div", { hidden: true },
		el("div", { class: "row" }, progress, where),
		text,
		own,
		goal,
		el("div", { class: "row steps" }, back, next, again, all),
	);
	const starts = app.about.lessons.map(({ name, title, steps }, i) =>
		button(`lessons-start-${i}`, [title, el("span", { class: "count" }, `${steps} steps`)], () => go(name, 0)));
	const offered = el("div", { class: "offered" },
		hint("Each step sets the plot up and asks something of you. Undo brings back what you had."), starts);
	element.append(offered, wrong, body);

	let shown = null; // title and number of the step
	let live = [];
	let step = null;

	async function load(name) {
		if (!lessons.has(name)) lessons.set(name, (await app.ask("lesson", { name })).head);
		return lessons.get(name);
	}
	async function go(name, wanted, options) {
		try {
			const { steps } = await load(name);
			const number = Math.max(0, Math.min(steps.length - 1, wanted));
			app.change({ ...setUp(steps[number], app.state), lesson: [name, number] }, options);
		} catch (error) {
			complain(error);
		}
	}
	async function refresh() {
		const { lesson } = app.state;
		body.hidden = lesson === null;
		offered.hidden = lesson !== null;
		if (lesson === null) {
			giveBack();
			shown = step = null;
			return;
		}
		try {
			const found = await load(lesson[0]);
			const alone = Object.keys(difference(app.state)).join() === "lesson"; // an address of a step
			if (alone) await go(...lesson, { record: false });
			if (app.state.lesson?.[0] === lesson[0]) show(found, app.state.lesson[1]);
		} catch (error) {
			complain(error);
		}
	}
	function show({ name, title, steps }, number) {
		writeText(wrong);
		progress.value = (number + 1) / steps.length;
		where.textContent = `Step ${number + 1} of ${steps.length}`;
		back.disabled = number <= 0;
		next.disabled = number >= steps.length - 1;
		if (`${name} ${number}` !== shown) {
			shown = `${name} ${number}`;
			element.parentElement.scrollTop = 0;
			step = steps[number];
			const words = liveText(step?.text ?? "");
			live = [words];
			text.replaceChildren(el("h3", {}, title), el("p", {}, words.pieces));
			goal.replaceChildren();
			if (step?.goal) {
				live.push(lessonGoal(step.goal, app, () => {
					reached.add(name);
					app.about.lessons.forEach((each, i) => starts[i].classList.toggle("reached", reached.has(each.name)));
				}));
				goal.append(live[1].root);
			}
			lend();
		}
		write();
	}
	function write() {
		if (step) for (const each of live) each.refresh(app);
	}
	function lend() {
		giveBack();
		if (!step || element.hidden) return;
		own.replaceChildren(...step.controls.map((control) => {
			if (typeof control === "string") return borrowed(control);
			return control.panel ? opener(control.panel) : rate(control);
		}).filter(Boolean));
	}
	function opener(panel) {
		const tab = find(`tab-${panel}`);
		return button(null, `Open “${tab.textContent}”`, () => app.openPanel(panel));
	}
	/** A slider of the second of two probabilities, wherever the model has such a pair. */
	function rate({ slider: label, sets }) {
		const control = slider(null, label, RATE, (value, done) => {
			const model = structuredClone(app.state.model);
			for (const path of sets) {
				const pair = path.split(".").reduce((part, member) => part[member], model);
				pair.splice(0, 2, Number((1 - value).toFixed(6)), value);
			}
			app.change({ model }, { dragging: !done });
		}, { format: percent });
		control.input.setAttribute("aria-label", label);
		const refreshRate = () => {
			const pair = sets[0].split(".").reduce((part, member) => part?.[member], app.state.model);
			if (pair) control.set(pair[1]);
		};
		live.push({ refresh: refreshRate });
		refreshRate();
		return control.root;
	}
	const complain = (error) => writeText(wrong, error.message);
	app.on("state", refresh);
	app.on("panel", lend);
	app.on("data scene line point numbers", write);
	const key = () => (step && names(step, "numbers") ? modelKey(app, app.state.split) : null);
	requestWhileSeen(element, app, { kind: "numbers", key }, (_, error) => error && complain(error));
	refresh();
}

const lent = []; // controls of other panels, and what keeps their places

/** The control of an id, taken out of its panel; the panel hears of changes although it is hidden. */
function borrowed(id) {
	const found = find(id);
	const control = found?.closest(".control") ?? found;
	if (!control) return null;
	const panel = control.closest(".panel");
	const place = document.createComment(id);
	control.replaceWith(place);
	panel.dataset.lent = "yes";
	lent.push({ control, place, panel });
	return control;
}

function giveBack() {
	for (const { control, place, panel } of lent.splice(0)) {
		place.replaceWith(control);
		delete panel.dataset.lent;
	}
}

/** The state of a step: what it does not name is as the page begins, but the reader's own stays. */
function setUp(step, { theme, without }) {
	const { pair, ...others } = DEFAULT; // data bring a pair of their own
	const { data = DEFAULT.data, ...patch } = step.state;
	return { ...merge({ ...others, theme, without }, patch), data };
}
