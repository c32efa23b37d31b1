/**
 * The lab: a figure with its controls, lessons and the reader's own data, on a page that computes everything itself.
 *
 * A state is a place (mode, lesson, step) and the members of the figure's spec that a reader can change. Every change is recorded: undo and
 * the Back button step through the records, and the address holds the present one.
 */

import { figure } from "./figure.js";
import { el, svgEl } from "./figure/elements.js";
import { countText } from "./figure/numbers.js";
import { wholeWindow } from "./figure/scene.js";
import { decodeState, encodeState, LONGEST_WRITTEN } from "./lab/address.js";
import { csvText, download, pythonCode } from "./lab/exports.js";
import { learnPanel } from "./lab/learn.js";
import { lessonOf, LESSONS } from "./lab/lessons.js";
import { bestFeatures, dataPanel, middleOf, modelKind, playPanel, PLAIN, startPanel, toolBar } from "./lab/panels.js";
import { counted, dataOf, Problem, readFile } from "./lab/reader.js";

const MEMBERS = ["view", "data", "model", "features", "hidden", "query", "neighbours", "step", "test", "layers", "window"];
const CIRCLE = [[1.2, 0], [0, 1.2]];
const BLANK = {
	view: "plane", data: { example: "unequal" }, model: PLAIN, features: null, hidden: [], query: null, neighbours: 5, step: null, test: null,
	layers: {}, window: null,
};
// The page opens with Gaussians that are not fitted yet: the reader is to find a better boundary.
const OPENING = {
	...BLANK, query: [0.4, 0.2],
	model: { parameters: { classes: ["A", "B"], priors: [0.5, 0.5], means: [[-1.6, 1], [1.2, -0.6]], covariances: [CIRCLE, CIRCLE] } },
};
const MODES = { learn: ["Learn", "Eight short lessons"], play: ["Play", "Move everything, see it follow"], data: ["My data", "Open a CSV; it stays here"] };
const MOST_RECORDS = 300;
const ONE_CHANGE = 700; // milliseconds within which changes of the same members are one
const NARROW = "(max-width: 760px)";

const KEY_HELP = [
	["Tab", "go through controls and handles"], ["arrow keys", "move the handle in focus, with Shift in finer steps"],
	["Ctrl + Z, Ctrl + Y", "undo, redo"], ["F", "presentation mode"], ["Space or Page Down", "next step of a lesson"], ["Page Up", "previous step"],
	["1 to 9", "add points of that class"], ["E", "erase points"], ["V or Escape", "move again"], ["?", "this list"],
];

const ICONS = {
	undo: "M8 5 4 9l4 4M4 9h9a5 5 0 0 1 0 10h-3", redo: "m16 5 4 4-4 4M20 9h-9a5 5 0 0 0 0 10h3", close: "m6 6 12 12M18 6 6 18",
};
const icon = (name) => svgEl("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svgEl("path", { d: ICONS[name] }));

class LabApp {
	constructor(root, payload) {
		const part = (name) => root.querySelector(`#lab-${name}`);
		Object.assign(this, { root, given: payload, records: [], index: -1, table: null, pending: null, panel: null, session: Math.random() });
		Object.assign(this, { title: part("title"), message: part("message"), tools: part("tools"), side: part("panel"), tabs: part("tabs") });
		this.place = { mode: "start", lesson: null, step: 0 };
		const alt = "Points of several classes and their Gaussian classifier";
		this.figure = figure(part("figure"), { ...OPENING, card: true, zoom: true, height: "fill", move: [], alt });
		this.figure.on("change", (event) => this.changed(event));
		this.figure.on("problem", ({ message }) => (this.failure = message));
		this.makeActions(part("actions"));
		this.makeTabs();
		this.listen();
		this.open(location.hash.slice(1), true);
	}

	// States.

	/** Show what an address holds; one that cannot be read opens the start page with a sentence. */
	open(hash, replace = false) {
		let problem = null;
		this.failure = null;
		try {
			const { spec = {}, ...place } = decodeState(hash) ?? this.beginning();
			if (place.lesson && !lessonOf(place.lesson)) throw new Problem("The address names a lesson that does not exist; this is the start page instead.");
			if (place.lesson) place.step = Math.min(place.step, lessonOf(place.lesson).steps.length - 1);
			this.go(place, { ...this.specOf(place), ...this.resolved(spec) }, { animate: false, replace });
			const { columns, table } = this.figure.scene;
			const width = this.figure.state.model?.parameters?.means?.[0].length ?? columns.length;
			if (this.failure || (width !== columns.length && width !== table.names.length)) throw new Error(this.failure);
		} catch (error) {
			problem = error instanceof Problem ? error.message : "The address has a state that cannot be drawn; this is the start page instead.";
			const place = this.beginning();
			this.go(place, this.specOf(place), { animate: false, replace });
		}
		this.say(problem ?? this.pending?.message ?? "");
	}

	beginning() {
		return { mode: this.given.data ? "data" : "start", lesson: null, step: 0 };
	}

	/** The spec with which a place begins. */
	specOf({ mode, lesson, step }) {
		if (lesson) {
			const { spec, steps } = lessonOf(lesson);
			const shown = { ...BLANK, ...spec, ...steps[step].set };
			return { ...shown, model: shown.model.parameters ? shown.model : { ...PLAIN, ...shown.model } };
		}
		return mode === "data" && this.given.data ? this.givenSpec() : OPENING;
	}

	givenSpec() {
		const { data, model } = this.given;
		const pairs = model?.grid && Object.keys(model.grid.pairs);
		const features = pairs?.length ? pairs[0].split(",").map(Number) : bestFeatures(data);
		const shown = model?.parameters || pairs?.length ? model : PLAIN;
		return { ...BLANK, data, model: shown, features, view: features.length > 1 ? "plane" : "line", query: middleOf(data, features) };
	}

	/** Members of an address in which the page's own data and model are named instead of written. */
	resolved(spec) {
		const found = { ...spec };
		this.pending = null;
		if (spec.data?.given || spec.model?.given) {
			if (!this.given.data) throw new Problem("The address belongs to a page that holds its data: open that page instead.");
			if (spec.data?.given) found.data = this.given.data;
			if (spec.model?.given) found.model = this.given.model;
		}
		if (spec.data?.file !== undefined) {
			const known = this.table?.name === spec.data.file ? dataOf(this.table, spec.data.target) : null;
			if (known) return { ...found, data: known };
			this.pending = { name: spec.data.file, spec, message: `The address shows ${spec.data.file}: drop that file on this page to see it.` };
			return {};
		}
		return found;
	}

	/** Show a place and a spec, and record them. */
	go(place, spec, { animate = true, replace = false } = {}) {
		const before = this.place;
		this.place = { ...place };
		this.setQuietly({ ...spec, tool: null }, animate);
		this.root.dataset.mode = place.mode;
		if (!this.panel || before.mode !== place.mode || before.lesson !== place.lesson || before.step !== place.step) this.makePanel();
		this.record(replace);
		this.refresh(true);
	}

	/** Change the place and leave the figure as it is. */
	visit(mode) {
		const { state } = this.figure;
		this.go({ mode, lesson: null, step: 0 }, Object.fromEntries(MEMBERS.map((name) => [name, state[name]])));
	}

	changed({ record, settled }) {
		if (this.going) return;
		if (record && settled) this.record();
		this.refresh(settled);
	}

	record(replace = false) {
		this.keepWindow();
		const { state } = this.figure;
		const spec = Object.fromEntries(MEMBERS.map((name) => [name, state[name] ?? null]));
		const last = this.records[this.index];
		const differ = last ? MEMBERS.filter((name) => !sameMember(last.spec[name], spec[name])) : MEMBERS;
		if (last && !differ.length && JSON.stringify(last.place) === JSON.stringify(this.place)) return;
		const [only = null, another] = differ.filter((name) => name !== "window");
		const isOne = !another && only !== "data" && last?.only === only && performance.now() - last.time < ONE_CHANGE;
		const again = replace || isOne;
		const entry = { place: this.place, spec, only: another ? MEMBERS : only, time: performance.now() };
		if (again && last) this.records[this.index] = entry;
		else this.records = [...this.records.slice(0, this.index + 1), entry].slice(-MOST_RECORDS);
		this.index = this.records.length - 1;
		this.writeAddress(again);
		if (this.message.dataset.kind !== "problem" || !replace) this.say("");
	}

	/** A drag leaves the window as it was: what is not the window that the state would open with becomes part of the state. */
	keepWindow() {
		const { state, whole, scene } = this.figure;
		if (state.window || !whole || JSON.stringify(whole) === JSON.stringify(wholeWindow(scene))) return;
		this.setQuietly({ window: whole });
	}

	/** Change the figure without another record. */
	setQuietly(patch, animate = false) {
		this.going = true;
		this.figure.set(patch, { record: false, animate });
		this.going = false;
	}

	/** Undo (−1) or redo (1). */
	step(by) {
		const entry = this.records[this.index + by];
		if (entry) this.restore(this.index + by);
		if (entry) this.writeAddress();
	}

	restore(index) {
		const { place, spec } = this.records[index];
		this.index = index;
		this.go(place, spec);
	}

	/** What the address says of the present record: members that differ from the beginning of its place. */
	portable() {
		const { place, spec } = this.records[this.index];
		const base = this.specOf(place);
		const found = {};
		for (const name of MEMBERS) if (!sameMember(spec[name], base[name] ?? null)) found[name] = spec[name];
		if (found.model?.grid || (found.model && found.model === this.given.model)) found.model = { given: true };
		if (found.data) {
			found.data = spec.data === this.given.data ? { given: true } : this.table && spec.data === this.table.data
				? { file: this.table.name, target: spec.data.target } : plainData(spec.data);
		}
		const hash = encodeState(place, found);
		if (hash.length <= LONGEST_WRITTEN || !found.data?.rows) return { hash, whole: !found.data?.file };
		const { rows: _, ...rest } = found.data;
		return { hash: encodeState(place, { ...found, data: { file: rest.name || "points", target: rest.target } }), whole: false };
	}

	writeAddress(replace = false) {
		const { hash } = this.portable();
		try {
			history[replace ? "replaceState" : "pushState"]({ session: this.session, index: this.index }, "", `#${hash}`);
		} catch {
			// A frame in a notebook has no address, and browsers allow only so many changes in a short time: undo works without.
		}
	}

	// What is around the figure.

	makePanel() {
		const { mode, lesson } = this.place;
		const make = { start: startPanel, play: playPanel, data: dataPanel, learn: learnPanel }[mode];
		this.panel = make(this, lesson && lessonOf(lesson));
		this.side.replaceChildren(...this.panel.nodes);
		this.side.scrollTop = 0;
		this.bar = mode === "play" || mode === "data" ? toolBar(this) : null;
		this.tools.replaceChildren(...(this.bar?.nodes ?? []));
		for (const tab of this.tabs.children) tab.setAttribute("aria-pressed", tab.dataset.mode === mode);
	}

	/** What the pointer moves here. The model from Python has no handles: the reader chooses Gaussians by hand first. */
	allowMoves() {
		const { lesson, mode } = this.place;
		const isPython = modelKind(this) === "python";
		const move = ["query", ...(isPython ? [] : ["means", "covariances"]), ...(lesson ? ["priors"] : mode === "start" || isPython ? [] : ["points"])];
		if (move.join() === this.figure.state.move.join()) return;
		this.setQuietly({ move });
	}

	refresh(settled) {
		if (settled) this.allowMoves();
		this.panel.refresh(settled);
		this.bar?.refresh(settled);
		this.undoButton.disabled = this.index < 1;
		this.redoButton.disabled = this.index > this.records.length - 2;
		const { scene } = this.figure;
		const { data } = this.figure.state;
		const rows = !scene.table.n ? "" : data.sampled ? `${countText(scene.table.n)} of ${counted(data.n_rows, "row")}, drawn at random` : counted(scene.table.n, "row");
		this.title.textContent = [scene.table.name, rows, counted(scene.classes.length, "class").replace("classs", "classes")].filter(Boolean).join(" · ");
	}

	makeTabs() {
		const order = matchMedia(NARROW).matches ? ["learn", "play", "data"] : ["play", "learn", "data"];
		this.tabs.replaceChildren(...order.map((mode) => el("button", { type: "button", class: "lab-tab", "data-mode": mode, on: { click: () => this.visit(mode) } },
			el("b", {}, MODES[mode][0]), el("span", {}, MODES[mode][1]))));
	}

	makeActions(place) {
		const button = (text, label, click) => el("button", { type: "button", class: "lab-action", title: label, "aria-label": label, on: { click } }, text);
		const menu = (title, items) => {
			const item = ([text, click]) => el("button", { type: "button", on: { click: () => { box.open = false; click(); } } }, text);
			const box = el("details", { class: "lab-menu" }, el("summary", { class: "lab-action" }, title), el("div", {}, items.map(item)));
			addEventListener("click", ({ target }) => box.contains(target) || (box.open = false));
			return box;
		};
		this.undoButton = button(icon("undo"), "Undo (Ctrl + Z)", () => this.step(-1));
		this.redoButton = button(icon("redo"), "Redo (Ctrl + Y)", () => this.step(1));
		place.append(this.undoButton, this.redoButton, menu("Export", [
			["Copy link", () => this.share()], ["Python code", () => this.showPython()], ["Image (PNG)", () => this.savePicture()],
			["Points as CSV", () => download("lab.csv", csvText(this.figure.scene), "text/csv")],
		]), menu("Page", [
			["Start page", () => this.open("")], ["Presentation (F)", () => this.present()], ["Light or dark", () => this.switchTheme()], ["Keyboard (?)", () => this.showKeys()],
		]));
	}

	switchTheme() {
		const { dataset } = document.documentElement;
		const dark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
		dataset.theme = dark ? "light" : "dark";
	}

	/** Full screen, large type, and only the figure with the controls of the step. */
	present(on = this.root.dataset.presenting !== "true") {
		this.root.dataset.presenting = on;
		document.documentElement.classList.toggle("lab-presenting", on);
		if (on) document.documentElement.requestFullscreen?.().catch(() => {});
		else if (document.fullscreenElement) document.exitFullscreen();
		dispatchEvent(new Event("resize"));
	}

	/** A sentence for the reader; an empty one takes the last away. */
	say(text, kind = "note") {
		this.message.textContent = text;
		this.message.hidden = !text;
		this.message.dataset.kind = kind;
	}

	/** Go to another step of the lesson, or to the next lesson after its last one. */
	turn(by) {
		const { lesson, step } = this.place;
		if (!lesson) return;
		const at = LESSONS.indexOf(lessonOf(lesson));
		const next = step + by;
		if (next >= 0 && next < LESSONS[at].steps.length) this.teach(lesson, next);
		else if (next > 0 && at + 1 < LESSONS.length) this.teach(LESSONS[at + 1].id, 0);
		else if (next > 0) this.visit("learn");
	}

	teach(lesson, step = 0) {
		const place = { mode: "learn", lesson, step };
		this.go(place, this.specOf(place));
	}

	// Files and exports.

	async load(file) {
		this.say(`Reading ${file.name} …`);
		try {
			this.use(await readFile(file, (share) => this.say(`Reading ${file.name} … ${Math.round(100 * share)} %`)));
		} catch (error) {
			this.say(error instanceof Problem ? error.message : `${file.name} could not be read.`, "problem");
		}
	}

	/** Show a table that was read; it replaces the last one only if it can be drawn. */
	use(table, target) {
		const data = dataOf(table, target);
		const features = bestFeatures(data);
		const wanted = this.pending?.name === table.name ? this.pending.spec : {};
		this.table = { ...table, data };
		this.pending = null;
		const spec = { ...BLANK, view: features.length > 1 ? "plane" : "line", features, query: middleOf(data, features), ...wanted, data };
		this.go({ mode: "data", lesson: null, step: 0 }, spec, { animate: false });
		this.say(table.notes.join(" "));
	}

	async copy(text, done) {
		try {
			await navigator.clipboard.writeText(text);
			this.say(done);
		} catch {
			this.dialog("Copy this text", el("pre", { tabindex: 0 }, text));
		}
	}

	share() {
		const { whole } = this.portable();
		const name = this.table?.name ?? "the data";
		this.copy(location.href, whole ? "The link is copied: it shows this figure to anybody who opens it." : `The link is copied. It does not hold ${name}: share the file as well.`);
	}

	async savePicture() {
		download("lab.png", await this.figure.png(), "image/png");
	}

	showPython() {
		const code = pythonCode(this.figure.scene);
		const button = (text, click) => el("button", { type: "button", class: "gb-button", on: { click } }, text);
		this.dialog("The same figure in Python", el("pre", { tabindex: 0, id: "lab-code" }, code),
			el("p", {}, button("Copy", () => this.copy(code, "The code is copied.")), button("Save as lab.py", () => download("lab.py", code, "text/x-python"))));
	}

	showKeys() {
		this.dialog("Keyboard", el("dl", { class: "lab-keys" }, KEY_HELP.map(([key, what]) => [el("dt", {}, key), el("dd", {}, what)])));
	}

	dialog(title, ...content) {
		const close = el("button", { type: "button", class: "lab-action", "aria-label": "Close", on: { click: () => box.close() } }, icon("close"));
		const box = el("dialog", { class: "lab-dialog", "aria-label": title }, el("div", { class: "lab-dialog-head" }, el("h2", {}, title), close), content);
		box.addEventListener("close", () => box.remove());
		document.body.append(box);
		box.showModal();
	}

	// Keys, drops, history.

	listen() {
		addEventListener("popstate", ({ state }) => {
			if (state?.session !== this.session) this.open(location.hash.slice(1), true);
			else if (this.records[state.index]) this.restore(state.index);
		});
		addEventListener("keydown", (event) => this.key(event));
		document.addEventListener("fullscreenchange", () => !document.fullscreenElement && this.root.dataset.presenting === "true" && this.present(false));
		addEventListener("dragover", (event) => {
			event.preventDefault();
			this.root.dataset.dropping = true;
		});
		addEventListener("dragleave", ({ relatedTarget }) => relatedTarget ?? delete this.root.dataset.dropping);
		addEventListener("drop", (event) => {
			event.preventDefault();
			delete this.root.dataset.dropping;
			const [file] = event.dataTransfer?.files ?? [];
			if (file) this.load(file);
		});
	}

	key(event) {
		const { target, key } = event;
		if (document.querySelector("dialog[open]") || target.closest?.("input:not([type=range]), select, textarea")) return;
		if (event.ctrlKey || event.metaKey) {
			const by = { z: event.shiftKey ? 1 : -1, y: 1 }[key.toLowerCase()];
			if (by) this.step(by);
			if (by) event.preventDefault();
			return;
		}
		if (event.altKey) return;
		const free = !target.closest?.("button, a, summary, input, [role=slider], [tabindex='0']");
		const edits = this.place.mode === "play" || this.place.mode === "data";
		const label = edits && this.figure.scene.classes[Number(key) - 1];
		if (key === "f" || key === "F") this.present();
		else if (key === "?") this.showKeys();
		else if (key === "PageDown" || (key === " " && free)) this.place.lesson && this.turn(1);
		else if (key === "PageUp") this.turn(-1);
		else if (key === "Escape" && this.root.dataset.presenting === "true") this.present(false);
		else if (edits && (key === "v" || key === "Escape")) this.figure.set({ tool: null }, { record: false });
		else if (edits && key === "e") this.figure.set({ tool: { erase: true } }, { record: false });
		else if (label !== undefined && label !== false) this.figure.set({ tool: { add: label } }, { record: false });
		else return;
		if (key === " " || key.startsWith("Page")) event.preventDefault();
	}
}

/** Whether two members of a spec are the same; large data are the same only if they are one object. */
function sameMember(a, b) {
	if (a === b) return true;
	const large = (value) => value?.labels?.length > 200 || value?.grid;
	return !large(a) && !large(b) && JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** Data as an address holds them: an example, or rows. */
function plainData(data) {
	if (!data.columns) return data;
	const { columns, labels, target, name } = data;
	const rows = Array.from(labels, (_, i) => columns.map(({ values }) => values[i] ?? null));
	return { rows, labels: Array.from(labels), features: columns.map((column) => column.name), target, name: name ?? "" };
}

/**
 * Start the lab on its page.
 * @param {Element} root the element with the parts of page.html
 * @param {{data?: object, model?: object}} payload what Python wrote into the page
 * @returns {LabApp} the application, for tests
 */
export const lab = (root, payload = {}) => new LabApp(root, { data: payload.data ?? null, model: payload.model ?? null });
