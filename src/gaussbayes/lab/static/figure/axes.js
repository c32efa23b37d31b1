// Axes and small shapes: round numbers along two sides, names of features, texts, lines, paths and dots of the stage.

import { classVariable } from "./colours.js";
import { svgEl } from "./elements.js";
import { exactNumber, superscript } from "./numbers.js";

const LETTER = 7.2; // pixels
const MOST_LETTERS = 5; // of a tick
const MOST_TICKS = 40;

/** Margins of the plot in its stage. */
export const MARGINS = { left: 58, right: 12, top: 8, bottom: 46 };

/**
 * About `count` round numbers within [low, high]: {marks: [{value, text}], note}. Long numbers are written as a difference from a
 * round one and in a power of ten; `note` states it behind the name, as in "time − 1700000000" or "mass in 10⁻¹²".
 */
export function ticksOf([low, high], count) {
	const rough = (high - low) / Math.min(MOST_TICKS, Math.max(1, count));
	if (!(rough > 0 && rough < Infinity)) return { marks: [], note: "" };
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = power * ([1, 2, 5].find((factor) => factor * power >= rough * 0.99) ?? 10);
	const first = Math.ceil(low / step - 1e-9);
	const last = Math.min(Math.floor(high / step + 1e-9), first + MOST_TICKS);
	const steps = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
	const marks = (texts, note) => ({ marks: steps.map((n, i) => ({ value: n * step, text: texts[i] })), note });
	const plain = steps.map((n) => tickText(n * step, step));
	if (plain.every((text) => text.length <= MOST_LETTERS)) return marks(plain, "");
	const wide = 10 ** Math.ceil(Math.log10((high - low) / step)); // in steps
	const isFar = Math.max(Math.abs(first), Math.abs(last)) > 10 * wide;
	const origin = isFar ? Math.floor(first / wide) * wide : 0;
	const largest = Math.max(...steps.map((n) => Math.abs(n - origin))) * step;
	const tens = largest >= 1e4 || step < 1e-2 ? 3 * Math.floor(Math.log10(largest) / 3) : 0;
	const texts = steps.map((n) => tickText(((n - origin) * step) / 10 ** tens, step / 10 ** tens));
	const start = origin ? ` ${origin < 0 ? "+" : "−"} ${exactNumber(Math.abs(origin) * step, step)}` : "";
	return marks(texts, start + (tens ? `${start && ","} in 10${superscript(tens)}` : ""));
}

function tickText(value, step) {
	return value.toFixed(Math.min(20, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))).replace("-", "−");
}

/** Ticks at some values, with their text or that of a function. */
export const ticksAt = (values, write = String) => ({ marks: values.map((value) => ({ value, text: write(value) })), note: "" });

/** A name shortened to about this number of pixels, with the whole note. */
export function fittedName(name, width, note = "") {
	const most = Math.max(6, Math.floor(width / LETTER) - note.length);
	return (name.length > most ? `${name.slice(0, most - 1)}…` : name) + note;
}

const pixel = (value) => value.toFixed(1);
const own = (code) => ({ "--own": classVariable(code) });

/** A text at a place of the stage; anchor: start, middle or end. */
export function textAt(kind, x, y, anchor, text) {
	return svgEl("text", { class: `gb-${kind}`, x: pixel(x), y: pixel(y), "text-anchor": anchor }, text);
}

/** A line between two places of the stage. */
export function lineAt(kind, [x1, y1], [x2, y2]) {
	return svgEl("line", { class: `gb-${kind}`, x1: pixel(x1), y1: pixel(y1), x2: pixel(x2), y2: pixel(y2) });
}

/** A curve through places, in the colour of a class. */
export function curveAt(kind, places, code) {
	const d = places.map(([x, y], i) => `${i ? "L" : "M"}${pixel(x)} ${pixel(y)}`).join("");
	return svgEl("path", { class: `gb-${kind}`, d, own: own(code) });
}

/** A dot in the colour of a class. */
export const dotAt = ([x, y], r, code) => svgEl("circle", { class: "gb-spot", cx: pixel(x), cy: pixel(y), r, own: own(code) });

/** A rectangle in the colour of a class. */
export function boxAt(kind, [x, y], width, height, code) {
	const size = { x: pixel(x), y: pixel(y), width: pixel(Math.max(0, width)), height: pixel(Math.max(0, height)) };
	return svgEl("rect", { class: `gb-${kind}`, ...size, own: own(code) });
}

/** The outline of a box {left, top, width, height} of the stage. */
export const boxOutline = ({ left, top, width, height }) => svgEl("rect", { class: "gb-box", x: left, y: top, width, height });

/** Ticks, numbers and name below a box. */
export function xAxis({ left, top, width, height }, range, name, ticks = ticksOf(range, width / 80)) {
	const bottom = top + height;
	const parts = ticks.marks.flatMap(({ value, text }) => {
		const x = left + ((value - range[0]) / (range[1] - range[0])) * width;
		return [lineAt("tick", [x, bottom], [x, bottom + 5]), textAt("number", x, bottom + 18, "middle", text)];
	});
	return [...parts, textAt("name", left + width / 2, bottom + 37, "middle", fittedName(name, width, ticks.note))];
}

/** Numbers and name to the left of a box, with ticks or with faint lines across it. */
export function yAxis({ left, top, width, height }, range, name, ticks = ticksOf(range, height / 55), hasLines = false) {
	const parts = ticks.marks.flatMap(({ value, text }) => {
		const y = top + ((range[1] - value) / (range[1] - range[0])) * height;
		const line = hasLines ? lineAt("grid", [left, y], [left + width, y]) : lineAt("tick", [left - 5, y], [left, y]);
		return [line, textAt("number", left - 9, y + 4, "end", text)];
	});
	const turned = { class: "gb-name", transform: `translate(12 ${pixel(top + height / 2)}) rotate(-90)`, "text-anchor": "middle" };
	return [...parts, svgEl("text", turned, fittedName(name, height, ticks.note))];
}
