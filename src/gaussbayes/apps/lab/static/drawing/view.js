// The window onto the plane: which part of it is shown, and where a place of it lies in pixels.

import { round } from "../panels/formats.js";

const FARTHEST = 1000; // times the range of the data, or a thousandth of it
const CLOSEST = 1e-11; // of the numbers themselves
const MARGIN = 0.07; // of the range of the points, on each side
const ALIKE = 1.8; // scales less apart than this are made equal, so that circles look round

class View {
	constructor(x, y, width, height) {
		this.x = x;
		this.y = y;
		this.width = width;
		this.height = height;
	}

	toPixel(x, y) {
		return [this.pixelX(x), this.pixelY(y)];
	}

	pixelX(x) {
		return ((x - this.x[0]) / (this.x[1] - this.x[0])) * this.width;
	}

	pixelY(y) {
		return ((this.y[1] - y) / (this.y[1] - this.y[0])) * this.height;
	}

	toPlace(left, top) {
		return [this.x[0] + (left / this.width) * (this.x[1] - this.x[0]), this.y[1] - (top / this.height) * (this.y[1] - this.y[0])];
	}

	moved(left, top) {
		const x = (left / this.width) * (this.x[1] - this.x[0]);
		const y = (top / this.height) * (this.y[1] - this.y[0]);
		return { x: this.x.map((end) => end - x), y: this.y.map((end) => end + y) };
	}

	zoomed(factor, [x, y]) {
		return { x: this.x.map((end) => x + (end - x) * factor), y: this.y.map((end) => y + (end - y) * factor) };
	}

	get units() {
		return [(this.x[1] - this.x[0]) / this.width, (this.y[1] - this.y[0]) / this.height];
	}

	/** A place rounded to what can be told apart on the screen: short numbers in the address. */
	rounded(place) {
		return place.map((value, i) => round(value, this.units[i]));
	}
}

/**
 * Bounds that can be drawn: not much smaller or larger than those of the data, nor far from them.
 *
 * Closer than `CLOSEST` floats could not tell neighbouring pixels apart.
 */
export function clamped(bounds, data) {
	const one = ([low, high], [first, last]) => {
		const range = last - first;
		const most = FARTHEST * range;
		const middle = Math.min(Math.max(low / 2 + high / 2, first - most), last + most);
		const least = Math.max(range / FARTHEST, CLOSEST * Math.abs(middle));
		const half = Math.min(Math.max(high - low, least), Math.max(most, least)) / 2;
		return high - low === 2 * half && middle === low / 2 + high / 2 ? [low, high] : [middle - half, middle + half];
	};
	return { x: one(bounds.x, data.x), y: one(bounds.y, data.y) };
}

export function boundsOf(points, columns, [first, second]) {
	const range = (column) => {
		let low = Infinity;
		let high = -Infinity;
		for (let i = column; i < points.length; i += columns) {
			const value = points[i];
			if (value < low) low = value;
			if (value > high) high = value;
		}
		if (!(low <= high)) return [-1, 1];
		const margin = (high - low) * MARGIN || Math.abs(low) * 0.1 || 1;
		return [low - margin, high + margin];
	};
	return { x: range(first), y: range(second) };
}

/** The window for some bounds; nearly equal scales of the two axes are made equal. */
export function fit({ x, y }, width, height) {
	const perX = (x[1] - x[0]) / width;
	const perY = (y[1] - y[0]) / height;
	const ratio = perX / perY;
	if (ratio > ALIKE || ratio < 1 / ALIKE) return new View(x, y, width, height);
	const unit = Math.max(perX, perY);
	const widened = ([low, high], length) => {
		const extra = (unit * length - (high - low)) / 2;
		return extra > 1e-9 * (high - low) ? [low - extra, high + extra] : [low, high];
	};
	return new View(widened(x, width), widened(y, height), width, height);
}
