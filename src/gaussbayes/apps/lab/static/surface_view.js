// The evidence as a surface to turn, by plotly, which is fetched when it is first asked for.
//
// Without WebGL a message stands here, and the page shows the evidence in the plane instead.

import { button, el, write } from "./panels/elements.js";
import { filterOf } from "./requests.js";
import { layout, traces } from "./panels/surface_figure.js";

const WIDTH = 90;
const TURN = Math.PI / 12;
const EYE = { x: -0.9, y: -1.5, z: 1 };
const TURNS = [["left", "←", -1, 0], ["up", "↑", 0, 1], ["down", "↓", 0, -1], ["right", "→", 1, 0]];
const SETTINGS = { displayModeBar: false, responsive: true, showSendToCloud: false, plotlyServerURL: "" };
const NO_WEBGL =
	"This browser has no WebGL, so there is no 3-D view here. " +
	"The evidence is drawn in the plane instead, as contours.";
let fetched = null;

/** Plotly; its own rules of style are in panels.css, since the page allows no inline ones. */
function plotly() {
	fetched ??= new Promise((resolve, reject) => {
		const ready = el("meta", { id: "plotly.js-style-global", class: "no-inline-styles" });
		const script = el("script", {
			src: "static/plotly.min.js",
			on: {
				load: () => {
					delete document.createElement;
					resolve(window.Plotly);
				},
				error: () => {
					delete document.createElement;
					fetched = null;
					reject(new Error("The 3-D drawing could not be loaded from the server."));
				},
			},
		});
		// As it starts it would add rules of style for maps, which are neither allowed nor needed.
		const make = document.createElement;
		document.createElement = (tag, ...more) =>
			make.call(document, tag === "style" ? "meta" : tag, ...more);
		document.head.append(ready, script);
	});
	return fetched;
}

function hasWebGL() {
	try {
		const context = document.createElement("canvas").getContext("webgl");
		context?.getExtension("WEBGL_lose_context")?.loseContext(); // a page has but a few of them
		return context !== null;
	} catch {
		return false;
	}
}

export function mount(element, app) {
	const drawing = el("div", {
		class: "surface",
		id: "surface-plot",
		role: "img",
		"aria-label": "The evidence p(x) as a surface over the plane",
	});
	const message = el("p", { class: "surface-message", role: "status", hidden: true });
	const turn = ([name, label, across, up]) =>
		button(`surface-${name}`, label, () => rotate(across, up), { "aria-label": `Turn the surface ${name}` });
	const turning = { role: "group", "aria-label": "Turn the surface; arrow keys work here too", on: { keydown: onKey } };
	const pad = el("div", { class: "surface-pad", ...turning }, TURNS.map(turn));
	element.append(drawing, pad, message);
	// Plotly looks at the window only, and on a phone a panel takes room.
	new ResizeObserver(() => drawing.offsetHeight && drawing.layout && window.Plotly.Plots.resize(drawing)).observe(drawing);
	let eye = null;
	let drawn = "";

	const shown = () => app.state.view === "surface" && !app.flat && app.data !== null;
	const key = () => {
		const { model, neighbours, pair, stream, bounds, filter } = app.state;
		return JSON.stringify([app.data?.id, model, neighbours, pair, stream, bounds, filter, app.theme]);
	};

	async function update() {
		element.hidden = !shown();
		if (!shown() || app.dragging || key() === drawn) return;
		drawn = key();
		if (!hasWebGL()) return fallBack();
		if (!window.Plotly) say("Loading the 3-D view …");
		try {
			const { x, y, width, height } = app.view();
			const along = Math.max(20, Math.round((WIDTH * height) / width));
			const view = { x, y, width: WIDTH, height: along };
			const [Plotly, answer] = await Promise.all([plotly(), app.ask("surface", { view, known_categories: filterOf(app.state, app.data) })]);
			if (!answer.arrays.evidence) {
				return say(answer.head.problem ?? "This model has no density to draw.");
			}
			say("");
			eye ??= startFor(drawing);
			await Plotly.react(drawing, traces(app, answer), layout(app, eye), SETTINGS);
			drawing.removeAllListeners?.("plotly_relayout");
			drawing.on("plotly_relayout", (change) => (eye = change["scene.camera"]?.eye ?? eye));
		} catch (error) {
			drawn = "";
			say(error.message);
		}
	}
	function say(text) {
		write(message, text);
		drawing.hidden = pad.hidden = Boolean(text);
	}
	function fallBack() {
		drawn = "";
		say(NO_WEBGL);
		app.change({ view: "plane", layers: { evidence: true } }, { record: false });
		app.say(NO_WEBGL);
	}
	function rotate(across, up) {
		if (!eye) return;
		const flat = Math.hypot(eye.x, eye.y);
		const far = Math.hypot(flat, eye.z);
		const angle = Math.atan2(eye.y, eye.x) + across * TURN;
		const height = Math.max(-0.2, Math.min(1.5, Math.atan2(eye.z, flat) + up * TURN));
		eye = { x: far * Math.cos(height) * Math.cos(angle), y: far * Math.cos(height) * Math.sin(angle), z: far * Math.sin(height) };
		window.Plotly?.relayout(drawing, { "scene.camera.eye": eye });
	}
	function onKey(event) {
		const found = TURNS.find(([name]) => event.key.toLowerCase() === `arrow${name}`);
		if (!found) return;
		event.preventDefault();
		rotate(...found.slice(2));
	}
	app.on("state data theme", update);
	update();
}

/** Where one looks from first: farther away where the drawing is narrow. */
function startFor({ clientWidth, clientHeight }) {
	const away = Math.max(1, clientHeight / clientWidth);
	return { x: EYE.x * away, y: EYE.y * away, z: EYE.z * away };
}
