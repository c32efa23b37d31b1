// The plane: regions, points, ellipses and boundary of two features, and whatever of them can be moved.

import { covarianceOf, ellipseAxes } from "../density.js";
import { boxOutline, xAxis, yAxis } from "./axes.js";
import { drawBoundary, drawEllipses, drawEvidence, drawJoint, drawTruth } from "./curves.js";
import { addedPoint, movedPoint, withoutPoints } from "./dataset.js";
import { el, svgEl } from "./elements.js";
import { followPointer, HandleLayer } from "./handles.js";
import { countText, exactNumber, shortNumber } from "./numbers.js";
import { areMarked, markErrors, nearestPoint, PointLayer } from "./points.js";
import { RegionImage, regionGrid } from "./regions.js";
import { predictedCodes, truthOf } from "./scene.js";
import { clampedWindow, frameOf } from "./window.js";

const STEP = 0.02; // of the window, for an arrow key
const FACTOR = 1.06; // longer or shorter by an arrow key
const TURN = Math.PI / 60;
const THINNEST = 1e-3; // the shorter half axis, as a proportion of the longer one
const HANDLED = 12; // classes that have handles
const REACH_OF = { mouse: 9, pen: 12, touch: 18 }; // pixels about a point
const APART = 13; // pixels between points that are painted in a stroke
const RUBBER = 14;

/** Margins of the plot in a stage of some width. */
export const marginsOf = (width) => ({ left: width < 420 ? 44 : 56, right: 12, top: 8, bottom: 46 });

export class PlaneView {
	constructor(figure, stage) {
		Object.assign(this, { figure, stage, axes: [], drawnKey: "", selected: 0, moving: -1 });
		this.canvas = el("canvas");
		this.ground = svgEl("svg", { class: "gb-axes", "aria-hidden": "true" });
		this.overlay = svgEl("svg", { class: "gb-overlay" });
		this.line = svgEl("line", { class: "gb-known", visibility: "hidden" });
		this.overlay.append(this.line);
		this.inner = el("div", { class: "gb-inner" }, this.canvas, this.overlay);
		this.handles = new HandleLayer(figure, this.overlay);
		this.image = new RegionImage();
		this.points = new PointLayer();
		stage.append(this.ground, this.inner);
		this.inner.addEventListener("pointerdown", (event) => this.press(event));
		this.inner.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		this.inner.addEventListener("dblclick", () => figure.state.zoom && figure.set({ window: null }));
	}

	/** Draw a picture: {scene, model, window, query, x, y, colours, coarse, width, height}. */
	draw(picture) {
		const { scene, colours, width, height } = picture;
		const margin = marginsOf(width);
		const box = { left: margin.left, top: margin.top, width: Math.max(40, width - margin.left - margin.right), height: Math.max(40, height - margin.top - margin.bottom) };
		this.frame = frameOf(picture.window, box.width, box.height);
		this.picture = picture;
		this.drawAxes(scene, box, width, height);
		const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
		const size = { width: Math.round(box.width * ratio), height: Math.round(box.height * ratio) };
		if (this.canvas.width !== size.width || this.canvas.height !== size.height) Object.assign(this.canvas, size);
		const context = this.canvas.getContext("2d");
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.fillStyle = colours.paper;
		context.fillRect(0, 0, box.width, box.height);
		this.paint(context, picture, ratio);
		this.showHandles(picture);
	}

	drawAxes(scene, box, width, height) {
		const key = JSON.stringify([this.frame.x, this.frame.y, width, height, scene.names]);
		if (key === this.drawnKey) return;
		this.drawnKey = key;
		this.ground.replaceChildren(boxOutline(box), ...xAxis(box, this.frame.x, scene.names[0]), ...yAxis(box, this.frame.y, scene.names[1]));
		for (const side of ["left", "top", "width", "height"]) this.inner.style[side] = `${box[side]}px`;
		this.inner.style.touchAction = scene.state.zoom ? "none" : "pan-y";
	}

	paint(context, { scene, model, x, y, colours, coarse }, ratio) {
		const { layers, hidden, held } = scene;
		const needed = layers.regions !== "none" || layers.boundary || layers.evidence;
		const grid = needed ? regionGrid(scene, model, this.frame, { coarse, out: this.grid }) : null;
		if (grid?.logRatio) this.grid = grid;
		if (grid && layers.regions !== "none") {
			this.image.put(grid, layers.regions, colours);
			this.image.draw(context, this.frame);
		}
		if (layers.evidence && grid) drawEvidence(context, grid, this.frame, colours);
		if (model?.factors && layers.density) drawJoint(context, model, this.frame, colours);
		if (model?.factors && layers.ellipses) drawEllipses(context, model, this.frame, colours, hidden.includes(true) || layers.neighbours ? 0.4 : 1);
		if (layers.boundary && grid && grid.k > 1) drawBoundary(context, grid, this.frame, colours);
		const points = { x, y, codes: scene.codes, held, moving: this.moving };
		if (layers.points) this.points.draw(context, points, this.frame, colours, ratio);
		if (layers.truth) drawTruth(context, truthOf(scene), this.frame, colours);
		const predicted = layers.points && layers.errors && scene.table.n ? predictedCodes(scene) : null;
		const wrong = predicted ? markErrors(context, points, predicted, this.frame, colours) : 0;
		this.figure.showCount(wrong > 0 && !areMarked(wrong) ? `${countText(wrong)} misclassified` : "");
	}

	showHandles({ scene, model, query }) {
		const { state, hidden } = scene;
		const moves = new Set(state.move ?? []);
		const handles = [];
		const isGiven = state.model?.parameters && model?.factors && state.model.parameters.means[0].length === 2;
		for (let c = 0; isGiven && c < Math.min(HANDLED, model.means.length); c++) {
			if (moves.has("covariances")) handles.push(...[0, 1].map((which) => this.axisHandle(scene, model, c, which)));
			if (moves.has("means")) handles.push(this.meanHandle(scene, model, c));
		}
		if (moves.has("points") && scene.table.n) handles.push(this.pointHandle(scene));
		const [left, top] = query ? [hidden[0] ? 0 : this.frame.left(query[0]), hidden[1] ? this.frame.height - 12 : this.frame.top(query[1])] : [0, 0];
		if (query && !(hidden[0] && hidden[1])) handles.push(this.queryHandle(scene, query, [hidden[0] ? 12 : left, top], moves.has("query")));
		this.handles.show(handles);
		this.showKnown(query, hidden, left, top);
	}

	/** Where one feature of the query is not measured, a line marks the known one. */
	showKnown(query, hidden, left, top) {
		const isLine = query && hidden[0] !== hidden[1];
		this.line.setAttribute("visibility", isLine ? "visible" : "hidden");
		if (!isLine) return;
		const ends = hidden[1] ? [left, left, 0, this.frame.height] : [0, this.frame.width, top, top];
		["x1", "x2", "y1", "y2"].forEach((name, i) => this.line.setAttribute(name, ends[i].toFixed(1)));
	}

	meanHandle({ classes, state }, model, c) {
		const { frame } = this;
		const mean = model.means[c];
		const patch = (place) => ({ [`model.parameters.means.${c}`]: place });
		return {
			id: `mean-${c}`, kind: "mean", code: c, at: [frame.left(mean[0]), frame.top(mean[1])], label: `mean of ${classes[c]}`,
			value: mean[0], text: mean.map((value, i) => exactNumber(value, frame.units[i])).join(", "),
			grab: () => ([right, up]) => patch(frame.place(frame.left(mean[0]) + right, frame.top(mean[1]) - up)),
			step: ([right, up]) => {
				const now = this.figure.state.model.parameters.means[c];
				return patch(frame.place(frame.left(now[0]) + right * STEP * frame.width, frame.top(now[1]) - up * STEP * frame.height));
			},
		};
	}

	/** The half axes of a class's ellipse in pixels [right, up]; kept through a drag, so that they do not change places. */
	pixelAxes(covariance, c) {
		const { units } = this.frame;
		const key = JSON.stringify([covariance, units]);
		if (this.axes[c]?.key !== key) {
			const ends = ellipseAxes(covariance, units).map(([x, y]) => [x / units[0], y / units[1]]);
			this.axes[c] = { key, ends };
		}
		return this.axes[c].ends;
	}

	axisHandle({ classes }, model, c, which) {
		const { frame } = this;
		const [left, top] = [frame.left(model.means[c][0]), frame.top(model.means[c][1])];
		const ends = this.pixelAxes(model.covariances[c], c);
		const [[a, b], [, d]] = model.covariances[c];
		const sds = [a, d].map((variance) => shortNumber(Math.sqrt(variance)));
		return {
			id: `axis-${c}-${which}`, kind: "axis", code: c, at: [left + ends[which][0], top - ends[which][1]], arm: [left, top],
			label: `${which ? "second" : "first"} axis of ${classes[c]}`, value: Math.round(Math.hypot(...ends[which])),
			text: `standard deviations ${sds.join(" and ")}, correlation ${shortNumber(b / Math.sqrt(a * d), 2)}`,
			grab: () => ([right, up]) => this.reshaped(c, ends, which, [ends[which][0] + right, ends[which][1] + up]),
			step: ([right, up]) => {
				const now = this.pixelAxes(this.figure.state.model.parameters.covariances[c], c);
				const [[x, y], factor, turn] = [now[which], FACTOR ** up, -TURN * right];
				const [cos, sin] = [factor * Math.cos(turn), factor * Math.sin(turn)];
				return this.reshaped(c, now, which, [x * cos - y * sin, x * sin + y * cos]);
			},
		};
	}

	/** One half axis ends elsewhere; the other one stays perpendicular on the screen and keeps its length. */
	reshaped(c, ends, which, [x, y]) {
		const other = Math.max(0.5, Math.hypot(...ends[1 - which]));
		const wanted = Math.hypot(x, y) || 1;
		const length = Math.min(Math.max(wanted, 1, THINNEST * other), other / THINNEST);
		const turned = which ? [y / wanted, -x / wanted] : [-y / wanted, x / wanted];
		const pixels = which ? [turned.map((part) => part * other), [(x / wanted) * length, (y / wanted) * length]]
			: [[(x / wanted) * length, (y / wanted) * length], turned.map((part) => part * other)];
		const { units } = this.frame;
		const covariance = covarianceOf(pixels.map(([right, up]) => [right * units[0], up * units[1]])).map((row) => row.map((value) => Number(value.toPrecision(6))));
		this.axes[c] = { key: JSON.stringify([covariance, units]), ends: pixels };
		return { [`model.parameters.covariances.${c}`]: covariance };
	}

	queryHandle({ names, hidden }, query, at, isMovable) {
		const { frame } = this;
		const patch = (place) => ({ query: place.map((value, i) => (hidden[i] ? query[i] : value)) });
		const text = names.map((name, i) => `${name} ${hidden[i] ? "not measured" : exactNumber(query[i], frame.units[i])}`).join(", ");
		const [left, top] = [frame.left(query[0]), frame.top(query[1])];
		const moves = {
			grab: () => ([right, up]) => patch(frame.place(left + right, top - up)),
			step: ([right, up]) => {
				const now = this.figure.state.query;
				return patch(frame.place(frame.left(now[0]) + right * STEP * frame.width, frame.top(now[1]) - up * STEP * frame.height));
			},
		};
		return { id: "query", kind: "query", code: -1, at, label: "query point", value: query[0], text, ...(isMovable ? moves : {}) };
	}

	/** One point at a time takes the focus; Page Up and Page Down choose another one. */
	pointHandle({ table, columns, classes, codes }) {
		const { frame } = this;
		const i = (this.selected = Math.min(this.selected, table.n - 1));
		const place = columns.map((column) => table.columns[column][i]);
		const label = codes[i] < 0 ? "without label" : `of ${classes[codes[i]]}`;
		return {
			id: "point", kind: "point", code: codes[i], at: [frame.left(place[0]) || 0, frame.top(place[1]) || 0],
			label: `point ${i + 1} of ${table.n}, ${label}; Page Up and Page Down choose another one`,
			value: place[0], text: place.map((value, j) => exactNumber(value, frame.units[j])).join(", "),
			step: ([right, up]) => this.movedTo(i, [frame.left(place[0]) + right * STEP * frame.width, frame.top(place[1]) - up * STEP * frame.height]),
			key: (event) => {
				const by = { PageDown: 1, PageUp: -1 }[event.key];
				if (!by) return;
				event.preventDefault();
				this.selected = (i + by + table.n) % table.n;
				this.figure.render();
			},
		};
	}

	movedTo(i, [left, top]) {
		const { table, columns, state } = this.picture.scene;
		const { width, height } = this.frame;
		const place = this.frame.place(Math.min(Math.max(left, 0), width), Math.min(Math.max(top, 0), height));
		return { data: movedPoint(state.data, table.kept?.[i] ?? i, columns, place) };
	}

	/** The pointer on the plane: shift the window, paint, erase, move a point, or ask about a place. */
	press(event) {
		if (event.button !== 0 || !this.frame) return;
		const { state } = this.figure;
		const box = this.inner.getBoundingClientRect();
		const start = [event.clientX - box.left, event.clientY - box.top];
		const at = ([right, up]) => [start[0] + right, start[1] - up];
		const stroke = state.zoom && event.shiftKey ? this.shifting() : state.tool ? this.painting(state.tool) : this.pointing(start, event.pointerType);
		if (!stroke) return;
		event.preventDefault();
		stroke.move(start, [0, 0]);
		followPointer(this.inner, event, { move: (by) => stroke.move(at(by), by), end: () => stroke.end() });
	}

	shifting() {
		const { frame } = this;
		const whole = this.figure.wholeWindow();
		return { move: (_, [right, up]) => this.figure.move({ window: clampedWindow(frame.shifted(right, -up), whole) }), end: () => this.figure.settle(false) };
	}

	painting(tool) {
		let last = null;
		return {
			move: (at) => {
				if (last && Math.hypot(at[0] - last[0], at[1] - last[1]) < APART && !tool.erase) return;
				last = at;
				const { scene, x, y } = this.picture;
				const { columns, table, classes } = scene;
				if (tool.erase) {
					const gone = Array.from(x.keys()).filter((i) => Math.hypot(this.frame.left(x[i]) - at[0], this.frame.top(y[i]) - at[1]) <= RUBBER);
					if (gone.length && gone.length < table.n) this.figure.move({ data: withoutPoints(this.figure.state.data, gone.map((i) => table.kept?.[i] ?? i)) });
				} else {
					const label = classes.find((name) => String(name) === String(tool.add)) ?? tool.add;
					this.figure.move({ data: addedPoint(this.figure.state.data ?? {}, columns, this.frame.place(...at), label) });
				}
			},
			end: () => this.figure.settle(),
		};
	}

	pointing(start, kind) {
		const { scene, x, y } = this.picture;
		const moves = new Set(scene.state.move ?? []);
		const reach = REACH_OF[kind] ?? REACH_OF.mouse;
		const row = scene.layers.points && scene.table.n ? nearestPoint({ x, y, codes: scene.codes }, this.frame, start, reach) : -1;
		if (row >= 0 && moves.has("points")) return this.draggingPoint(row, moves.has("query"));
		if (!moves.has("query")) return null;
		if (row >= 0) this.figure.tell("select", { row: scene.table.kept?.[row] ?? row });
		const { hidden } = scene;
		const ask = (at) => {
			const place = this.frame.place(...at);
			this.figure.move({ query: place.map((value, i) => (hidden[i] ? (this.figure.state.query?.[i] ?? value) : value)) });
		};
		return { move: ask, end: () => this.figure.settle() };
	}

	draggingPoint(row, alsoQuery) {
		let hasMoved = false;
		this.selected = row;
		return {
			move: (at, by) => {
				if (!hasMoved && Math.hypot(...by) < 3) return;
				hasMoved = true;
				this.moving = row;
				this.figure.move(this.movedTo(row, at));
			},
			end: () => {
				this.moving = -1;
				const { table, columns } = this.picture.scene;
				this.figure.tell("select", { row: table.kept?.[row] ?? row });
				if (!hasMoved && alsoQuery) this.figure.move({ query: columns.map((column) => table.columns[column][row]) });
				this.figure.settle();
			},
		};
	}

	wheel(event) {
		const { figure, frame } = this;
		if (!figure.state.zoom || !frame) return;
		event.preventDefault();
		const box = this.inner.getBoundingClientRect();
		const factor = Math.exp(Math.max(-120, Math.min(120, event.deltaY)) * 0.0016);
		const place = frame.place(event.clientX - box.left, event.clientY - box.top);
		figure.move({ window: clampedWindow(frame.zoomed(factor, place), figure.wholeWindow()) });
		clearTimeout(this.rest);
		this.rest = setTimeout(() => figure.settle(false), 160);
	}
}
