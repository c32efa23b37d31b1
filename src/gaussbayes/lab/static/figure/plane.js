// The plane: regions, points, ellipses and boundary of two features, with their movable parts.

import { covarianceOf, ellipseAxes } from "../density.js";
import { boxOutline, lineAt, MARGINS, xAxis, yAxis } from "./axes.js";
import { drawBoundary, drawEllipses, drawEvidence, drawJoint, drawTruth } from "./curves.js";
import { addedPoints, withoutPoints } from "./dataset.js";
import { el, pointerPlace, svgEl, zoomOf } from "./elements.js";
import { HandleLayer } from "./handles.js";
import { countText, exactNumber, shortNumber } from "./numbers.js";
import { markErrors, PointLayer } from "./points.js";
import { RegionImage, regionGrid } from "./regions.js";
import { predictedCodes, truthOf } from "./scene.js";
import { SpaceView } from "./space_view.js";
import { clampedWindow, frameOf } from "./window.js";

const STEP = 0.02; // of the window, for an arrow key
const FACTOR = 1.06; // longer or shorter by an arrow key
const TURN = Math.PI / 60;
const THINNEST = 1e-3; // the shorter half axis, as a proportion of the longer one
const APART = 13; // pixels between points that are painted in a stroke
const RUBBER = 14;
const COUNTED = 5000; // points whose errors follow a drag

export class PlaneView extends SpaceView {
	axes = []; // of the ellipses, in pixels
	image = new RegionImage();
	points = new PointLayer();

	constructor(figure, stage) {
		super();
		this.figure = figure;
		this.canvas = el("canvas");
		this.ground = svgEl("svg", { class: "gb-axes", "aria-hidden": "true" });
		this.known = svgEl("g", { "aria-hidden": "true" });
		this.overlay = svgEl("svg", { class: "gb-overlay" }, this.known);
		this.surface = el("div", { class: "gb-inner" }, this.canvas, this.overlay);
		this.handles = new HandleLayer(figure, this.overlay);
		stage.append(this.ground, this.surface);
		this.surface.addEventListener("pointerdown", (event) => this.press(event));
		this.surface.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		this.surface.addEventListener("dblclick", () => figure.state.zoom && figure.set({ window: null }));
	}

	/** Draw a drawing: {scene, model, window, query, x, y, colours, coarse, width, height}. */
	draw(drawing) {
		const { scene, colours, width, height, window } = drawing;
		const { left, right, top, bottom } = MARGINS;
		const box = { left, top, width: Math.max(40, width - left - right), height: Math.max(40, height - top - bottom) };
		Object.assign(this, { drawing, frame: frameOf(window, box.width, box.height) });
		this.drawAxes(scene, box);
		const ratio = Math.min((globalThis.devicePixelRatio || 1) * zoomOf(this.canvas), 2);
		const size = { width: Math.round(box.width * ratio), height: Math.round(box.height * ratio) };
		if (this.canvas.width !== size.width || this.canvas.height !== size.height) Object.assign(this.canvas, size);
		const context = this.canvas.getContext("2d");
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.fillStyle = colours.paper;
		context.fillRect(0, 0, box.width, box.height);
		this.paint(context, drawing, ratio);
		this.showHandles();
		this.showKnown(drawing.query, scene.hidden);
	}

	drawAxes(scene, box) {
		const { x, y } = this.frame;
		const key = JSON.stringify([x, y, box, scene.names, scene.state.zoom]);
		if (key === this.drawnKey) return;
		this.drawnKey = key;
		this.ground.replaceChildren(boxOutline(box), ...xAxis(box, x, scene.names[0]), ...yAxis(box, y, scene.names[1]));
		for (const side of ["left", "top", "width", "height"]) this.surface.style[side] = `${box[side]}px`;
		this.surface.style.touchAction = scene.state.zoom ? "none" : "pan-y";
	}

	paint(context, { scene, model, x, y, colours, coarse }, ratio) {
		const { frame } = this;
		const { layers, hidden, held, codes, table } = scene;
		const needsGrid = layers.regions !== "none" || layers.boundary || layers.evidence;
		const grid = needsGrid ? regionGrid(scene, model, frame, { coarse, out: this.grid }) : null;
		if (grid?.logRatio) this.grid = grid;
		if (grid && layers.regions !== "none") this.image.draw(context, frame, grid, layers.regions, colours);
		if (grid && layers.evidence) drawEvidence(context, grid, frame, colours);
		if (model?.factors && layers.density) drawJoint(context, model, frame, colours);
		const strength = hidden.includes(true) || layers.neighbours ? 0.4 : 1;
		if (model?.factors && layers.ellipses) drawEllipses(context, model, frame, colours, strength);
		if (grid?.k > 1 && layers.boundary) drawBoundary(context, grid, frame, colours);
		const points = { x, y, codes, held, moving: this.moving };
		if (layers.points) this.points.draw(context, points, frame, colours, ratio);
		if (layers.truth) drawTruth(context, truthOf(scene), frame, colours);
		const isCounted = layers.points && layers.errors && table.n && (scene.model || layers.neighbours);
		if (isCounted && coarse && table.n > COUNTED) return this.figure.showCount(null);
		const wrong = isCounted ? markErrors(context, points, predictedCodes(scene), frame, colours) : 0;
		this.figure.showCount(wrong ? `${countText(wrong)} misclassified` : "");
	}

	pixel([x, y]) {
		return [this.frame.left(x), this.frame.top(y)];
	}

	place(left, top) {
		const { width, height } = this.frame;
		return this.frame.place(Math.min(Math.max(left, 0), width), Math.min(Math.max(top, 0), height));
	}

	arrow([right, up]) {
		return [right * STEP * this.frame.width, up * STEP * this.frame.height];
	}

	textOf(place) {
		return place.map((value, i) => exactNumber(value, this.frame.units[i])).join(", ");
	}

	pointAt(i) {
		const [left, top] = [this.frame.left(this.drawing.x[i]), this.frame.top(this.drawing.y[i])];
		return Number.isFinite(left + top) ? [left, top] : null;
	}

	meanAt(c) {
		return this.pixel(this.drawing.model.means[c]);
	}

	/** If a feature of the query is not measured, its mark is at the edge. */
	queryAt() {
		const { scene: { hidden }, query } = this.drawing;
		const [left, top] = this.pixel(query);
		return [hidden[0] ? 12 : left, hidden[1] ? this.frame.height - 12 : top];
	}

	/** A line marks the one feature of the query that is measured. */
	showKnown(query, hidden) {
		const [left, top] = query ? this.pixel(query) : [0, 0];
		const { width, height } = this.frame;
		const line = hidden[1] ? lineAt("known", [left, 0], [left, height]) : lineAt("known", [0, top], [width, top]);
		this.known.replaceChildren(...(query && hidden[0] !== hidden[1] ? [line] : []));
	}

	/** The half axes of a class's ellipse in pixels [right, up]; kept through a drag, so that they do not change places. */
	pixelAxes(covariance, c) {
		const { units } = this.frame;
		const key = JSON.stringify([covariance, units]);
		const found = () => ellipseAxes(covariance, units).map((axis) => axis.map((part, i) => part / units[i]));
		if (this.axes[c]?.key !== key) this.axes[c] = { key, ends: found() };
		return this.axes[c].ends;
	}

	/** The ends of the two half axes of an ellipse. */
	shapeHandles(c) {
		const { model, scene } = this.drawing;
		const [left, top] = this.pixel(model.means[c]);
		const ends = this.pixelAxes(model.covariances[c], c);
		const [[a, b], [, d]] = model.covariances[c];
		const sds = [a, d].map((variance) => shortNumber(Math.sqrt(variance)));
		const text = `standard deviations ${sds.join(" and ")}, correlation ${shortNumber(b / Math.sqrt(a * d), 2)}`;
		return ends.map(([x, y], which) => ({
			id: `axis-${c}-${which}`, kind: "axis", code: c, at: [left + x, top - y], arm: [left, top], text,
			label: `${which ? "second" : "first"} axis of ${scene.classes[c]}`, value: Math.round(Math.hypot(x, y)),
			grab: () => ([right, up]) => this.reshaped(c, ends, which, [x + right, y + up]),
			step: ([right, up]) => {
				const now = this.pixelAxes(this.figure.state.model.parameters.covariances[c], c);
				const [cos, sin] = [Math.cos, Math.sin].map((part) => FACTOR ** up * part(-TURN * right));
				const [p, q] = now[which];
				return this.reshaped(c, now, which, [p * cos - q * sin, p * sin + q * cos]);
			},
		}));
	}

	/** One half axis ends elsewhere; the other one stays perpendicular on the screen and keeps its length. */
	reshaped(c, ends, which, [x, y]) {
		const { units } = this.frame;
		const [wanted, other] = [Math.hypot(x, y) || 1, Math.max(0.5, Math.hypot(...ends[1 - which]))];
		const length = Math.min(Math.max(wanted, 1, THINNEST * other), other / THINNEST);
		const [cos, sin] = [x / wanted, y / wanted];
		const end = [length * cos, length * sin];
		const moved = which ? [[other * sin, -other * cos], end] : [end, [-other * sin, other * cos]];
		const exact = covarianceOf(moved.map((axis) => axis.map((part, i) => part * units[i])));
		const covariance = exact.map((row) => row.map((value) => Number(value.toPrecision(6))));
		this.axes[c] = { key: JSON.stringify([covariance, units]), ends: moved };
		return { [`model.parameters.covariances.${c}`]: covariance };
	}

	/** Shift the window, paint, erase, or the action of every view. */
	strokeAt(start, event) {
		const { zoom, tool } = this.figure.state;
		const { frame } = this;
		const shift = (_, by) => this.figure.move({ window: clampedWindow(frame.shifted(by), this.figure.wholeWindow()) });
		if (zoom && event.shiftKey) return { move: shift, end: () => this.figure.settle(false) };
		return tool ? { move: this.painting(tool), end: () => this.figure.settle() } : super.strokeAt(start, event);
	}

	/** A function of the pointer's place that adds or erases points. */
	painting(tool) {
		let last = null;
		return (at) => {
			const { state, scene: { columns, table, classes } } = this.figure;
			if (this.drawing.scene.table !== table) return; // the last change is not drawn yet
			const distance = (place) => (place ? Math.hypot(place[0] - at[0], place[1] - at[1]) : Infinity);
			if (tool.erase) {
				const gone = Array.from({ length: table.n }, (_, i) => i).filter((i) => distance(this.pointAt(i)) <= RUBBER);
				const rows = gone.map((i) => table.kept?.[i] ?? i);
				if (rows.length && rows.length < table.n) this.figure.move({ data: withoutPoints(state.data, rows) });
			} else if (distance(last) >= APART) {
				last = at;
				const label = classes.find((name) => String(name) === String(tool.add)) ?? tool.add;
				this.figure.move({ data: addedPoints(state.data ?? {}, columns, [this.place(...at)], label) });
			}
		};
	}

	wheel(event) {
		const { figure, frame } = this;
		if (!figure.state.zoom || !frame) return;
		event.preventDefault();
		const factor = Math.exp(Math.max(-120, Math.min(120, event.deltaY)) * 0.0016);
		const place = frame.place(...pointerPlace(this.surface, event));
		figure.move({ window: clampedWindow(frame.zoomed(factor, place), figure.wholeWindow()) });
		clearTimeout(this.rest);
		this.rest = setTimeout(() => figure.settle(false), 160);
	}
}
