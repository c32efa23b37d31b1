// The keyboard: history everywhere, tools and the point of the plane where the focus is there.

import { added, movedTo, paintedName, pointList, put, without } from "./drawing/point_list.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const TOOLS = { v: "select", p: "paint", e: "erase", h: "pan" };
const STEP = 1 / 50; // of the view
const FINER = 0.1;
const REACH = 60;

export function mountKeyboard(app, plot) {
	let held = null;

	addEventListener("keydown", (event) => {
		const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
		const letter = event.key.toLowerCase();
		if ((event.ctrlKey || event.metaKey) && !event.altKey) {
			if (typing && typing.type !== "range" && typing.type !== "checkbox") return;
			if (letter === "z") {
				event.preventDefault();
				if (event.shiftKey) app.redo();
				else app.undo();
			} else if (letter === "y") {
				event.preventDefault();
				app.redo();
			}
		}
	});

	document.querySelector(".skip").addEventListener("click", (event) => {
		event.preventDefault(); // what follows the # is the state
		(plot.plane ? plot.inner : plot.stage).focus();
	});

	plot.inner.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || !app.data || event.target !== plot.inner) return;
		if (act(event)) event.preventDefault();
	});
	plot.inner.addEventListener("keyup", (event) => {
		if (event.key in ARROWS && app.dragging) app.change({}, { record: held !== null });
	});
	plot.inner.addEventListener("blur", () => (held = null));
	app.on("data", () => {
		if (!app.dragging && !app.state.data.points) held = null;
	});

	function act(event) {
		const { key } = event;
		if (key in ARROWS) move(ARROWS[key], event.shiftKey ? FINER : 1);
		else if (key in TOOLS) choose(TOOLS[key]);
		else if (/^[1-9]$/.test(key) && Number(key) <= app.data.classes.length) choose("paint", Number(key) - 1);
		else if (key === "Enter" || key === " ") paint();
		else if (key === "Delete" || key === "Backspace") erase();
		else if (key === "g") grab();
		else if (key === "+" || key === "=") zoom(0.8);
		else if (key === "-") zoom(1.25);
		else if (key === "0") app.change({ bounds: null }, { record: false });
		else if (key === "Escape") escape();
		else return false;
		return true;
	}

	function middle() {
		const { x, y } = plot.view;
		return [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2];
	}

	function move([across, along], proportion) {
		const { view } = plot;
		const from = app.state.at ?? middle();
		const step = [(view.x[1] - view.x[0]) * STEP * proportion, (view.y[1] - view.y[0]) * STEP * proportion];
		const at = view.rounded([from[0] + across * step[0], from[1] + along * step[1]]);
		const list = held === null ? null : pointList(app);
		if (list) put(app, movedTo(list, held, at), true);
		app.change({ at }, { dragging: true });
	}

	function choose(name, code) {
		app.setTool(name, code);
		app.say(name === "paint" ? `Paint ${paintedName(app)}` : { select: "Look and move", erase: "Erase", pan: "Shift and zoom" }[name]);
	}

	function paint() {
		const list = pointList(app);
		if (!list) return;
		const at = app.state.at ?? plot.view.rounded(middle());
		app.say(`A point of ${paintedName(app)} at ${at.join(", ")}`);
		put(app, added(list, at, app.tool.class), false); // may have more to say
	}

	function nearest() {
		const [left, top] = plot.view.toPixel(...(app.state.at ?? middle()));
		return plot.points.nearest(plot.view, left, top, REACH);
	}

	function erase() {
		const row = nearest();
		const list = row === null ? null : pointList(app);
		if (!list || list.points.length < 2) return;
		app.say("The nearest point is erased");
		put(app, without(list, [list.rowOf(row)]), false);
	}

	function grab() {
		if (held !== null) {
			held = null;
			app.say("Let go");
			return;
		}
		const row = nearest();
		const list = row === null ? null : pointList(app);
		if (!list) {
			app.say("No point is near");
			return;
		}
		held = list.rowOf(row);
		app.change({ at: plot.view.rounded(plot.points.place(row)) }, { record: false });
		app.say(`Holding a point of ${app.data.classes[app.data.codes[row]] ?? "no class"}: arrow keys move it, G lets go`);
	}

	function zoom(factor) {
		const { view } = plot;
		app.change({ bounds: view.zoomed(factor, app.state.at ?? middle()) }, { record: false });
	}

	function escape() {
		if (held !== null) grab();
		else app.change({ at: null }, { record: false });
	}
}
