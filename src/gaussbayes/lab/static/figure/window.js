// The window onto the plane: the shown part, and the conversion to pixels.

import { roundTo } from "./numbers.js";

const MARGIN = 0.08; // of the range of the points, on each side
const ALIKE = 1.8; // scales less apart than this are made equal, so that circles look round
const FARTHEST = 1000; // times the range of the data, or a thousandth of it
const CLOSEST = 1e-11; // of the numbers themselves: floats cannot tell closer neighbours apart

/** A window {x: [a, b], y: [a, b]} drawn on width × height pixels. */
class Frame {
	constructor(x, y, width, height) {
		Object.assign(this, { x, y, width, height, units: [(x[1] - x[0]) / width, (y[1] - y[0]) / height] });
	}

	left(x) {
		return (x - this.x[0]) / this.units[0];
	}

	top(y) {
		return (this.y[1] - y) / this.units[1];
	}

	/** The data's place of a pixel, rounded to what can be seen. */
	place(left, top) {
		const [across, up] = this.units;
		return [roundTo(this.x[0] + left * across, across), roundTo(this.y[1] - top * up, up)];
	}

	/** The window moved by some pixels to the right and upwards. */
	shifted([right, up]) {
		return { x: this.x.map((end) => end - right * this.units[0]), y: this.y.map((end) => end - up * this.units[1]) };
	}

	zoomed(factor, [x, y]) {
		return { x: this.x.map((end) => x + (end - x) * factor), y: this.y.map((end) => y + (end - y) * factor) };
	}
}

/** The range of some values, widened by a margin; [−1, 1] where there are none. */
export function rangeOf(values, margin = MARGIN) {
	let [low, high] = [Infinity, -Infinity];
	for (const value of values) {
		if (value < low) low = value;
		if (value > high) high = value;
	}
	if (!(low <= high)) return [-1, 1];
	const extra = (high - low) * margin || Math.abs(low) * 0.1 || 1;
	return [low - extra, high + extra];
}

const widenedRange = ([low, high], factor) => (factor > 1 ? rangeOf([low, high], (factor - 1) / 2) : [low, high]);

/** The frame of a window; nearly equal scales of the two axes are made equal. */
export function frameOf({ x, y }, width, height) {
	const ratio = (x[1] - x[0]) / width / ((y[1] - y[0]) / height);
	const isAlike = ratio < ALIKE && ratio > 1 / ALIKE;
	return isAlike ? new Frame(widenedRange(x, 1 / ratio), widenedRange(y, ratio), width, height) : new Frame(x, y, width, height);
}

/** A window that can be drawn: not much smaller or larger than the whole one, nor far from it. */
export function clampedWindow(shown, whole) {
	const clamp = ([low, high], [first, last]) => {
		const far = FARTHEST * (last - first);
		const middle = Math.min(Math.max(low / 2 + high / 2, first - far), last + far);
		const least = Math.max((last - first) / FARTHEST, CLOSEST * Math.abs(middle));
		const half = Math.min(Math.max(high - low, least), Math.max(far, least)) / 2;
		return [middle - half, middle + half];
	};
	return { x: clamp(shown.x, whole.x), y: clamp(shown.y, whole.y) };
}
