// Header and toolbar: history, address, theme, what the pointer does, classes, views.

import { NO_CODE } from "./answer_reader.js";
import { button, el, find, helped } from "./panels/elements.js";
import { mark, NO_LABEL } from "./panels/marks.js";
import { sharedAddress } from "./store.js";
import { nextName } from "./drawing/point_list.js";

const nextTheme = ({ state: { theme } }) => ({ auto: "light", light: "dark", dark: "auto" })[theme];

export function mountToolbar(app) {
	find("undo").addEventListener("click", () => app.undo());
	find("redo").addEventListener("click", () => app.redo());
	find("share").addEventListener("click", () => share(app));
	find("theme").addEventListener("click", () => {
		const next = nextTheme(app);
		app.change({ theme: next }, { record: false });
		app.say(next === "auto" ? "Theme as the system has it" : `Theme: ${next}`);
	});
	find("fit").addEventListener("click", () => app.change({ bounds: null }, { record: false }));
	find("fit-again").addEventListener("click", () => app.fitAgain());
	radios(find("tools"), (button) => app.setTool(button.dataset.tool));
	radios(find("views"), (button) => app.change({ view: button.dataset.view }));
	for (const each of find("views").children) each.dataset.help = helped(each.textContent)["data-help"];
	const classes = find("classes");
	const refresh = () => show(app);
	app.on("state", (_, { dragging }) => dragging || refresh());
	app.on("data tool", () => {
		refresh();
		chips(app, classes);
	});
	const told = ({ name }) => (find("stage").dataset.tool = name);
	app.on("tool", told);
	told(app.tool);
	refresh();
}

/** Buttons of which one holds: arrow keys go from one to the next, as among radio buttons. */
function radios(group, choose) {
	const all = [...group.querySelectorAll("button")];
	for (const button of all) button.addEventListener("click", () => choose(button));
	group.addEventListener("keydown", (event) => {
		const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
		if (!step) return;
		event.preventDefault();
		const usable = all.filter((button) => !button.disabled && !button.hidden);
		const next = usable[(usable.indexOf(document.activeElement) + step + usable.length) % usable.length];
		next.focus();
		choose(next);
	});
}

function check(group, holds, usable) {
	for (const button of group.querySelectorAll("button")) {
		const own = holds(button);
		button.setAttribute("aria-checked", own);
		button.tabIndex = own ? 0 : -1;
		button.disabled = !usable(button);
	}
}

function show(app) {
	const { state, history, tool } = app;
	find("undo").disabled = history.before.length === 0;
	find("redo").disabled = history.after.length === 0;
	find("theme").setAttribute("aria-label", `Theme: ${state.theme}. Change to ${nextTheme(app)}`);
	find("theme").title = `Theme: ${state.theme}`;
	const view = app.flat ? "line" : state.view;
	check(find("tools"), ({ dataset }) => dataset.tool === tool.name, () => view === "plane");
	check(find("views"), ({ dataset }) => dataset.view === view, ({ dataset }) => !app.flat || dataset.view === "line");
	find("fit-again").hidden = state.model.from !== "hand";
	find("fit").disabled = state.bounds === null || view === "surface";
}

function chips(app, place) {
	if (!app.data) return;
	const { classes, unlabelled } = app.data;
	const painting = app.tool.name === "paint";
	const key = JSON.stringify([classes, unlabelled > 0, painting && app.tool.class, app.flat]);
	if (place.dataset.key === key) return;
	place.dataset.key = key;
	const chip = (code, label, meaning = `Paint points of class ${label}`, kind = null) =>
		button(`class-${code}`, [mark(app, code), el("span", { class: "label" }, label)], () => app.setTool("paint", code), {
			"aria-pressed": String(painting && app.tool.class === code), "aria-label": meaning, title: meaning, class: kind,
		});
	const most = app.about.limits?.classes_by_hand ?? 12;
	const more = classes.length < Math.min(12, most) && !app.flat;
	const focused = document.activeElement?.id;
	place.replaceChildren(
		...classes.map((label, code) => chip(code, label)),
		...(unlabelled ? [chip(NO_CODE, NO_LABEL, "Paint points without label")] : []),
		...(more ? [chip(classes.length, "+", `Paint a new class, ${nextName(classes)}`, "new")] : []),
	);
	if (focused?.startsWith("class-")) find(focused)?.focus();
}

async function share(app) {
	const address = sharedAddress(app);
	try {
		await navigator.clipboard.writeText(address ?? "");
		if (address) return app.say("Address copied, without the key of this lab: it opens wherever a lab is open.");
	} catch {}
	app.openPanel("take_away");
	app.say(address ? "The browser does not allow copying: the address is in “Export”." : "This table is a file, which no address holds: save the lab.");
}
