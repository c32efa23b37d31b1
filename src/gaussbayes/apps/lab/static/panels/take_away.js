
import { requestWhileSeen, modelKey } from "./panel_requests.js";
import { toggle } from "./controls.js";
import { button, el, hint, save, section, write } from "./elements.js";
import { asPng, bytesOf, lineSvg, planeSvg, surfacePng } from "./figure_export.js";
import { savedText } from "../saved_state.js";
import { sharedAddress } from "../store.js";

const COPIED = 1500;

export function mount(element, app) {
	const said = el("p", { class: "wrong", role: "alert", hidden: true });
	const attempt = (task) => async () => {
		write(said);
		try {
			await task();
		} catch (error) {
			write(said, error.message);
		}
	};
	const name = (end) =>
		`gaussbayes-${(app.data?.name ?? "plot").replace(/[^\w-]+/g, "-").slice(0, 40).toLowerCase()}.${end}`;
	const file = (what) => attempt(async () => {
		const { head } = await app.ask("take_away", { what, escape_formulas: escaped.input.checked });
		save(new Blob([head.base64 ? bytesOf(head.base64) : head.text], { type: head.type }), head.file);
	});
	const png = button("take-png", "PNG", attempt(async () => save(await pngOf(app), name("png"))));
	const vector = button("take-svg", "SVG", attempt(() =>
		save(new Blob([svgOf(app)], { type: "image/svg+xml" }), name("svg"))));
	const figure = el("p", { class: "hint", role: "status" });
	const csv = button("take-csv", "Data (CSV)", file("csv"));
	const model = button("take-model", "Model file", file("model"));
	const python = listing(element, app, "python", "The same in Python");
	const command = listing(element, app, "command", "The same on the command line");
	const escaped = toggle("take-escape", "Escape formulas in the CSV", () => {});
	const address = copier("take-address", "Copy the address", () => sharedAddress(app));
	const link = el("input", { type: "text", readonly: true, id: "take-link", "aria-label": "Address without key" });
	const state = button("take-state", "Save the lab (.json)", attempt(async () =>
		save(new Blob([await savedText(app)], { type: "application/json" }), name("lab.json"))));
	element.append(
		said,
		section("The figure", el("div", { class: "row" }, png, vector), figure),
		section("Files", el("div", { class: "row" }, csv, model), escaped.root),
		section(
			"Share this lab",
			hint("The address holds the state, but neither the key nor a file: it opens wherever a lab is open in the browser. ",
				"The saved lab holds the table, too: open it in any lab."),
			link,
			el("div", { class: "row" }, address, state),
		),
		python, command,
	);
	function refresh() {
		const view = viewOf(app);
		png.disabled = (view === "plane" && !app.answers.scene) || app.data?.features.length === 0;
		vector.disabled = png.disabled || view === "surface";
		const pixels = "The 3-D view is drawn in pixels: it can be kept as PNG only.";
		figure.textContent = view === "surface" ? pixels : "";
		link.value = sharedAddress(app) ?? "This table is a file: save the lab instead.";
		address.disabled = !sharedAddress(app);
		const neighbours = app.state.model.from === "neighbours";
		model.disabled = neighbours;
		model.title = neighbours ? "Nearest neighbours have no model file" : "A file that gaussbayes can load";
	}
	app.on("state data scene", refresh);
	refresh();
}

const viewOf = (app) => (app.flat ? "line" : app.state.view);

const svgOf = (app) => (viewOf(app) === "line" ? lineSvg(app) : planeSvg(app));

const pngOf = (app) => (viewOf(app) === "surface" ? surfacePng(app) : asPng(svgOf(app)));

function listing(element, app, what, title) {
	const text = el("pre", { tabindex: 0, id: `take-${what}`, "aria-label": title });
	const copy = copier(`take-${what}-copy`, "Copy", () => text.textContent);
	const root = section(title, el("div", { class: "listing" }, copy, text));
	const show = (answer, error) => {
		text.textContent = answer?.head.text ?? error?.message ?? "";
		copy.disabled = !answer;
	};
	const question = { kind: "take_away", key: () => modelKey(app, app.state.split), extra: () => ({ what }), pause: 150 };
	requestWhileSeen(element, app, question, show);
	return root;
}

function copier(id, label, textOf) {
	const copy = button(id, label, async () => {
		try {
			await navigator.clipboard.writeText(textOf());
			copy.textContent = "Copied";
		} catch {
			copy.textContent = "The browser does not allow it";
		}
		setTimeout(() => (copy.textContent = label), COPIED);
	}, { "aria-live": "polite" });
	return copy;
}
