// The points: each mark is drawn once and stamped; all of them are kept as a drawing until they or the window change.

import { markPath } from "./marks.js";

const MOST_MARKS = 60; // misclassified points that are marked; more are counted
const VERY_MANY = 20000; // points from which marks are small squares

/** The radius of a mark among n points. */
export const markRadius = (n, width) => (n <= 30 ? 6 : n <= 400 ? 4.4 : n <= 2000 ? 3.4 : 2.3) * (width < 420 ? 0.85 : 1);

/** A class's mark as a small image; points that are held out are hollow. */
function stampOf(colours, code, radius, isHollow, ratio) {
	const side = Math.ceil(2 * (1.3 * radius + 2));
	const canvas = document.createElement("canvas");
	canvas.width = canvas.height = Math.round(side * ratio);
	const context = canvas.getContext("2d");
	context.scale(ratio, ratio);
	const path = new Path2D(markPath(code, isHollow ? radius - 0.4 : radius, side / 2, side / 2));
	context.lineJoin = "round";
	context.fillStyle = isHollow ? colours.paper : colours.classes(code);
	context.strokeStyle = isHollow ? colours.lines(code) : colours.paper;
	context.lineWidth = isHollow ? 1.7 : 1;
	context.fill(path);
	context.stroke(path);
	return (target, left, top) => target.drawImage(canvas, left - side / 2, top - side / 2, side, side);
}

/** The drawn position of a point: at the edge if one of its values is missing. */
function pointPlace({ x, y }, i, frame) {
	const [left, top] = [frame.left(x[i]), frame.top(y[i])];
	if (Number.isNaN(left) === Number.isNaN(top)) return [left, top];
	return Number.isNaN(left) ? [5, top] : [left, frame.height - 5];
}

/** The drawing of all points but one that is being moved. */
export class PointLayer {
	canvas = document.createElement("canvas");
	inputs = [];

	/** Draw {x, y, codes, held, moving} into a context; the drawing is drawn anew only if something has changed. */
	draw(context, points, frame, colours, ratio) {
		const { x, y, codes, held, moving } = points;
		const inputs = [x, y, moving, codes, held, frame.width, frame.height, ...frame.x, ...frame.y, colours.paper, ratio];
		// A moved point is drawn by itself: the columns change with it, the others' places do not.
		const isSame = (input, i) => Object.is(input, this.inputs[i]) || (i < 2 && moving >= 0 && this.inputs[2] === moving);
		if (!inputs.every(isSame)) this.paint(points, frame, colours, ratio);
		this.inputs = inputs;
		context.drawImage(this.canvas, 0, 0, frame.width, frame.height);
		if (moving < 0) return;
		const stamp = stampOf(colours, codes[moving], 1.25 * markRadius(codes.length, frame.width), held?.[moving], ratio);
		stamp(context, frame.left(x[moving]), frame.top(y[moving]));
	}

	paint(points, frame, colours, ratio) {
		const { codes, held, moving } = points;
		Object.assign(this.canvas, { width: Math.round(frame.width * ratio), height: Math.round(frame.height * ratio) });
		const context = this.canvas.getContext("2d");
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		const radius = markRadius(codes.length, frame.width);
		const stamps = new Map();
		const stamp = (code, isHollow) => {
			const key = `${code} ${isHollow}`;
			if (!stamps.has(key)) stamps.set(key, stampOf(colours, code, radius, isHollow, ratio));
			return stamps.get(key);
		};
		const put = (i, left, top) => {
			if (codes.length > VERY_MANY) {
				context.fillStyle = colours.classes(codes[i]);
				context.fillRect(left - 1, top - 1, 2, 2);
			} else stamp(codes[i], Boolean(held?.[i]))(context, left, top);
		};
		for (const isLabelled of [false, true]) {
			for (let i = 0; i < codes.length; i++) {
				const [left, top] = pointPlace(points, i, frame);
				const isInside = left > -9 && left < frame.width + 9 && top > -9 && top < frame.height + 9;
				if (isInside && codes[i] >= 0 === isLabelled && i !== moving) put(i, left, top);
			}
		}
	}
}

/** Mark misclassified points by small rings, unless there are many; returns how many are not marked. */
export function markErrors(context, points, predicted, frame, colours) {
	const { codes } = points;
	const wrong = [];
	for (let i = 0; i < codes.length; i++) if (codes[i] >= 0 && predicted[i] >= 0 && codes[i] !== predicted[i]) wrong.push(i);
	if (wrong.length > MOST_MARKS) return wrong.length;
	const radius = markRadius(codes.length, frame.width) + 1.8;
	context.beginPath();
	for (const i of wrong) {
		const [left, top] = pointPlace(points, i, frame);
		context.moveTo(left + radius, top);
		context.arc(left, top, radius, 0, 2 * Math.PI);
	}
	context.strokeStyle = colours.ink;
	context.lineWidth = 1.3;
	context.stroke();
	return 0;
}
