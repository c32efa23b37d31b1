// The points: a stamp for each class, drawn once into a canvas of their own; errors get a ring.

import { NO_CODE } from "../answer_reader.js";
import { classPath } from "../panels/marks.js";
import { filterOf } from "../requests.js";
import { colourOf } from "./colours.js";

const MOST_RINGS = 400; // more would cover the points
const MANY = 20000; // points

export const radiusOf = (n) => (n <= 400 ? 4.6 : n <= 2000 ? 3.6 : n <= 20000 ? 2.4 : 1.4);

/** A class's mark as a small image; points held back for the test are hollow. */
function stamp(app, code, radius, hollow, ratio) {
	const { lines, paper } = app.colours;
	const colour = colourOf(app.colours, code);
	const edge = code === NO_CODE ? paper : lines[code % lines.length];
	const side = Math.ceil(2 * (1.3 * radius + 2));
	const canvas = document.createElement("canvas");
	canvas.width = canvas.height = side * ratio;
	const context = canvas.getContext("2d");
	context.scale(ratio, ratio);
	const path = new Path2D(classPath(app, code, hollow ? radius - 0.4 : radius, side / 2, side / 2));
	context.lineJoin = "round";
	context.fillStyle = hollow ? paper : colour;
	context.strokeStyle = hollow ? colour : edge;
	context.lineWidth = hollow ? 1.8 : radius > 2 ? 1 : 0.4;
	context.fill(path);
	context.stroke(path);
	return { canvas, side };
}

/** Very many stamps are copied pixel by pixel, which is much quicker than to draw images. */
class Pixels {
	constructor(context) {
		this.context = context;
		const { width, height } = context.canvas;
		this.image = context.getImageData(0, 0, width, height);
		this.words = new Uint32Array(this.image.data.buffer);
	}

	put(mark, left, top) {
		const { width, height } = this.image;
		mark.dots ??= dotsOf(mark.canvas);
		const [first, start] = [Math.round(left), Math.round(top)];
		for (const [x, y, word] of mark.dots) {
			const [column, row] = [first + x, start + y];
			if (column >= 0 && column < width && row >= 0 && row < height) this.words[row * width + column] = word;
		}
	}

	show() {
		this.context.putImageData(this.image, 0, 0);
	}
}

/** The pixels of a stamp that are mostly covered. */
function dotsOf(canvas) {
	const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.width);
	const dots = [];
	new Uint32Array(data.buffer).forEach((word, i) => {
		if (data[4 * i + 3] > 127) dots.push([i % canvas.width, Math.floor(i / canvas.width), word | 0xff000000]);
	});
	return dots;
}

export class Points {
	constructor(app) {
		this.app = app;
	}

	get count() {
		const { stream } = this.app.state;
		const { n } = this.app.data;
		return stream === null ? n : Math.min(stream, n);
	}

	radius(view) {
		return radiusOf(this.app.data.n) * (view.width < 420 ? 0.8 : 1);
	}

	place(row) {
		const { points, columns, pair } = this.app.data;
		return [points[row * columns + pair[0]], points[row * columns + pair[1]]];
	}

	/** Whether a row has the categories that are shown: a function, or null where all have. */
	get agrees() {
		const { state, data } = this.app;
		const wanted = filterOf(state, data);
		const { categoryCodes, categories: { length } } = data;
		return wanted && ((row) => wanted.every((code, i) => code === null || categoryCodes[row * length + i] === code));
	}

	categories(row) {
		const { categoryCodes, categories: { length } } = this.app.data;
		const codes = [...categoryCodes.subarray(row * length, (row + 1) * length)];
		return codes.map((code) => (code === NO_CODE ? null : code));
	}

	/** How many rows lack one of the features that are drawn, and how many others are of other categories. */
	get undrawn() {
		const { drawn, state, data: { id, n, points, columns } } = this.app;
		const key = JSON.stringify([id, drawn, state.filter]);
		if (this.counted?.key === key) return this.counted;
		const { agrees } = this;
		const known = (row) => drawn.every((feature) => Number.isFinite(points[row * columns + feature]));
		this.counted = { key, lacking: 0, others: 0 };
		for (let row = 0; row < n; row++) {
			if (!known(row)) this.counted.lacking += 1;
			else if (agrees && !agrees(row)) this.counted.others += 1;
		}
		return this.counted;
	}

	draw(context, view, ratio) {
		const { codes, unlabelled } = this.app.data;
		const agrees = this.agrees ?? (() => true);
		if (unlabelled) this.drawSome(context, view, ratio, (row) => codes[row] === NO_CODE && agrees(row));
		this.drawSome(context, view, ratio, unlabelled ? (row) => codes[row] !== NO_CODE && agrees(row) : agrees);
	}

	drawSome(context, view, ratio, holds) {
		const { app } = this;
		const { codes, test, n } = app.data;
		const radius = this.radius(view);
		const stamps = new Map();
		const stampOf = (code, held) => {
			const key = 2 * code + held;
			if (!stamps.has(key)) stamps.set(key, stamp(app, code, radius, held === 1, ratio));
			return stamps.get(key);
		};
		const { width, height } = view;
		const pixels = n > MANY ? new Pixels(context) : null;
		for (let row = 0; row < this.count; row++) {
			if (!holds(row)) continue;
			const [x, y] = this.place(row);
			const left = view.pixelX(x);
			const top = view.pixelY(y);
			if (!(left > -9 && left < width + 9 && top > -9 && top < height + 9)) continue;
			const mark = stampOf(codes[row], test[row]);
			const { canvas, side } = mark;
			if (pixels) pixels.put(mark, ratio * (left - side / 2), ratio * (top - side / 2));
			else context.drawImage(canvas, left - side / 2, top - side / 2, side, side);
		}
		pixels?.show();
	}

	/** A ring about every point the model puts into a wrong class; of very many, about some. */
	ring(context, view, wrong) {
		const { app } = this;
		const count = Math.min(this.count, wrong.length);
		let total = 0;
		for (let row = 0; row < count; row++) total += wrong[row];
		const every = Math.ceil(total / MOST_RINGS);
		const many = app.data.n > 2000;
		const radius = this.radius(view) + (many ? 2.2 : 3.4);
		const rings = new Path2D();
		for (let row = 0, found = 0; row < count; row++) {
			if (!wrong[row] || found++ % every) continue;
			const [x, y] = this.place(row);
			const left = view.pixelX(x);
			const top = view.pixelY(y);
			if (!isFinite(left + top)) continue;
			rings.moveTo(left + radius, top);
			rings.arc(left, top, radius, 0, 2 * Math.PI);
		}
		context.lineWidth = many ? 2.4 : 3.4;
		context.strokeStyle = app.colours.paper;
		context.stroke(rings);
		context.lineWidth = many ? 1.1 : 1.6;
		context.strokeStyle = app.colours.ring;
		context.stroke(rings);
	}

	nearest(view, left, top, reach) {
		let best = reach * reach;
		let found = null;
		const { agrees } = this;
		for (let row = 0; row < this.count; row++) {
			if (agrees && !agrees(row)) continue;
			const [x, y] = this.place(row);
			const distance = (view.pixelX(x) - left) ** 2 + (view.pixelY(y) - top) ** 2;
			if (distance <= best) {
				best = distance;
				found = row;
			}
		}
		return found;
	}
}
