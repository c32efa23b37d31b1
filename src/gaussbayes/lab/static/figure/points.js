// The points: each mark is drawn once and stamped; all of them are kept as a picture until they or the window change.

import { markPath } from "./marks.js";

const MOST_MARKS = 60; // misclassified points that are marked; more are counted
const MANY = 20000; // points from which stamps are copied pixel by pixel

/** The radius of a mark among n points. */
export const markRadius = (n, width) => (n <= 30 ? 6 : n <= 400 ? 4.4 : n <= 2000 ? 3.4 : n <= MANY ? 2.3 : 1.4) * (width < 420 ? 0.85 : 1);

/** A class's mark as a small image; points that are held out are hollow. */
function stampOf(colours, code, radius, hollow, ratio) {
	const side = Math.ceil(2 * (1.3 * radius + 2));
	const canvas = document.createElement("canvas");
	canvas.width = canvas.height = Math.round(side * ratio);
	const context = canvas.getContext("2d");
	context.scale(ratio, ratio);
	const path = new Path2D(markPath(code, hollow ? radius - 0.4 : radius, side / 2, side / 2));
	context.lineJoin = "round";
	context.fillStyle = hollow ? colours.paper : colours.classes(code);
	context.strokeStyle = hollow ? colours.lines(code) : colours.paper;
	context.lineWidth = hollow ? 1.7 : radius > 2 ? 1 : 0.3;
	context.fill(path);
	context.stroke(path);
	return { canvas, side };
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

/** Very many stamps are copied pixel by pixel, which is much quicker than drawing images. */
function stampPixels(context, places, stamp, ratio) {
	const { width, height } = context.canvas;
	const image = context.getImageData(0, 0, width, height);
	const words = new Uint32Array(image.data.buffer);
	for (const [left, top, code, held] of places()) {
		const mark = stamp(code, held);
		mark.dots ??= dotsOf(mark.canvas);
		const [first, start] = [Math.round(ratio * (left - mark.side / 2)), Math.round(ratio * (top - mark.side / 2))];
		for (const [x, y, word] of mark.dots) {
			const [column, row] = [first + x, start + y];
			if (column >= 0 && column < width && row >= 0 && row < height) words[row * width + column] = word;
		}
	}
	context.putImageData(image, 0, 0);
}

/** The picture of all points but one that is being moved. */
export class PointLayer {
	constructor() {
		this.canvas = document.createElement("canvas");
		this.inputs = [];
	}

	/** Draw {x, y, codes, held} into a context; the picture is drawn anew only if something has changed. */
	draw(context, points, frame, colours, ratio) {
		const { x, y, codes, held, moving = -1 } = points;
		const inputs = [x, y, codes, held, moving, frame.width, frame.height, ...frame.x, ...frame.y, colours.theme, colours.paper, ratio];
		// A moved point is drawn by itself: the columns change with it, the others' places do not.
		const isSame = inputs.every((input, i) => Object.is(input, this.inputs[i]) || (i < 2 && moving >= 0 && this.inputs[4] === moving));
		if (!isSame) this.paint(points, frame, colours, ratio);
		this.inputs = inputs;
		context.drawImage(this.canvas, 0, 0, frame.width, frame.height);
		if (moving >= 0) this.stampOne(context, points, moving, frame, colours, ratio);
	}

	paint({ x, y, codes, held, moving = -1 }, frame, colours, ratio) {
		Object.assign(this.canvas, { width: Math.round(frame.width * ratio), height: Math.round(frame.height * ratio) });
		const context = this.canvas.getContext("2d", { willReadFrequently: codes.length > MANY });
		const radius = markRadius(codes.length, frame.width);
		const stamps = new Map();
		const stamp = (code, hollow) => {
			const key = 2 * code + hollow;
			if (!stamps.has(key)) stamps.set(key, stampOf(colours, code, radius, hollow === 1, ratio));
			return stamps.get(key);
		};
		function* places() {
			for (const unlabelled of [true, false]) {
				for (let i = 0; i < codes.length; i++) {
					if ((codes[i] < 0) !== unlabelled || i === moving) continue;
					const [left, top] = [frame.left(x[i]), frame.top(y[i])];
					if (left > -9 && left < frame.width + 9 && top > -9 && top < frame.height + 9) yield [left, top, codes[i], held?.[i] ? 1 : 0];
				}
			}
		}
		if (codes.length > MANY) return stampPixels(context, places, stamp, ratio);
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		for (const [left, top, code, hollow] of places()) {
			const { canvas, side } = stamp(code, hollow);
			context.drawImage(canvas, left - side / 2, top - side / 2, side, side);
		}
	}

	stampOne(context, { x, y, codes, held }, i, frame, colours, ratio) {
		const { canvas, side } = stampOf(colours, codes[i], 1.25 * markRadius(codes.length, frame.width), Boolean(held?.[i]), ratio);
		context.drawImage(canvas, frame.left(x[i]) - side / 2, frame.top(y[i]) - side / 2, side, side);
	}
}

/** Mark misclassified points by small rings, unless there are many; returns how many there are. */
export function markErrors(context, { x, y, codes }, predicted, frame, colours) {
	const wrong = [];
	let count = 0;
	for (let i = 0; i < codes.length; i++) {
		if (codes[i] < 0 || predicted[i] < 0 || codes[i] === predicted[i]) continue;
		count += 1;
		if (count <= MOST_MARKS) wrong.push(i);
	}
	if (count > MOST_MARKS) return count;
	const radius = markRadius(codes.length, frame.width) + 2.6;
	const rings = new Path2D();
	for (const i of wrong) {
		const [left, top] = [frame.left(x[i]), frame.top(y[i])];
		if (!Number.isFinite(left + top)) continue;
		rings.moveTo(left + radius, top);
		rings.arc(left, top, radius, 0, 2 * Math.PI);
	}
	context.strokeStyle = colours.ink;
	context.lineWidth = 1.3;
	context.stroke(rings);
	return count;
}

/** Whether errors are marked one by one. */
export const areMarked = (count) => count > 0 && count <= MOST_MARKS;

/** The nearest point within `reach` pixels, or −1. */
export function nearestPoint({ x, y, codes }, frame, [left, top], reach) {
	let [best, found] = [reach * reach, -1];
	for (let i = 0; i < codes.length; i++) {
		const distance = (frame.left(x[i]) - left) ** 2 + (frame.top(y[i]) - top) ** 2;
		if (distance <= best) [best, found] = [distance, i];
	}
	return found;
}
