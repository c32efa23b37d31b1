// Axes: round numbers along two sides, and the names of the features.

import { svgEl } from "./elements.js";
import { exactNumber, superscript } from "./numbers.js";

const LETTER = 7.2; // pixels
const MOST_LETTERS = 5; // of a tick
const MOST_TICKS = 40;

/**
 * About `count` round numbers within [low, high]: {marks: [{value, text}], note}.
 *
 * Long numbers are written as a difference from a round one and in a power of ten; `note` states it behind the name, as in
 * "time − 1700000000" or "mass in 10⁻¹²".
 */
export function ticksOf([low, high], count) {
	const rough = (high - low) / Math.min(MOST_TICKS, Math.max(1, count));
	if (!(rough > 0 && rough < Infinity)) return { marks: [], note: "" };
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.99) ?? 10 * power;
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
	const digits = Math.min(20, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
	return value.toFixed(digits).replace("-", "−");
}

/** A name cut to about so many pixels, and a note that is not cut. */
export function fittedName(name, width, note = "") {
	const most = Math.max(6, Math.floor(width / LETTER) - note.length);
	return (name.length > most ? `${name.slice(0, most - 1)}…` : name) + note;
}

const pixel = (value) => value.toFixed(1);

/** Ticks, numbers and name below a box {left, top, width, height} of the stage. */
export function xAxis({ left, top, width, height }, range, name, { ticks = ticksOf(range, width / 80) } = {}) {
	const bottom = top + height;
	const parts = ticks.marks.map(({ value, text }) => {
		const x = left + ((value - range[0]) / (range[1] - range[0])) * width;
		const line = svgEl("line", { class: "gb-tick", x1: pixel(x), x2: pixel(x), y1: bottom, y2: bottom + 5 });
		return [line, svgEl("text", { class: "gb-number", x: pixel(x), y: bottom + 18, "text-anchor": "middle" }, text)];
	});
	const title = { class: "gb-name", x: pixel(left + width / 2), y: bottom + 37, "text-anchor": "middle" };
	return [...parts.flat(), svgEl("text", title, fittedName(name, width, ticks.note))];
}

/** Numbers and name to the left of a box; faint lines across it where `lines`. */
export function yAxis({ left, top, width, height }, range, name, { ticks = ticksOf(range, height / 55), lines = false } = {}) {
	const parts = ticks.marks.map(({ value, text }) => {
		const y = top + ((range[1] - value) / (range[1] - range[0])) * height;
		const from = { y1: pixel(y), y2: pixel(y) };
		const line = lines
			? svgEl("line", { class: "gb-grid", x1: left, x2: left + width, ...from })
			: svgEl("line", { class: "gb-tick", x1: left - 5, x2: left, ...from });
		return [line, svgEl("text", { class: "gb-number", x: left - 9, y: pixel(y + 4), "text-anchor": "end" }, text)];
	});
	const turned = `translate(13 ${pixel(top + height / 2)}) rotate(-90)`;
	return [...parts.flat(), svgEl("text", { class: "gb-name", transform: turned, "text-anchor": "middle" }, fittedName(name, height, ticks.note))];
}

/** The outline of a box of the stage. */
export const boxOutline = ({ left, top, width, height }) => svgEl("rect", { class: "gb-box", x: left, y: top, width, height });
