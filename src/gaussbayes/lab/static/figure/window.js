// The window onto the plane: which part of it is shown, and where a place of it lies in pixels.

import { roundTo } from "./numbers.js";

const MARGIN = 0.08; // of the range of the points, on each side
const ALIKE = 1.8; // scales less apart than this are made equal, so that circles look round
const FARTHEST = 1000; // times the range of the data, or a thousandth of it
const CLOSEST = 1e-11; // of the numbers themselves: floats cannot tell closer neighbours apart

/** A window {x: [a, b], y: [a, b]} drawn on width × height pixels. */
export class Frame {
	constructor(x, y, width, height) {
		Object.assign(this, { x, y, width, height });
	}

	left(x) {
		return ((x - this.x[0]) / (this.x[1] - this.x[0])) * this.width;
	}

	top(y) {
		return ((this.y[1] - y) / (this.y[1] - this.y[0])) * this.height;
	}

	/** The data's place of a pixel, rounded to what can be seen. */
	place(left, top) {
		const [across, up] = this.units;
		return [roundTo(this.x[0] + left * across, across), roundTo(this.y[1] - top * up, up)];
	}

	/** What a pixel is in the units of the two features. */
	get units() {
		return [(this.x[1] - this.x[0]) / this.width, (this.y[1] - this.y[0]) / this.height];
	}

	shifted(left, top) {
		const [across, up] = this.units;
		return { x: this.x.map((end) => end - left * across), y: this.y.map((end) => end + top * up) };
	}

	zoomed(factor, [x, y]) {
		return { x: this.x.map((end) => x + (end - x) * factor), y: this.y.map((end) => y + (end - y) * factor) };
	}
}

/** The range of some values, widened by a margin; [−1, 1] where there are none. */
export function rangeOf(lists, margin = MARGIN) {
	let low = Infinity;
	let high = -Infinity;
	for (const values of lists) {
		for (const value of values) {
			if (value < low) low = value;
			if (value > high) high = value;
		}
	}
	if (!(low <= high)) return [-1, 1];
	const extra = (high - low) * margin || Math.abs(low) * 0.1 || 1;
	return [low - extra, high + extra];
}

/** The frame of a window; nearly equal scales of the two axes are made equal. */
export function frameOf({ x, y }, width, height) {
	const ratio = (x[1] - x[0]) / width / ((y[1] - y[0]) / height);
	if (!(ratio < ALIKE && ratio > 1 / ALIKE)) return new Frame(x, y, width, height);
	const widened = ([low, high], factor) => {
		const extra = ((high - low) * (factor - 1)) / 2;
		return factor > 1 ? [low - extra, high + extra] : [low, high];
	};
	return new Frame(widened(x, 1 / ratio), widened(y, ratio), width, height);
}

/** A window that can be drawn: not much smaller or larger than the whole one, nor far from it. */
export function clampedWindow(shown, whole) {
	const clamp = ([low, high], [first, last]) => {
		const range = last - first;
		const middle = Math.min(Math.max(low / 2 + high / 2, first - FARTHEST * range), last + FARTHEST * range);
		const least = Math.max(range / FARTHEST, CLOSEST * Math.abs(middle));
		const half = Math.min(Math.max(high - low, least), Math.max(FARTHEST * range, least)) / 2;
		return high - low === 2 * half && middle === low / 2 + high / 2 ? [low, high] : [middle - half, middle + half];
	};
	return { x: clamp(shown.x, whole.x), y: clamp(shown.y, whole.y) };
}
