// The axes: round numbers along two sides, and the names of the features.

import { exact, superscript } from "../panels/formats.js";
import { svg } from "../panels/elements.js";

const LETTER = 7.5; // pixels
const MOST_LETTERS = 5; // of a tick: there is room for them
const MOST_TICKS = 40;

/**
 * About `count` round numbers within [low, high]: {marks: [{value, text}], note}.
 *
 * Numbers that would be long are written from a round one on, and in a power of ten: `note` says it
 * behind the name, as in "time − 1700000000" or "mass in 10⁻¹²".
 */
export function ticks([low, high], count) {
	const rough = (high - low) / Math.min(MOST_TICKS, Math.max(1, count));
	if (!(rough > 0 && rough < Infinity)) return { marks: [], note: "" };
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map((of) => of * power).find((of) => of >= rough * 0.99);
	const first = Math.ceil(low / step - 1e-9);
	const last = Math.min(Math.floor(high / step + 1e-9), first + MOST_TICKS);
	const numbers = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i); // of steps
	const plain = numbers.map((n) => written(n * step, step));
	if (plain.every((text) => text.length <= MOST_LETTERS)) return marked(numbers, step, plain, "");
	const wide = 10 ** Math.ceil(Math.log10((high - low) / step)); // steps
	const long = Math.max(Math.abs(first), Math.abs(last)) > 10 * wide;
	const from = long ? Math.floor(first / wide) * wide : 0;
	const largest = Math.max(...numbers.map((n) => Math.abs(n - from))) * step;
	const tens = largest >= 1e4 || step < 1e-2 ? 3 * Math.floor(Math.log10(largest) / 3) : 0;
	const texts = numbers.map((n) => written(((n - from) * step) / 10 ** tens, step / 10 ** tens));
	const start = from ? ` ${from < 0 ? "+" : "−"} ${exact(Math.abs(from) * step, step)}` : "";
	return marked(numbers, step, texts, start + (tens ? `${start && ","} in 10${superscript(tens)}` : ""));
}

const marked = (numbers, step, texts, note) => ({ marks: numbers.map((n, i) => ({ value: n * step, text: texts[i] })), note });

function written(value, step) {
	const digits = Math.min(20, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
	return value.toFixed(digits).replace("-", "−");
}

export function drawAxes(root, view, names, { left, top }) {
	const bottom = top + view.height;
	const lines = [];
	const xs = ticks(view.x, view.width / 90);
	const ys = ticks(view.y, view.height / 70);
	for (const { value, text } of xs.marks) {
		const x = left + view.pixelX(value);
		lines.push(svg("line", { class: "tick", x1: x, x2: x, y1: bottom, y2: bottom + 5 }));
		lines.push(svg("text", { class: "number", x, y: bottom + 18, "text-anchor": "middle" }, text));
	}
	for (const { value, text } of ys.marks) {
		const y = top + view.pixelY(value);
		lines.push(svg("line", { class: "tick", x1: left - 5, x2: left, y1: y, y2: y }));
		lines.push(svg("text", { class: "number", x: left - 9, y: y + 4, "text-anchor": "end" }, text));
	}
	const name = (where, text, note, room) =>
		svg("text", { class: "name", transform: where, "text-anchor": "middle" }, fitted(text, room, note));
	lines.push(name(`translate(${left + view.width / 2} ${bottom + 37})`, names[0], xs.note, view.width));
	lines.push(name(`translate(14 ${top + view.height / 2}) rotate(-90)`, names[1], ys.note, view.height));
	const frame = { class: "frame", x: left, y: top, width: view.width, height: view.height };
	root.replaceChildren(svg("rect", frame), ...lines);
}

/** A name that is no longer than so many pixels, about, and a note that is not cut. */
export function fitted(name, width, note = "") {
	const most = Math.max(6, Math.floor(width / LETTER) - note.length);
	return (name.length > most ? `${name.slice(0, most - 1)}…` : name) + note;
}
