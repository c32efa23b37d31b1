// Handles: what can be moved, by pointer and by keyboard. A view lists them at each drawing; elements stay, so that focus stays.

import { classVariable } from "./colours.js";
import { putAttributes, svgEl, zoomOf } from "./elements.js";
import { markPath } from "./marks.js";

const FINER = 0.1; // of a step, with Shift
const STILL = 3; // pixels a press may tremble and still be a click
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const FAR = 1e5; // pixels
const HELP = "Arrow keys move it, with Shift in finer steps";

/** Pixels as an attribute can have them. */
const bounded = (value) => Math.max(-FAR, Math.min(FAR, value)).toFixed(1);

const reach = (r) => svgEl("circle", { class: "gb-reach", r });
const grip = (width, height) => svgEl("rect", { class: "gb-grip", x: -width / 2, y: -height / 2, width, height, rx: 4 });
const cross = (kind) => [
	svgEl("path", { class: `gb-cross ${kind}`, d: "M-13 0H-5M5 0H13M0 -13V-5M0 5V13" }),
	svgEl("circle", { class: `gb-ring ${kind}`, r: 6.5 }),
];
const disc = () => svgEl("circle", { class: "gb-disc", r: 9.5 });
const FORMS = {
	mean: (code) => [reach(15), disc(), svgEl("path", { class: "gb-own", d: markPath(code, 4.6) })],
	axis: () => [reach(13), grip(10, 10)],
	across: () => [reach(15), grip(8, 20)],
	up: () => [reach(15), grip(20, 8)],
	query: () => [reach(16), ...cross("gb-halo"), ...cross("")],
	point: () => [reach(9)],
};

/**
 * The layer of handles of a view.
 *
 * A handle is {id, kind (of FORMS), code, at: [left, top], arm: [left, top] where a line begins, label, value, text, grab, step,
 * key}.
 * `grab()` starts a drag and returns a function of the pixels moved [right, up] that returns a patch of the state;
 * `step([right, up])` returns the patch of an arrow key; `key(event)` may handle other keys.
 */
export class HandleLayer {
	constructor(figure, root) {
		Object.assign(this, { figure, root, shown: new Map() });
	}

	/** Show these handles, and no others. */
	show(handles) {
		for (const [id, { group }] of this.shown) {
			if (handles.some((handle) => handle.id === id)) continue;
			group.remove();
			this.shown.delete(id);
		}
		for (const handle of handles) this.place(handle);
	}

	place(handle) {
		const entry = this.shown.get(handle.id) ?? this.make(handle);
		const [[left, top], arm] = [handle.at.map(bounded), handle.arm?.map(bounded)];
		entry.handle = handle;
		const { label, value, text } = handle;
		const spoken = { "aria-label": label, "aria-valuenow": value, "aria-valuetext": text };
		putAttributes(entry.element, { transform: `translate(${left} ${top})`, ...spoken });
		if (arm) putAttributes(entry.arm, { x1: arm[0], y1: arm[1], x2: left, y2: top });
	}

	make({ id, kind, code }) {
		const arm = svgEl("line", { class: "gb-arm" });
		const what = { class: `gb-handle gb-${kind}`, tabindex: 0, role: "slider", "aria-description": HELP, "data-handle": id };
		const element = svgEl("g", what, FORMS[kind](code));
		const entry = { element, arm, group: svgEl("g", { own: { "--own": classVariable(code) } }, arm, element) };
		element.addEventListener("pointerdown", (event) => this.grab(event, entry));
		element.addEventListener("keydown", (event) => this.key(event, entry));
		for (const end of ["keyup", "blur"]) element.addEventListener(end, () => this.figure.settle());
		this.shown.set(id, entry);
		this.root.append(entry.group);
		return entry;
	}

	grab(event, { element, handle }) {
		if (event.button !== 0 || !handle.grab) return;
		event.preventDefault();
		event.stopPropagation();
		element.focus({ preventScroll: true });
		element.classList.add("gb-held");
		let drag = null;
		const move = (by) => {
			if (!drag && Math.hypot(...by) < STILL) return;
			drag ??= handle.grab();
			this.figure.move(drag(by));
		};
		followPointer(element, event, move, () => {
			element.classList.remove("gb-held");
			this.figure.settle();
		});
	}

	key(event, { handle }) {
		const direction = KEYS[event.key];
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		if (direction && handle.step) {
			event.preventDefault();
			event.stopPropagation();
			this.figure.move(handle.step(direction.map((part) => part * (event.shiftKey ? FINER : 1))));
		} else handle.key?.(event);
	}
}

/** Follow a pressed pointer: `move([right, up])` in pixels from the start, then `end()`, also if the element goes away. */
export function followPointer(element, event, move, end) {
	element.setPointerCapture(event.pointerId);
	const isSame = ({ pointerId }) => pointerId === event.pointerId;
	const zoom = zoomOf(element);
	const moved = (next) => isSame(next) && move([(next.clientX - event.clientX) / zoom, (event.clientY - next.clientY) / zoom]);
	const ended = (last) => {
		if (!isSame(last)) return;
		document.removeEventListener("lostpointercapture", ended);
		element.removeEventListener("pointermove", moved);
		end();
	};
	element.addEventListener("pointermove", moved);
	document.addEventListener("lostpointercapture", ended); // it arrives there even if the element is gone
}
