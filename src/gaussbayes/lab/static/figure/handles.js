// Handles: whatever can be moved, by pointer and by keyboard. A view lists them at each drawing; elements stay, so that focus stays.

import { classVariable } from "./colours.js";
import { putAttributes, svgEl } from "./elements.js";
import { markPath } from "./marks.js";

const FINER = 0.1; // of a step, with Shift
const STILL = 3; // pixels a press may tremble and still be a click
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const FAR = 1e5; // pixels
const HELP = "Arrow keys move it, with Shift in finer steps";

/** Pixels as an attribute can have them. */
const bounded = (value) => Math.max(-FAR, Math.min(FAR, value)).toFixed(1);

const SHAPES_OF = {
	mean: (code) => [
		svgEl("circle", { class: "gb-reach", r: 15 }),
		svgEl("circle", { class: "gb-disc", r: 9.5 }),
		svgEl("path", { class: "gb-grip gb-own", d: markPath(code, 4.6) }),
	],
	axis: () => [svgEl("circle", { class: "gb-reach", r: 13 }), svgEl("rect", { class: "gb-grip", x: -5, y: -5, width: 10, height: 10, rx: 3 })],
	across: () => [svgEl("circle", { class: "gb-reach", r: 15 }), svgEl("rect", { class: "gb-grip", x: -4, y: -10, width: 8, height: 20, rx: 4 })],
	up: () => [svgEl("circle", { class: "gb-reach", r: 15 }), svgEl("rect", { class: "gb-grip", x: -10, y: -4, width: 20, height: 8, rx: 4 })],
	query: () => [
		svgEl("circle", { class: "gb-reach", r: 16 }),
		svgEl("path", { class: "gb-cross gb-halo", d: "M-13 0H-5M5 0H13M0 -13V-5M0 5V13" }),
		svgEl("circle", { class: "gb-ring gb-halo", r: 6.5 }),
		svgEl("path", { class: "gb-cross", d: "M-13 0H-5M5 0H13M0 -13V-5M0 5V13" }),
		svgEl("circle", { class: "gb-ring", r: 6.5 }),
	],
	point: () => [svgEl("circle", { class: "gb-reach", r: 9 })],
};

/**
 * The layer of handles of a view.
 *
 * A handle is {id, kind (of SHAPES_OF), code, at: [left, top], arm: [left, top] where a line goes, label, value, text, grab, step, key}.
 * `grab()` starts a drag and returns a function of the pixels moved [right, up] that returns a patch of the state;
 * `step([right, up])` returns the patch of an arrow key; `key(event)` may handle other keys.
 */
export class HandleLayer {
	constructor(figure, root) {
		Object.assign(this, { figure, root, shown: new Map() });
	}

	/** Show these handles, and no others. */
	show(handles) {
		const ids = new Set(handles.map(({ id }) => id));
		for (const [id, { group }] of this.shown) {
			if (ids.has(id)) continue;
			group.remove();
			this.shown.delete(id);
		}
		for (const handle of handles) this.place(handle);
	}

	place(handle) {
		const entry = this.shown.get(handle.id) ?? this.make(handle);
		entry.handle = handle;
		const [left, top] = handle.at;
		putAttributes(entry.element, {
			transform: `translate(${bounded(left)} ${bounded(top)})`,
			"aria-label": handle.label, "aria-valuenow": handle.value, "aria-valuetext": handle.text,
		});
		if (handle.arm) putAttributes(entry.arm, { x1: bounded(handle.arm[0]), y1: bounded(handle.arm[1]), x2: bounded(left), y2: bounded(top) });
	}

	make({ id, kind, code }) {
		const arm = svgEl("line", { class: "gb-arm" });
		const what = { class: `gb-handle gb-${kind}`, tabindex: 0, role: "slider", "aria-description": HELP, "data-handle": id };
		const element = svgEl("g", what, SHAPES_OF[kind](code));
		const group = svgEl("g", { own: { "--own": classVariable(code) } }, arm, element);
		const entry = { group, element, arm };
		element.addEventListener("pointerdown", (event) => this.grab(event, entry));
		element.addEventListener("keydown", (event) => this.key(event, entry));
		element.addEventListener("keyup", (event) => event.key in KEYS && this.figure.settle());
		this.shown.set(id, entry);
		this.root.append(group);
		return entry;
	}

	grab(event, { element, handle }) {
		if (event.button !== 0 || !handle.grab) return;
		event.preventDefault();
		event.stopPropagation();
		element.focus({ preventScroll: true });
		element.classList.add("gb-held");
		let drag = null;
		followPointer(element, event, {
			move: (by) => {
				if (!drag && Math.hypot(...by) < STILL) return;
				drag ??= handle.grab();
				this.figure.move(drag(by));
			},
			end: () => {
				element.classList.remove("gb-held");
				if (drag) this.figure.settle();
			},
		});
	}

	key(event, { handle }) {
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		const direction = KEYS[event.key];
		if (!direction || !handle.step) return handle.key?.(event);
		event.preventDefault();
		event.stopPropagation();
		this.figure.move(handle.step(direction.map((part) => part * (event.shiftKey ? FINER : 1))));
	}
}

/** Follow a pressed pointer: `move([right, up])` in pixels from the start, then `end()`, also if the element goes away. */
export function followPointer(element, event, { move, end }) {
	element.setPointerCapture(event.pointerId);
	const moved = (next) => next.pointerId === event.pointerId && move([next.clientX - event.clientX, event.clientY - next.clientY], next);
	const ended = ({ pointerId }) => {
		if (pointerId !== event.pointerId) return;
		document.removeEventListener("lostpointercapture", ended);
		element.removeEventListener("pointermove", moved);
		end();
	};
	element.addEventListener("pointermove", moved);
	document.addEventListener("lostpointercapture", ended); // it arrives there even if the element is gone
}
