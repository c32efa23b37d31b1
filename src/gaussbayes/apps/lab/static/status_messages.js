// Words about the figure: the line under the plot, the readout at the pointer, problems, and
// what a screen reader is told.

import { button, el, find, term, write } from "./panels/elements.js";
import { percent } from "./panels/formats.js";
import { mark } from "./panels/marks.js";

const TOAST = 3200; // milliseconds that a sentence stays, at least
const READING = 60; // milliseconds that a letter takes
const WAIT = 300; // milliseconds after which the page shows that it waits
const QUIET = 700; // milliseconds of rest before a change is told aloud
const OFTEN = 120; // milliseconds between two looks at the errors during a drag
const MOST_SHOWN = 5;
const LOST = "The server does not answer; trying again …";
const ANOTHER =
	"The lab was started anew and has another address now. Open that one; what follows # here can be put behind it.";

const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}`;

export function mountStatusMessages(app, plot) {
	app.on("said", say);
	app.on("busy", (busy) => {
		clearTimeout(waiting);
		waiting = setTimeout(() => plot.stage.setAttribute("aria-busy", busy), busy ? WAIT : 0);
	});
	app.on("problem", (text, remedies) => {
		const apply = ({ settings }) => app.change({ model: settings });
		const buttons = remedies?.map((each) => button(null, sentence(each.effect), () => apply(each)));
		const barsOnly = app.data?.features.length === 0 && app.answers.line?.head.parameters && !app.failed;
		const waits = (app.answers.scene ?? app.answers.line)?.head.waiting?.length > 0;
		problem(barsOnly ? null : text, waits && !app.failed, buttons);
	});
	app.on("status", (open) => {
		if (!open) {
			lost ||= setTimeout(tellLost, 900);
			return;
		}
		clearTimeout(lost);
		lost = 0;
		if (find("problem").dataset.lost) problem(null);
	});
	app.on("data", () => {
		title(app, plot);
		if (!app.dragging) label(app, plot);
		if (app.data.problem && !app.dragging) say(app.data.problem);
	});
	app.on("state", (_, { dragging }) => dragging || title(app, plot));
	for (const kind of ["scene", "line"]) {
		const show = (answer) => errors(app, answer, app.dragging || app.connection.busy(kind));
		app.on(kind, show);
		app.on("settled", () => kind === app.figureKind && app.answers[kind]?.request.data === app.data.id && show(app.answers[kind]));
	}
	app.on("state fitted", () => hint(app));
	app.on("scene line", ({ head }) => sampled(head));
	app.on("hover", (answer) => readout(app, plot, answer));
	app.on("settled", () => app.hovered && app.hover(app.hovered)); // the model there has changed
	app.on("state", (_, { dragging }) => dragging && readout(app, plot, null));
}

let told = { errors: null, when: 0 };
let rest = {}; // the training error of the last figure that nobody dragged, and the one before it
let hinted = false;
let drawnFrom = null;
let waiting = 0;
let lost = 0;
let fading = 0;
let speaking = 0;

function say(text) {
	const toast = find("toast");
	write(toast, text);
	clearTimeout(fading);
	fading = setTimeout(() => (toast.hidden = true), Math.max(TOAST, READING * text.length));
}

function sampled({ sampled: note }) {
	if (note && note !== drawnFrom) say(sentence(note));
	drawnFrom = note;
}

function hint(app) {
	const { model, at, view, lesson } = app.state;
	if (model.from === "hand" || at || lesson) hinted = true;
	const box = find("hint");
	box.hidden = hinted || !app.gaussians || view !== "plane";
	if (!box.hidden && !box.textContent) {
		box.textContent = "Drag a mean ● or an axis ■: boundary and error follow. Click anywhere for Bayes' rule.";
	}
}

function problem(text, plain = false, buttons = []) {
	const box = find("problem");
	box.classList.toggle("plain", plain);
	const words = (text ?? "") + buttons.map((each) => each.textContent).join("");
	if (box.textContent !== words) {
		const all = buttons.length ? [el("span", { class: "remedies" }, ...buttons)] : [];
		box.replaceChildren(text ?? "", ...all);
	}
	if (box.hidden === Boolean(text)) box.hidden = !text;
	box.dataset.lost = text === LOST || text === ANOTHER ? "yes" : "";
}

async function tellLost() {
	const told = lost;
	const answer = await fetch("about.json").catch(() => null);
	if (told !== lost) return; // it is there again
	lost = 0;
	problem(answer?.status === 403 ? ANOTHER : LOST);
}

function tell(text) {
	clearTimeout(speaking);
	speaking = setTimeout(() => {
		if (find("live").textContent !== text) find("live").textContent = text;
	}, QUIET);
}

/** The errors of the features shown, large, with the value before the last change. */
function errors(app, { head: { errors: found } }, moving) {
	const of = JSON.stringify([app.data.name, app.data.target, app.drawn, app.state.filter]);
	const train = found?.train ?? null;
	if (rest.of !== of) rest = { of, train, before: null };
	const before = moving ? rest.train : rest.train === train ? rest.before : rest.train;
	if (!moving) rest = { of, train, before };
	const parts = [
		["training error", `Training error ${found?.of}`, train],
		["training error", found?.all?.of, found?.all?.train ?? null],
		["test error", `Test error ${found?.of}`, found?.test ?? null],
		["test error", found?.all?.of, found?.all?.test ?? null],
		["Bayes error", "Bayes error", found?.bayes?.error ?? null],
	].filter(([, , value]) => value !== null);
	const was = before === null || percent(before) === percent(train) ? null : before;
	const key = JSON.stringify([parts, was]);
	const now = performance.now();
	if (key === told.errors || (moving && now - told.when < OFTEN)) return;
	told = { errors: key, when: now };
	find("errors").replaceChildren(...parts.map(([name, words, value], i) => gauge(name, words, value, i ? null : was)));
	const said = was === null ? "" : `, before ${percent(was)}`;
	tell(parts.map(([, words, value]) => `${words} ${percent(value)}`).join(", ") + said);
}

/** One error: its name, its value and the one before, and a bar whose full length is ½. */
function gauge(name, words, value, before) {
	const size = (error) => Math.min(1, 2 * error);
	const marked = before === null ? [] : [el("i", { own: { "--at": size(before) } })];
	return el("p", { class: `gauge ${before === null ? "" : value > before ? "worse" : "better"}` },
		term(words, name),
		el("span", {}, before === null ? [] : [el("s", {}, percent(before)), " → "], el("b", {}, percent(value))),
		el("span", { class: "bar", "aria-hidden": "true" }, el("span", { own: { "--proportion": size(value) } }), marked),
	);
}

/** What is shown: the table, its points and how many of them lack a feature that is shown. */
function title(app, plot) {
	if (!app.data) return;
	const { id, name, n, classes } = app.data;
	const key = JSON.stringify([id, app.drawn, app.state.filter]);
	if (find("title").dataset.key === key) return;
	find("title").dataset.key = key;
	const number = (count) => count.toLocaleString("en");
	const many = (count, one, all) => `${number(count)} ${count === 1 ? one : all}`;
	const { lacking, others } = plot.points.undrawn;
	const hidden = lacking + others ? `, ${number(lacking + others)} not drawn` : "";
	find("title").textContent = `${name} · ${many(n, "point", "points")}${hidden} · ${many(classes.length, "class", "classes")}`;
}

function label(app, plot) {
	const { name, n, pair, features, classes } = app.data;
	const [x, y] = pair.map((feature) => features[feature]);
	plot.inner.setAttribute("aria-label", `${name}: ${n} points of the classes ${classes.join(", ")}; ${x} across, ${y} up`);
}

/** The posterior under the pointer, the most probable classes first. */
function readout(app, plot, answer) {
	const box = find("readout");
	const posterior = answer?.head.posterior;
	const fits = posterior?.length === app.data?.classes.length;
	if (!posterior || !fits || app.dragging || !app.hovering) {
		box.hidden = true;
		return;
	}
	const order = posterior.map((proportion, code) => [proportion ?? 0, code]).sort((a, b) => b[0] - a[0]);
	const lines = order.slice(0, MOST_SHOWN).map(([proportion, code]) =>
		el("div", {}, mark(app, code), el("span", {}, app.data.classes[code]), el("b", {}, proportion.toFixed(3)))
	);
	box.replaceChildren(...lines);
	box.hidden = false;
	const [left, top] = app.hovering;
	const { offsetWidth, offsetHeight } = box;
	const right = left + 16 + offsetWidth > plot.width ? left - 14 - offsetWidth : left + 16;
	const down = top + 14 + offsetHeight > plot.height ? top - 12 - offsetHeight : top + 14;
	box.style.transform = `translate(${Math.round(right)}px, ${Math.round(down)}px)`;
}
