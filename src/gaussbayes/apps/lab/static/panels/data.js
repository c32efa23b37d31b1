// The panel "Data": examples, one's own table, which columns, and what is held out.

import { number, select, slider } from "./controls.js";
import { button, classColour, el, hint, section, svg, write } from "./elements.js";
import { NO_CODE } from "../answer_reader.js";
import { isSaved, openSaved } from "../saved_state.js";
import { fittedAgain, isFitted } from "../state.js";
import { count, percent } from "./formats.js";
import { className, NO_LABEL } from "./marks.js";
import { upload } from "./upload.js";

const sent = new Map(); // id of an upload → its columns and target, even if they make no dataset yet
const HELD = { min: 0, max: 0.9, step: 0.05 };

export function mount(element, app) {
	const parts = [ownTable(app), example(app), columns(app), heldOut(app)];
	const summary = el("div", { class: "summary", "aria-live": "polite" });
	element.append(summary, ...parts.map((part) => part.root));
	const refresh = () => {
		for (const part of parts) part.refresh();
	};
	app.on("state", refresh);
	app.on("data", () => {
		refresh();
		summarise(summary, app);
	});
	refresh();
	summarise(summary, app);
}

function summarise(summary, app) {
	const answer = app.answers.data;
	if (!answer) return;
	const { head, arrays } = answer;
	const counts = new Array(head.classes.length).fill(0);
	for (const code of arrays.codes.data) if (code !== NO_CODE) counts[code] += 1;
	const test = arrays.test.data.reduce((sum, held) => sum + held, 0);
	const held = test ? `, ${count(test)} of them held out` : "";
	const line = (code, label, n) =>
		el("li", {}, className(app, code, label), el("span", { class: "count" }, count(n)));
	const unlabelled = head.unlabelled ? [line(NO_CODE, NO_LABEL, head.unlabelled)] : [];
	summary.replaceChildren(
		el("p", {}, el("strong", {}, head.name), ` · ${count(head.n)} rows${held}, `, featuresOf(head)),
		el("ul", { class: "legend", "aria-label": "Classes and their rows" },
			head.classes.map((label, code) => line(code, label, counts[code])), unlabelled),
		hint(head.problem),
	);
}

function featuresOf({ features, categories }) {
	const d = features.length + categories.length;
	const hold = categories.length === d ? "which hold categories" : `${categories.length} of them categories`;
	return `${d} feature${d === 1 ? "" : "s"}${categories.length ? `, ${hold}` : ""}`;
}

function example(app) {
	const { presets } = app.about;
	const choose = (name, n) => {
		const seed = app.state.data.seed ?? 0;
		app.change({ data: { preset: name, seed, n } });
	};
	const thumbnails = presets.map(({ name, title, about, n, thumbnail }) =>
		el(
			"button",
			{ type: "button", id: `data-preset-${name}`, class: "thumbnail", title: about, on: { click: () => choose(name, n) } },
			svg("svg", { viewBox: "-8 -8 116 86", "aria-hidden": "true" }, dots(thumbnail)),
			el("span", {}, title),
		));
	const gallery = el("div", { class: "thumbnails", id: "data-preset", role: "group", "aria-label": "Examples" }, thumbnails);
	const about = el("p", { class: "hint", id: "data-about" });
	const most = app.about.limits.rows;
	const rows = number("data-n", "Rows", { min: 2, max: most, step: 1 }, (n) =>
		app.change({ data: { n: Math.round(n) } }));
	const seed = number("data-seed", "Seed", { min: 0, max: 2 ** 31 - 1, step: 1 }, (value) =>
		app.change({ data: { seed: Math.round(value) } }));
	const draw = button("data-new", "New draw", () =>
		app.change({ data: { seed: app.state.data.seed + 1 } }));
	const drawn = el("div", { class: "row" }, rows.root, seed.root, draw);
	return {
		root: section("Examples", gallery, about, drawn),
		refresh() {
			const { data } = app.state;
			const own = presets.find((one) => one.name === data.preset);
			thumbnails.forEach((one, i) => one.setAttribute("aria-pressed", presets[i] === own));
			about.textContent = own?.about ?? "";
			drawn.hidden = !own?.drawn;
			rows.set(data.n);
			seed.set(data.seed);
		},
	};
}

/** The points of an example: a path for each class, whose round ends are the dots. */
function dots(points) {
	const paths = new Map();
	for (const [x, y, code] of points) paths.set(code, `${paths.get(code) ?? ""}M${x} ${0.7 * (100 - y)}h0`);
	return [...paths].map(([code, d]) => svg("path", { d, own: { "--own": classColour(code) } }));
}

function ownTable(app) {
	const input = el("input", {
		type: "file",
		id: "data-file",
		accept: app.about.endings.join(),
		on: { change: () => input.files[0] && take(input.files[0]) },
	});
	const zone = el("label", { class: "drop", for: "data-file" }, input,
		el("span", { title: "CSV, JSON lines, Parquet, Arrow, or a saved lab" }, el("strong", {}, "Open a file"),
			" or drop one anywhere; it stays on this machine."));
	const progress = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Sending the file" });
	const wrong = el("p", { class: "wrong", role: "alert", id: "data-file-wrong", hidden: true });
	const { given } = app.about;
	const back = given && button("data-given", `Use ${given.name.split(/[\\/]/).at(-1)}`, () =>
		app.change({ data: { given: true } }));
	async function take(file) {
		const onProgress = (proportion) => (progress.value = proportion);
		write(wrong);
		progress.hidden = false;
		progress.value = 0;
		try {
			const small = file.size <= app.about.limits.upload;
			const text = small && /\.json$/i.test(file.name) ? await file.text() : "";
			if (isSaved(text)) return await openSaved(app, text, onProgress);
			const answer = await upload(file, app.about, onProgress);
			sent.set(answer.upload, answer);
			app.change({ data: { upload: answer.upload } });
		} catch (error) {
			write(wrong, error.message);
			app.openPanel("data");
		} finally {
			progress.hidden = true;
			input.value = "";
		}
	}
	dropAnywhere(zone, take);
	return {
		root: section("Your own file", zone, progress, wrong, back),
		refresh() {
			if (back) back.disabled = Boolean(app.state.data.given);
		},
	};
}

/** Files may be let go anywhere on the page; the zone shows that they would be taken. */
function dropAnywhere(zone, take) {
	const holdsFile = (event) => event.dataTransfer?.types.includes("Files");
	document.addEventListener("dragover", (event) => {
		if (!holdsFile(event)) return;
		event.preventDefault();
		zone.classList.add("over");
	});
	document.addEventListener("dragleave", (event) => event.relatedTarget || zone.classList.remove("over"));
	document.addEventListener("drop", (event) => {
		if (!holdsFile(event)) return;
		event.preventDefault();
		zone.classList.remove("over");
		if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
	});
}

function columns(app) {
	const target = select("data-target", "Class to predict", (name) => {
		const { seed, n, preset, ...source } = app.state.data; // only tables have a target to choose
		const model = { ...fittedAgain(app.state), priors: null }; // the classes are others now
		const forgotten = { bounds: null, at: null, stream: null, hide: null };
		app.change({ data: { ...source, target: name }, model, ...forgotten });
	});
	const show = (pair) =>
		app.change({ pair, model: fittedAgain(app.state), at: null, bounds: null });
	const pairTo = (place) => (value) => {
		const pair = [...app.state.pair];
		const other = 1 - place;
		if (pair[other] === Number(value)) pair[other] = pair[place]; // choosing the other's: swap
		pair[place] = Number(value);
		show(pair);
	};
	const x = select("data-x", "Across", pairTo(0));
	const y = select("data-y", "Up", pairTo(1));
	const swap = button("data-swap", "Swap", () => show([...app.state.pair].reverse()));
	const note = hint();
	const lack = el("p", { class: "hint", id: "data-lacking" });
	const pair = el("div", { class: "row" }, x.root, y.root, swap);
	const root = section("Columns", target.root, pair, note, lack);
	return {
		root,
		refresh() {
			const head = app.answers.data?.head;
			const features = head?.features ?? [];
			const named = features.map((name, i) => [i, name]);
			const columnsNow = tableColumns(app);
			target.root.hidden = columnsNow.length === 0;
			target.options(columnsNow.map((name) => [name, name]));
			target.set(app.state.data.target ?? tableOf(app)?.target ?? head?.target);
			pair.hidden = features.length < 2;
			x.options(named);
			y.options(named);
			x.set(app.state.pair[0]);
			y.set(app.state.pair[1]);
			swap.disabled = features.length < 2;
			const d = features.length + (head?.categories.length ?? 0);
			note.hidden = d <= Math.min(2, features.length);
			note.textContent = features.length
				? `The model knows all ${d} features; the plot integrates the others out.`
				: "No feature holds numbers: there is nothing to draw, but Point and Numbers show the model.";
			lack.textContent = lacking(app);
			root.hidden = target.root.hidden && pair.hidden && note.hidden && !lack.textContent;
		},
	};
}

function lacking(app) {
	if (!app.data || !app.plot) return "";
	const { lacking: n } = app.plot.points.undrawn;
	if (!n) return "";
	const names = app.drawn.map((feature) => app.data.features[feature]);
	const rows = n === 1 ? "1 row lacks" : `${count(n)} rows lack`;
	const learnt = isFitted(app.state.model) ? "; the model learns from what they have" : "";
	return `${rows} ${names.join(" or ")} and ${n === 1 ? "is" : "are"} not drawn${learnt}.`;
}

function tableColumns(app) {
	const { upload: id, given } = app.state.data;
	if (!id && !given) return [];
	return tableOf(app)?.columns ?? app.answers.data?.head.columns ?? [];
}

function tableOf(app) {
	const { upload: id, given } = app.state.data;
	return id ? sent.get(id) : given ? app.about.given : null;
}

function heldOut(app) {
	const proportion = slider(
		"data-test",
		"Held out for testing",
		HELD,
		(test, done) => done && app.change({ split: { test } }),
		{ ends: ["nothing", "90 %"], format: percent },
	);
	const anew = button("data-split", "Split anew", () =>
		app.change({ split: { seed: app.state.split.seed + 1 } }));
	return {
		root: section("Train and test", proportion.root, anew),
		refresh() {
			proportion.set(app.state.split.test);
			anew.disabled = app.state.split.test === 0;
		},
	};
}
