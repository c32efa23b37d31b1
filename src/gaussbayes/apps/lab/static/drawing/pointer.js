// The pointer in the plane: look at a place, move a point, paint, erase, shift and zoom.

import { added, pointList, movedTo, put, without } from "./point_list.js";

const REACH = { mouse: 9, pen: 12, touch: 18 }; // pixels about a point that take hold of it
const APART = 13; // pixels between two painted points of a stroke
const RUBBER = 14;
const STILL = 3; // pixels a press may tremble and still be a click
const REST = 160; // milliseconds after which a turned wheel is at rest

export class Pointer {
	constructor(app, plot) {
		this.app = app;
		this.plot = plot;
		this.surface = plot.inner;
		this.pressed = new Map(); // pointer → [left, top]
		this.stroke = null;
		const on = (name, listener, options) => this.surface.addEventListener(name, listener, options);
		on("pointerdown", (event) => this.down(event));
		on("pointermove", (event) => this.move(event));
		on("pointerup", (event) => this.up(event));
		on("pointercancel", (event) => this.up(event));
		on("pointerleave", () => app.hover(null));
		on("wheel", (event) => this.wheel(event), { passive: false });
		on("dblclick", () => app.tool.name === "pan" && app.change({ bounds: null }, { record: false }));
	}

	at(event) {
		const box = this.surface.getBoundingClientRect();
		return [event.clientX - box.left, event.clientY - box.top];
	}

	down(event) {
		const { app } = this;
		if (event.button !== 0 || !app.data || !this.plot.plane) return;
		this.surface.focus({ preventScroll: true });
		this.surface.setPointerCapture(event.pointerId);
		const place = this.at(event);
		this.pressed.set(event.pointerId, place);
		app.hover(null);
		if (this.pressed.size === 2) {
			this.finish();
			this.stroke = new Pinch(this);
			return;
		}
		if (this.pressed.size > 2) return;
		const Stroke = { select: Select, paint: Paint, erase: Erase, pan: Pan }[app.tool.name];
		this.stroke = new Stroke(this, place, event);
	}

	move(event) {
		const { app } = this;
		const place = this.at(event);
		if (!this.pressed.has(event.pointerId)) {
			const free = !event.buttons && event.pointerType !== "touch";
			if (free && app.data && this.plot.plane) this.hover(place);
			return;
		}
		this.pressed.set(event.pointerId, place);
		app.pointer = event.timeStamp;
		this.stroke?.move(place);
	}

	hover(place) {
		const { app, plot } = this;
		this.surface.classList.toggle("near", app.tool.name === "select" && this.nearest(place, "mouse") !== null);
		app.hovering = place;
		app.hover(plot.view.rounded(plot.view.toPlace(...place)));
	}

	nearest([left, top], kind) {
		if (this.app.data.n > 20000) return null;
		return this.plot.points.nearest(this.plot.view, left, top, REACH[kind] ?? REACH.mouse);
	}

	up(event) {
		if (!this.pressed.delete(event.pointerId)) return;
		this.finish();
	}

	finish() {
		const { stroke } = this;
		this.stroke = null;
		this.app.pointer = null;
		stroke?.end();
	}

	wheel(event) {
		const { app, plot } = this;
		if (!app.data || !plot.plane) return;
		event.preventDefault();
		const { view } = plot;
		const factor = Math.exp(Math.max(-120, Math.min(120, event.deltaY)) * 0.0016);
		app.change({ bounds: view.zoomed(factor, view.toPlace(...this.at(event))) }, { dragging: true });
		clearTimeout(this.rest);
		this.rest = setTimeout(() => app.change({}, { record: false }), REST);
	}
}

class Select {
	constructor(pointer, place, event) {
		Object.assign(this, { pointer, start: place, moved: false });
		this.row = pointer.nearest(place, event.pointerType);
		if (this.row === null) this.look(place);
	}

	move(place) {
		const { pointer } = this;
		const { app, plot } = pointer;
		this.moved ||= Math.hypot(place[0] - this.start[0], place[1] - this.start[1]) > STILL;
		if (!this.moved) return;
		if (this.row === null) {
			this.look(place);
			return;
		}
		if (this.list === undefined) {
			this.list = pointList(app);
			if (this.list) this.row = this.list.rowOf(this.row);
		}
		if (this.list) put(app, movedTo(this.list, this.row, plot.view.rounded(plot.view.toPlace(...place))), true);
	}

	look(place) {
		const { app, plot } = this.pointer;
		app.change({ at: plot.view.rounded(plot.view.toPlace(...place)) }, { dragging: true });
	}

	end() {
		const { app, plot } = this.pointer;
		const chosen = this.row !== null && !this.moved;
		const patch = chosen
			? { at: plot.view.rounded(plot.points.place(this.row)), categories: plot.points.categories(this.row) }
			: {};
		app.change(patch, { record: Boolean(this.list) });
	}
}

class Paint {
	constructor(pointer, place) {
		this.pointer = pointer;
		this.list = pointList(pointer.app);
		this.add(place);
	}

	move(place) {
		if (Math.hypot(place[0] - this.last[0], place[1] - this.last[1]) >= APART) this.add(place);
	}

	add(place) {
		const { app, plot } = this.pointer;
		this.last = place;
		if (!this.list) return;
		this.list = added(this.list, plot.view.rounded(plot.view.toPlace(...place)), app.tool.class);
		put(app, this.list, true);
	}

	end() {
		this.pointer.app.change({});
	}
}

class Erase {
	constructor(pointer, place) {
		this.pointer = pointer;
		this.list = pointList(pointer.app);
		this.move(place);
	}

	move([left, top]) {
		const { app, plot } = this.pointer;
		if (!this.list) return;
		const gone = [];
		this.list.points.forEach(([x, y], row) => {
			const [a, b] = plot.view.toPixel(x, y);
			if (Math.hypot(a - left, b - top) <= RUBBER) gone.push(row);
		});
		if (!gone.length) return;
		if (gone.length === this.list.points.length) {
			app.say("The last points stay: a model needs some.");
			return;
		}
		this.list = without(this.list, gone);
		put(app, this.list, true);
	}

	end() {
		this.pointer.app.change({});
	}
}

class Pan {
	constructor(pointer, place) {
		Object.assign(this, { pointer, start: place, view: pointer.plot.view });
	}

	move([left, top]) {
		const bounds = this.view.moved(left - this.start[0], top - this.start[1]);
		this.pointer.app.change({ bounds }, { dragging: true });
	}

	end() {
		this.pointer.app.change({}, { record: false });
	}
}

/** Two fingers: the places under them stay under them. */
class Pinch {
	constructor(pointer) {
		this.pointer = pointer;
		this.view = pointer.plot.view;
		this.start = this.measure();
	}

	measure() {
		const [a, b] = [...this.pointer.pressed.values()];
		const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
		return { middle, apart: Math.max(20, Math.hypot(a[0] - b[0], a[1] - b[1])) };
	}

	move() {
		if (this.pointer.pressed.size < 2) return;
		const { view, start } = this;
		const now = this.measure();
		const factor = start.apart / now.apart;
		const place = view.toPlace(...start.middle);
		const { x, y } = view.zoomed(factor, place);
		const across = ((now.middle[0] - start.middle[0]) / view.width) * (x[1] - x[0]);
		const along = ((now.middle[1] - start.middle[1]) / view.height) * (y[1] - y[0]);
		const bounds = { x: x.map((end) => end - across), y: y.map((end) => end + along) };
		this.pointer.app.change({ bounds }, { dragging: true });
	}

	end() {
		this.pointer.app.change({}, { record: false });
	}
}
