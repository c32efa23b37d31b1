/**
 * The lab: a figure with its controls, lessons and the reader's own data, on a page that computes everything itself.
 *
 * A state is a place (mode, lesson, step) and the members of the figure's spec that a reader can change. Every change is
 * recorded: undo and the Back button step through the records, and the address holds the present one.
 */

import { figure } from "./figure.js";
import { el, svgEl } from "./figure/elements.js";
import { countText } from "./figure/numbers.js";
import { wholeWindow } from "./figure/scene.js";
import { decodeState, encodeState, LONGEST_WRITTEN } from "./lab/address.js";
import { csvText, download, pythonCode } from "./lab/exports.js";
import { learnPanel } from "./lab/learn.js";
import { lessonOf, LESSONS } from "./lab/lessons.js";
import { bestFeatures, dataPanel, middleOf, modelKind, PLAIN, playPanel, startPanel, textButton, toolBar } from "./lab/panels.js";
import { counted, dataOf, Problem, readFile } from "./lab/reader.js";

const MEMBERS = ["view", "data", "model", "features", "hidden", "query", "neighbours", "step", "test", "layers", "window"];
const BLANK = {
	view: "plane", data: { example: "unequal" }, model: PLAIN, features: null, hidden: [], query: null, neighbours: 5, step: null,
	test: null, layers: {}, window: null,
};
// The page opens with Gaussians that are not fitted yet: the reader is to find a better boundary.
const CIRCLE = [[1.2, 0], [0, 1.2]];
const ROUGH = { classes: ["A", "B"], priors: [0.5, 0.5], means: [[-1.6, 1], [1.2, -0.6]], covariances: [CIRCLE, CIRCLE] };
const OPENING = { ...BLANK, query: [0.4, 0.2], model: { parameters: ROUGH } };
const MODES = {
	play: ["Play", "Move everything, see it follow", playPanel], learn: ["Learn", "Eight short lessons", learnPanel],
	data: ["My data", "Open a CSV; it stays here", dataPanel],
};
const INSTEAD = "this is the start page instead.";
const MOST_RECORDS = 300;
const ONE_CHANGE = 700; // milliseconds within which changes of the same member are one
const NOTE_TIME = 8000; // milliseconds after which a note goes away
const NARROW = "(max-width: 760px)";
const KEY_HELP = [
	["Tab", "go through controls and handles"], ["arrow keys", "move the handle in focus, with Shift in finer steps"],
	["Ctrl + Z, Ctrl + Y", "undo, redo"], ["F", "presentation mode"], ["Space or Page Down", "next step of a lesson"],
	["Page Up", "previous step"], ["1 to 9", "add points of that class"], ["E", "erase points"], ["V or Escape", "move again"],
	["?", "this list"],
];
const ICONS = {
	undo: "M8 5 4 9l4 4M4 9h9a5 5 0 0 1 0 10h-3", redo: "m16 5 4 4-4 4M20 9h-9a5 5 0 0 0 0 10h3", close: "m6 6 12 12M18 6 6 18",
};

/** A small button with an icon. */
function iconButton(name, label, click) {
	const icon = svgEl("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svgEl("path", { d: ICONS[name] }));
	return el("button", { type: "button", class: "lab-action", title: label, "aria-label": label, on: { click } }, icon);
}

/** A button that unfolds others: [text, click]. */
function menuOf(title, items) {
	const item = ([text, click]) => el("button", { type: "button", on: { click: () => click(box.open = false) } }, text);
	const box = el("details", { class: "lab-menu" }, el("summary", { class: "lab-action" }, title), el("div", {}, items.map(item)));
	addEventListener("click", ({ target }) => box.contains(target) || (box.open = false));
	return box;
}

class LabApp {
	constructor(root, given) {
		const part = (name) => root.querySelector(`#lab-${name}`);
		Object.assign(this, { root, given, records: [], index: -1, table: null, pending: null, panel: null, session: Math.random() });
		Object.assign(this, { title: part("title"), message: part("message"), tools: part("tools"), tabs: part("tabs") });
		this.side = part("panel");
		this.place = this.beginning();
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
		const how = { animate: false, replace };
		this.pending = null;
		try {
			const { spec = {}, ...place } = decodeState(hash) ?? this.beginning();
			if (place.lesson && !lessonOf(place.lesson)) throw new Problem(`The address names a lesson that does not exist; ${INSTEAD}`);
			if (place.lesson) place.step = Math.min(place.step, lessonOf(place.lesson).steps.length - 1);
			this.failure = null;
			this.go(place, { ...this.specOf(place), ...this.resolved(spec) }, how);
			const { columns, table } = this.figure.scene;
			const width = this.figure.state.model?.parameters?.means?.[0].length ?? columns.length;
			if (this.failure || ![columns.length, table.names.length].includes(width)) throw new Error(this.failure);
			this.say(this.pending?.message ?? "", "problem");
		} catch (error) {
			this.go(this.beginning(), this.specOf(this.beginning()), how);
			this.say(error instanceof Problem ? error.message : `The address has a state that cannot be drawn; ${INSTEAD}`, "problem");
		}
	}

	beginning() {
		return { mode: this.given.data ? "data" : "start", lesson: null, step: 0 };
	}

	/** The spec with which a place begins. */
	specOf({ mode, lesson, step }) {
		if (!lesson) return mode === "data" && this.given.data ? this.givenSpec() : OPENING;
		const { spec, steps } = lessonOf(lesson);
		const shown = { ...BLANK, ...spec, ...steps[step].set };
		return { ...shown, model: shown.model.parameters ? shown.model : { ...PLAIN, ...shown.model } };
	}

	givenSpec() {
		const { data, model } = this.given;
		const [pair] = Object.keys(model?.grid?.pairs ?? {});
		const shown = model?.parameters || pair ? model : PLAIN;
		return (this.givenStart ??= { ...dataSpec(data, pair?.split(",").map(Number)), model: shown });
	}

	/** Members of an address in which the page's own data and model are named instead of written. */
	resolved({ data, model, ...spec }) {
		const isOther = (data?.given || model?.given) && !this.given.data;
		if (isOther) throw new Problem(`The address belongs to a page with other data; ${INSTEAD}`);
		const known = data?.file && this.table?.name === data.file ? dataOf(this.table, data.target) : null;
		if (data?.file !== undefined && !known) {
			const message = `The address shows ${data.file}: drop that file on this page to see it.`;
			this.pending = { name: data.file, spec: model ? { ...spec, model } : spec, message };
			return {};
		}
		if (data) spec.data = known ?? (data.given ? this.given.data : data);
		if (model) spec.model = model.given ? this.given.model : model.parameters ? model : { ...PLAIN, ...model };
		return spec;
	}

	/** Show a place and a spec, and record them. */
	go(place, spec, { animate = true, replace = false } = {}) {
		const isNew = !this.panel || !sameMember(place, this.place);
		this.place = { ...place };
		this.setQuietly({ ...spec, tool: null }, animate);
		this.root.dataset.mode = place.mode;
		if (isNew) this.makePanel();
		this.record(replace);
		this.refresh(true);
	}

	/** Change the place and leave the figure as it is. */
	visit(mode) {
		this.go({ mode, lesson: null, step: 0 }, Object.fromEntries(MEMBERS.map((name) => [name, this.figure.state[name]])));
	}

	changed({ record, settled }) {
		if (this.isQuiet) return;
		const note = settled ? this.adaptHand() : "";
		if (record && settled) this.record();
		this.refresh(settled);
		if (note) this.say(note);
	}

	/** Gaussians by hand in another view: a line shows those of the plane; those of one feature do not determine two. */
	adaptHand() {
		const { state: { model, view }, scene: { columns } } = this.figure;
		const width = this.place.lesson ? 0 : model?.parameters?.means?.[0].length;
		if (width === 2 && view === "line") this.setQuietly({ model: { parameters: this.figure.parameters() } });
		if (!width || width >= columns.length) return "";
		this.setQuietly({ model: PLAIN });
		return "Gaussians set by hand were those of one feature: those of two are fitted.";
	}

	/** Change the figure without another record. */
	setQuietly(patch, animate = false) {
		this.isQuiet = true;
		this.figure.set(patch, { record: false, animate });
		this.isQuiet = false;
	}

	record(replace = false) {
		this.keepWindow();
		const { place, figure: { state } } = this;
		const spec = Object.fromEntries(MEMBERS.map((name) => [name, state[name] ?? null]));
		const last = this.records[this.index];
		const differ = MEMBERS.filter((name) => name !== "window" && (!last || !sameMember(last.spec[name], spec[name])));
		if (last && !differ.length && sameMember(last.spec.window, spec.window) && sameMember(last.place, place)) return;
		const only = differ.length === 1 && differ[0] !== "data" ? differ[0] : null;
		const isAgain = replace || (only && last?.only === only && performance.now() - last.time < ONE_CHANGE);
		const before = this.records.slice(0, isAgain ? this.index : this.index + 1);
		this.records = [...before, { place, spec, only, time: performance.now() }].slice(-MOST_RECORDS);
		this.index = this.records.length - 1;
		this.writeAddress(isAgain);
		this.say("");
	}

	/** A drag leaves the window as it was: one that the state would not open with becomes part of the state. */
	keepWindow() {
		const { state, whole, scene } = this.figure;
		if (!state.window && whole && !sameMember(whole, wholeWindow(scene))) this.setQuietly({ window: whole });
	}

	/** Undo (−1) or redo (1). */
	step(by) {
		if (!this.records[this.index + by]) return;
		this.restore(this.index + by);
		this.writeAddress();
	}

	restore(index) {
		this.index = index;
		this.go(this.records[index].place, this.records[index].spec);
	}

	/** The address of the present record: members that differ from the beginning of its place. `isWhole`: with its data. */
	portable() {
		const { place, spec } = this.records[this.index];
		const base = this.specOf(place);
		const found = {};
		for (const name of MEMBERS) if (!sameMember(spec[name], base[name])) found[name] = spec[name];
		if (found.model?.grid || (found.model && found.model === this.given.model)) found.model = { given: true };
		if (found.data === this.given.data) found.data &&= { given: true };
		const named = found.data?.labels && { file: found.data.name || "points", target: found.data.target };
		if (named && found.data === this.table?.data) found.data = named;
		if (found.data?.columns) found.data = plainData(found.data);
		const hash = encodeState(place, found);
		if (hash.length <= LONGEST_WRITTEN || !named) return { hash, isWhole: !found.data?.file };
		return { hash: encodeState(place, { ...found, data: named }), isWhole: false };
	}

	writeAddress(replace = false) {
		try {
			const state = { session: this.session, index: this.index };
			history[replace ? "replaceState" : "pushState"](state, "", `#${this.portable().hash}`);
		} catch {
			// A frame in a notebook has no address, and browsers allow only so many changes in a short time: undo works without.
		}
	}

	// The panels around the figure.

	makePanel() {
		const { mode, lesson } = this.place;
		this.panel = (MODES[mode]?.[2] ?? startPanel)(this, lessonOf(lesson));
		this.side.replaceChildren(...this.panel.nodes);
		this.side.scrollTop = 0;
		this.bar = mode === "play" || mode === "data" ? toolBar(this) : null;
		this.tools.replaceChildren(...(this.bar?.nodes ?? []));
		for (const tab of this.tabs.children) tab.setAttribute("aria-pressed", tab.dataset.mode === mode);
	}

	/** The parts that the pointer moves. The model from Python has no handles: the reader chooses Gaussians by hand first.
	 * */
	allowMoves() {
		const { lesson, mode } = this.place;
		const isPython = modelKind(this) === "python";
		const others = lesson ? ["priors"] : mode === "start" || isPython ? [] : ["points"];
		const move = ["query", ...(isPython ? [] : ["means", "covariances"]), ...others];
		if (!sameMember(move, this.figure.state.move)) this.setQuietly({ move });
	}

	refresh(settled) {
		if (settled) this.allowMoves();
		this.panel.refresh(settled);
		this.bar?.refresh(settled);
		this.undoButton.disabled = this.index < 1;
		this.redoButton.disabled = this.index > this.records.length - 2;
		const { scene: { table, classes }, state: { data } } = this.figure;
		const all = data.sampled ? `${countText(table.n)} of ${counted(data.n_rows, "row")}, drawn at random` : counted(table.n, "row");
		this.title.textContent = [table.name, table.n ? all : "", `${classes.length} classes`].filter(Boolean).join(" · ");
	}

	makeTabs() {
		const modes = matchMedia(NARROW).matches ? ["learn", "play", "data"] : ["play", "learn", "data"];
		this.tabs.replaceChildren(...modes.map((mode) => {
			const [title, text] = MODES[mode];
			const attributes = { type: "button", class: "lab-tab", "data-mode": mode, on: { click: () => this.visit(mode) } };
			return el("button", attributes, el("b", {}, title), el("span", {}, text));
		}));
	}

	makeActions(place) {
		this.undoButton = iconButton("undo", "Undo (Ctrl + Z)", () => this.step(-1));
		this.redoButton = iconButton("redo", "Redo (Ctrl + Y)", () => this.step(1));
		place.append(this.undoButton, this.redoButton, menuOf("Export", [
			["Copy link", () => this.share()], ["Python code", () => this.showPython()],
			["Image (PNG)", async () => download("lab.png", await this.figure.png())],
			["Points as CSV", () => download("lab.csv", csvText(this.figure.scene), "text/csv")],
		]), menuOf("Page", [
			["Start page", () => this.open("")], ["Presentation (F)", () => this.present()], ["Light or dark", () => this.switchTheme()],
			["Keyboard (?)", () => this.showKeys()],
		]));
	}

	switchTheme() {
		const { dataset } = document.documentElement;
		const theme = dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
		dataset.theme = theme === "dark" ? "light" : "dark";
	}

	/** Full screen, large type, and only the figure with the controls of the step. */
	present(isOn = this.root.dataset.presenting !== "true") {
		this.root.dataset.presenting = isOn;
		document.documentElement.classList.toggle("lab-presenting", isOn);
		if (isOn) document.documentElement.requestFullscreen?.().catch(() => {});
		else if (document.fullscreenElement) document.exitFullscreen();
	}

	/** A sentence for the reader; a note goes away by itself, a problem with the next change. */
	say(text, kind = "note") {
		this.message.textContent = text;
		this.message.hidden = !text;
		this.message.dataset.kind = kind;
		clearTimeout(this.noteTimer);
		if (kind === "note" && text) this.noteTimer = setTimeout(() => this.say(""), NOTE_TIME);
	}

	/** Go to another step of the lesson, or to the next lesson after its last one. */
	turn(by) {
		const { lesson, step } = this.place;
		const at = LESSONS.indexOf(lessonOf(lesson));
		const next = step + by;
		if (at < 0 || next < 0) return;
		if (next < LESSONS[at].steps.length) this.teach(lesson, next);
		else if (at + 1 < LESSONS.length) this.teach(LESSONS[at + 1].id);
		else this.visit("learn");
	}

	teach(lesson, step = 0) {
		const place = { mode: "learn", lesson, step };
		this.go(place, this.specOf(place));
	}

	// Files and exports.

	async load(file) {
		this.say(`Reading ${file.name} …`, "progress");
		try {
			this.use(await readFile(file, (part) => this.say(`Reading ${file.name} … ${Math.round(100 * part)} %`, "progress")));
		} catch (error) {
			this.say(error instanceof Problem ? error.message : `${file.name} could not be read.`, "problem");
		}
	}

	/** Show a table that was read; it replaces the last one only if it can be drawn. */
	use(table, target) {
		const data = dataOf(table, target);
		const wanted = this.pending?.name === table.name ? this.pending.spec : {};
		this.pending = null;
		this.table = { ...table, data };
		this.go({ mode: "data", lesson: null, step: 0 }, { ...dataSpec(data), ...wanted, data }, { animate: false });
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
		const missing = `It does not hold ${this.table?.name ?? "the data"}: share the file as well.`;
		const { isWhole } = this.portable();
		this.copy(location.href, `The link is copied. ${isWhole ? "It shows this figure to anybody who opens it." : missing}`);
	}

	showPython() {
		const code = pythonCode(this.figure.scene);
		const buttons = [
			textButton("Copy", () => this.copy(code, "The code is copied.")),
			textButton("Save as lab.py", () => download("lab.py", code, "text/x-python")),
		];
		this.dialog("The same figure in Python", el("pre", { tabindex: 0, id: "lab-code" }, code), el("p", {}, buttons));
	}

	showKeys() {
		const entries = KEY_HELP.map(([key, what]) => [el("dt", {}, key), el("dd", {}, what)]);
		this.dialog("Keyboard", el("dl", { class: "lab-keys" }, entries));
	}

	dialog(title, ...content) {
		const head = el("div", { class: "lab-dialog-head" }, el("h2", {}, title), iconButton("close", "Close", () => box.close()));
		const box = el("dialog", { class: "lab-dialog", "aria-label": title, on: { close: () => box.remove() } }, head, content);
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
		document.addEventListener("fullscreenchange", () => document.fullscreenElement || this.present(false));
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
		const isTyped = target.closest?.("input:not([type=range]), select, textarea");
		if (document.querySelector("dialog[open]") || isTyped || event.altKey) return;
		const isCommand = event.ctrlKey || event.metaKey;
		const by = isCommand && { z: event.shiftKey ? 1 : -1, y: 1 }[key.toLowerCase()];
		const act = by ? () => this.step(by) : isCommand ? null : this.actionOf(key, target);
		if (!act) return;
		event.preventDefault();
		act();
	}

	/** The action of a key; null if there is none. */
	actionOf(key, target) {
		const { lesson, mode } = this.place;
		const isFree = !target.closest?.("button, a, summary, input, [role=slider], [tabindex='0']");
		if (key === "f" || key === "F") return () => this.present();
		if (key === "?") return () => this.showKeys();
		if (lesson && (key === "PageDown" || (key === " " && isFree))) return () => this.turn(1);
		if (lesson && key === "PageUp") return () => this.turn(-1);
		if (key === "Escape" && this.root.dataset.presenting === "true") return () => this.present(false);
		if (mode !== "play" && mode !== "data") return null;
		const label = this.figure.scene.classes[Number(key) - 1];
		const tool = { e: { erase: true }, v: null, Escape: null }[key] ?? (label === undefined ? null : { add: label });
		return tool || key === "v" || key === "Escape" ? () => this.figure.set({ tool }, { record: false }) : null;
	}
}

/** The initial figure of data. */
function dataSpec(data, features = bestFeatures(data)) {
	return { ...BLANK, data, features, view: features.length > 1 ? "plane" : "line", query: middleOf(data, features) };
}

/** Whether two members of a spec are the same; large data are the same only if they are one object. */
function sameMember(a, b) {
	const isLarge = (value) => value?.labels?.length > 200 || value?.grid;
	return a === b || (!isLarge(a) && !isLarge(b) && JSON.stringify(a ?? null) === JSON.stringify(b ?? null));
}

/** Data with columns as an address holds them: rows. */
function plainData({ columns, labels, target, name = "" }) {
	const rows = Array.from(labels, (_, i) => columns.map(({ values }) => values[i] ?? null));
	return { rows, labels: Array.from(labels), features: columns.map((column) => column.name), target, name };
}

/**
 * Start the lab on its page.
 * @param {Element} root the element with the parts of page.html
 * @param {{data?: object, model?: object}} payload what Python wrote into the page
 * @returns {LabApp} the application, for tests
 */
export const lab = (root, { data = null, model = null } = {}) => new LabApp(root, { data, model });
