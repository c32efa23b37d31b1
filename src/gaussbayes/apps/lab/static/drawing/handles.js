// Handles of the Gaussians, by pointer or keyboard: the first drag of a fitted model makes it one by hand.

import { svg } from "../panels/elements.js";
import { exact, round } from "../panels/formats.js";
import { markPath } from "../panels/marks.js";
import { endOf, fromCovariance, pulled, stretched, toCovariance } from "./ellipse.js";

const STEP = 0.02; // of the view, for an arrow key
const FACTOR = 1.06; // longer or shorter by an arrow key
const TURN = Math.PI / 60;
const FINER = 0.1; // what Shift makes of a step
const POINT = 5; // pixels from a point at which it may be meant
const MOST_POINTS = 3000; // more cannot be moved
const FAR = 1e6; // pixels
const STILL = 3; // pixels a press may tremble and still be a click
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Pixels as an attribute may have them: what is far outside the plot is put less far. */
export const pixels = (value) => Math.max(-FAR, Math.min(FAR, value)).toFixed(2);

export class Handles {
	constructor(app, root, frame) {
		Object.assign(this, { app, root, frame, groups: [] });
		app.on("fitted", () => this.update());
	}

	/** Draw the handles anew where the model has changed; elements stay, so that focus stays. */
	update() {
		const { gaussians, data } = this.app;
		const count = (gaussians && this.frame() && gaussians.means.length) || 0;
		if (this.groups.length !== count || this.named !== data?.classes) {
			this.groups = Array.from({ length: count }, (_, c) => this.group(c));
			this.root.replaceChildren(...this.groups.map(({ element }) => element));
		}
		this.named = data?.classes;
		for (let c = 0; c < count; c++) this.place(c, gaussians);
	}

	group(c) {
		const { app } = this;
		const arms = this.ends.map(() => svg("line", { class: "arm" }));
		const ends = this.ends.map(([id, name], which) =>
			this.handle(c, which, `${id(c)}`, `${name} of ${app.data.classes[c]}`, [
				svg("circle", { class: "reach", r: 12 }),
				svg("rect", { class: "grip", x: -5, y: -5, width: 10, height: 10, rx: 3 }),
			])
		);
		const shape = app.about.shapes[c % app.about.shapes.length];
		const mean = this.handle(c, null, `${this.meanId}-${c}`, `mean of ${app.data.classes[c]}`, [
			svg("circle", { class: "reach", r: 14 }),
			svg("circle", { class: "disc", r: 10 }),
			svg("path", { class: "grip", d: markPath(shape, 5) }),
		]);
		const own = { "--own": `var(--class-${c % 12})` };
		return { element: svg("g", { class: "handles", own }, ...arms, ...ends, mean), mean, ends, arms };
	}

	handle(c, which, id, label, parts) {
		const kind = which === null ? "handle mean" : "handle axis";
		const what = { class: kind, id, tabindex: 0, role: "slider", "aria-label": label };
		const element = svg("g", { ...what, "aria-description": "Arrow keys move it, with Shift in finer steps" }, ...parts);
		element.addEventListener("pointerdown", (event) => this.grab(event, element, c, which));
		element.addEventListener("keydown", (event) => this.key(event, c, which));
		element.addEventListener("keyup", (event) => event.key in KEYS && this.release());
		return element;
	}

	grab(event, element, c, which) {
		if (event.button !== 0 || !this.isShown(c) || this.isCloser(event, c, which)) return;
		event.preventDefault();
		event.stopPropagation();
		element.focus({ preventScroll: true });
		element.setPointerCapture(event.pointerId);
		element.classList.add("held");
		this.app.hover(null);
		let drag = null;
		const move = (moved) => {
			const by = [moved.clientX - event.clientX, event.clientY - moved.clientY];
			if (!this.isShown(c) || (!drag && Math.hypot(...by) < STILL)) return;
			drag ??= this.dragged(c, which);
			this.app.pointer = moved.timeStamp;
			this.change(drag(by));
		};
		element.addEventListener("pointermove", move);
		const end = ({ pointerId }) => {
			if (pointerId !== event.pointerId) return;
			document.removeEventListener("lostpointercapture", end);
			element.classList.remove("held");
			element.removeEventListener("pointermove", move);
			if (drag) this.release();
			else if (this.isShown(c)) this.clicked(c);
		};
		document.addEventListener("lostpointercapture", end); // it comes there also if the element is gone
	}

	/** Whether the class has a Gaussian still: a table that comes meanwhile may have none. */
	isShown(c) {
		return this.frame() && c < (this.app.gaussians?.means.length ?? 0);
	}

	isCloser() {
		return false;
	}

	key(event, c, which) {
		const direction = KEYS[event.key];
		if (!direction || !this.isShown(c) || event.ctrlKey || event.metaKey || event.altKey) return;
		event.preventDefault();
		event.stopPropagation();
		const proportion = event.shiftKey ? FINER : 1;
		this.change(this.stepped(c, which, direction.map((part) => part * proportion)));
	}

	/** Lay changed means or covariances over the Gaussians that are shown: a model by hand. */
	change(patch) {
		const { priors, means, covariances } = this.app.gaussians;
		const model = { from: "hand", priors, means, covariances, ...patch };
		this.app.change({ model }, { dragging: true });
	}

	put(name, c, value) {
		return { [name]: this.app.gaussians[name].map((old, i) => (i === c ? value : old)) };
	}

	release() {
		this.app.pointer = null;
		this.app.change({});
	}

	/** Say where a handle is; an attribute that is set anew is painted anew. */
	show(element, left, top, value, text) {
		const where = `translate(${pixels(left)} ${pixels(top)})`;
		const said = { transform: where, "aria-valuenow": value, "aria-valuetext": text };
		for (const [name, now] of Object.entries(said)) {
			if (element.getAttribute(name) !== String(now)) element.setAttribute(name, now);
		}
	}
}

export class PlaneHandles extends Handles {
	ellipses = []; // kept through a drag, so that the axes do not change places
	meanId = "handle-mean";
	ends = ["first", "second"].map((name, which) => [(c) => `handle-axis-${c}-${which}`, `${name} axis`]);

	/** The ellipse of a class in pixels; the one being dragged is remembered as long as it fits. */
	ellipse(c) {
		const { units } = this.frame();
		const covariance = this.app.gaussians.covariances[c];
		const key = JSON.stringify([covariance, units]);
		if (this.ellipses[c]?.key !== key) this.ellipses[c] = { key, ellipse: fromCovariance(covariance, units) };
		return this.ellipses[c].ellipse;
	}

	place(c, { means, covariances }) {
		const view = this.frame();
		const { mean, ends, arms } = this.groups[c];
		const [left, top] = view.toPixel(...means[c]);
		const said = means[c].map((value, i) => exact(value, view.units[i])).join(", ");
		this.show(mean, left, top, means[c][0], said);
		const [[a, b], [, d]] = covariances[c];
		const deviations = [a, d].map((value) => exact(Math.sqrt(value), Math.sqrt(value) / 100));
		const correlation = exact(b / Math.sqrt(a * d), 0.01);
		const ellipse = this.ellipse(c);
		ends.forEach((end, which) => {
			const [x, y] = endOf(ellipse, which);
			const text = `standard deviations ${deviations.join(" and ")}, correlation ${correlation}`;
			this.show(end, left + x, top - y, round(ellipse.axes[which], 1), text);
			const line = { x1: left, y1: top, x2: left + x, y2: top - y };
			for (const [name, value] of Object.entries(line)) arms[which].setAttribute(name, pixels(value));
		});
	}

	/** Whether a point of the table is closer to the pointer than the handle: it is taken then. */
	isCloser(event, c, which) {
		const { points, inner } = this.app.plot;
		const box = inner.getBoundingClientRect();
		const [left, top] = [event.clientX - box.left, event.clientY - box.top];
		const [x, y] = which === null ? [0, 0] : endOf(this.ellipse(c), which);
		const [across, down] = this.frame().toPixel(...this.app.gaussians.means[c]);
		const away = Math.hypot(across + x - left, down - y - top);
		return points.count <= MOST_POINTS && points.nearest(this.frame(), left, top, Math.min(away, POINT)) !== null;
	}

	dragged(c, which) {
		const view = this.frame();
		if (which === null) {
			const [left, top] = view.toPixel(...this.app.gaussians.means[c]);
			return ([x, y]) => this.put("means", c, view.rounded(view.toPlace(left + x, top - y)));
		}
		const start = endOf(this.ellipse(c), which);
		return (by) => this.reshaped(c, pulled(this.ellipse(c), which, start.map((end, i) => end + by[i])));
	}

	stepped(c, which, [across, up]) {
		const view = this.frame();
		if (which !== null) {
			return this.reshaped(c, stretched(this.ellipse(c), which, FACTOR ** up, -TURN * across));
		}
		const steps = [across * view.width * STEP, up * view.height * STEP];
		const mean = this.app.gaussians.means[c].map((value, i) => value + steps[i] * view.units[i]);
		return this.put("means", c, view.rounded(mean));
	}

	reshaped(c, ellipse) {
		const { units } = this.frame();
		const covariance = toCovariance(ellipse, units);
		this.ellipses[c] = { key: JSON.stringify([covariance, units]), ellipse };
		return this.put("covariances", c, covariance);
	}

	/** A click is none of the handle's business: it looks at the place, as elsewhere in the plane. */
	clicked(c) {
		this.app.change({ at: this.frame().rounded(this.app.gaussians.means[c]) }, { record: false });
	}
}
