// The plot: canvases one above the other, each drawn only when what it shows has changed.
//
//   regions   the grids of a scene, hatched zones
//   lines     boundaries, ellipses, contours
//   points    drawn once for a dataset and a view
//   rings     errors
//   overlay   SVG: the point that is looked at, and handles

import { svg } from "../panels/elements.js";
import { same } from "../state.js";
import { drawAxes } from "./axes.js";
import { outline } from "./ellipse.js";
import { PlaneHandles } from "./handles.js";
import { linesOf, stroke, truthOf } from "./lines.js";
import { Points } from "./points.js";
import { hatching, Regions } from "./regions.js";
import { boundsOf, clamped, fit } from "./view.js";

const CANVASES = ["regions", "lines", "points", "rings"];
const MORPH = 250; // milliseconds that ellipses take to become others
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Plot {
	constructor(app, stage) {
		this.app = app;
		this.stage = stage;
		this.axes = stage.querySelector("#axes");
		this.inner = stage.querySelector("#inner");
		this.overlay = stage.querySelector("#overlay");
		this.canvas = Object.fromEntries(CANVASES.map((name) => [name, stage.querySelector(`#canvas-${name}`)]));
		this.cursor = svg("g", { class: "cursor" });
		const handles = svg("g", {});
		this.overlay.append(this.cursor, handles);
		this.regions = new Regions();
		this.points = new Points(app);
		this.handles = new PlaneHandles(app, handles, () => this.view);
		this.blank = {}; // canvases that are empty and need no clearing
		this.lines = [];
		this.truth = null;
		this.scene = null;
		new ResizeObserver(() => this.resize()).observe(stage);
		app.view = () => this.view;
		app.on("data", () => this.show());
		app.on("scene", (answer) => this.takeScene(answer));
		app.on("state", (state) => this.stateChanged(state));
		app.on("theme", () => this.themeChanged());
		this.resize();
	}

	get plane() {
		return this.app.state.view === "plane" && !this.app.flat;
	}

	get view() {
		const { bounds } = this.app.state;
		const own = this.dataBounds();
		return fit(bounds ? clamped(bounds, own) : own, this.width, this.height);
	}

	dataBounds() {
		const { data } = this.app;
		if (!data || this.app.flat) return { x: [-1, 1], y: [-1, 1] };
		const key = `${data.id} ${data.pair}`;
		if (this.boundsKey !== key) {
			this.boundsKey = key;
			this.bounds = boundsOf(data.points, data.columns, data.pair);
		}
		return this.bounds;
	}

	resize() {
		const { clientWidth, clientHeight } = this.stage;
		const narrow = clientWidth < 520;
		this.margin = narrow
			? { left: 64, right: 8, top: 34, bottom: 44 }
			: { left: 72, right: 16, top: 38, bottom: 48 };
		const { left, right, top, bottom } = this.margin;
		const width = Math.max(40, Math.floor(clientWidth - left - right));
		const height = Math.max(40, Math.floor(clientHeight - top - bottom));
		const ratio = Math.min(2, devicePixelRatio || 1);
		if (width === this.width && height === this.height && ratio === this.ratio) return;
		Object.assign(this, { width, height, ratio });
		const box = { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` };
		Object.assign(this.inner.style, box);
		for (const canvas of Object.values(this.canvas)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
		}
		this.show();
		if (this.app.data) this.app.refreshFigures();
	}

	context(name) {
		const context = this.canvas[name].getContext("2d");
		context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		if (!this.blank[name]) context.clearRect(0, 0, this.width, this.height);
		this.blank[name] = false;
		return context;
	}

	stateChanged(state) {
		const { bounds, layers, stream, pair, at, hide, view, filter } = state;
		const frame = JSON.stringify([bounds, pair, view, stream, filter]);
		const kinds = JSON.stringify(layers);
		const marked = JSON.stringify([at, hide]);
		if (frame !== this.frame) this.show();
		if (kinds !== this.kinds && this.scene) this.readScene(this.scene, true);
		if (marked !== this.marked) this.drawCursor();
		this.handles.update();
		Object.assign(this, { frame, kinds, marked });
	}

	themeChanged() {
		if (this.scene) this.readScene(this.scene, true);
		this.show();
	}

	takeScene(answer) {
		const before = this.scene;
		this.scene = answer;
		this.readScene(answer, false);
		this.morph(before);
		if (answer.started === null || answer.started === undefined) return;
		requestAnimationFrame(() => {
			const took = performance.now() - answer.started;
			window.labFrames.push(took);
			this.app.gridResolution.took(took);
		});
	}

	/** Make image and lines of a scene; `again`: it is an old one, and what it lacks is on its way. */
	readScene(answer, again) {
		cancelAnimationFrame(this.moving);
		const { layers } = this.app.state;
		const { x, y } = answer.request.view;
		const place = JSON.stringify([answer.request.data, answer.request.pair, x, y]);
		if (answer.arrays.truth) this.truth = { place, lines: truthOf(answer) };
		const truth = layers.truth && this.truth?.place === place ? this.truth.lines : null;
		this.regions.take(answer, layers.regions, this.app.colours, again);
		this.lines = linesOf(answer, layers, truth);
		this.drawScene();
	}

	/** Let ellipses go over into the new ones, unless somebody drags them or wants no motion. */
	morph(before) {
		const { app, lines, scene: { request, head } } = this;
		const [from, to] = [before?.head, head].map((each) => each?.parameters);
		const key = ({ data, pair }) => JSON.stringify([data, pair]);
		const alike = from && to && key(before.request) === key(request) && !same(from, to);
		if (!alike || app.dragging || request.model.from === "auto" || still.matches) return;
		const start = performance.now();
		const between = (a, b, proportion) =>
			Array.isArray(a) ? a.map((part, i) => between(part, b[i], proportion)) : a + (b - a) * proportion;
		const step = (now) => {
			const proportion = Math.max(0, (now - start) / MORPH);
			this.lines = proportion >= 1 ? lines : lines.map((group) => {
				const { kind, class: c, sigma } = group;
				if (kind !== "density" || !from.means[c] || !to.means[c]) return group;
				const place = outline(
					between(from.means[c], to.means[c], proportion),
					between(from.covariances[c], to.covariances[c], proportion), sigma);
				return { ...group, lines: [place] };
			});
			this.drawScene();
			if (proportion < 1) this.moving = requestAnimationFrame(step);
		};
		step(start);
	}

	show() {
		if (!this.app.data) return;
		const { app, view } = this;
		this.stage.dataset.view = this.plane ? "plane" : app.state.view === "surface" ? "surface" : "line";
		if (!this.plane) return;
		const names = app.data.pair.map((feature) => app.data.features[feature]);
		drawAxes(this.axes, view, names, this.margin);
		this.drawScene();
		this.points.draw(this.context("points"), view, this.ratio);
		this.drawCursor();
		this.handles.update();
	}

	drawScene() {
		if (!this.plane) return;
		const { view, app } = this;
		const { layers } = app.state;
		const context = this.context("regions");
		const lines = this.context("lines");
		if (!this.scene) return;
		const { arrays } = this.scene;
		if (layers.regions !== "none") this.regions.draw(context, view);
		if (layers.reject !== null && arrays.reject) {
			this.regions.hatch(context, view, arrays.reject, hatching(app.colours.ink, true));
		}
		if (layers.novelty !== null && arrays.novel) {
			this.regions.hatch(context, view, arrays.novel, hatching(app.colours.faint, false));
		}
		stroke(lines, this.shownLines(), view, app.colours);
		const wrong = layers.errors && arrays.wrong?.data;
		const ringed = wrong && wrong.length === app.data.n && wrong.includes(1);
		if (!ringed && this.blank.rings) return;
		const rings = this.context("rings");
		if (ringed) this.points.ring(rings, view, wrong);
		else this.blank.rings = true;
	}

	shownLines() {
		const { layers } = this.app.state;
		return this.lines.filter(({ kind }) => layers[kind]);
	}

	/** The point that is looked at; a hidden coordinate leaves a line of places. */
	drawCursor() {
		const { at, hide } = this.app.state;
		if (!at || !this.plane) {
			this.cursor.replaceChildren();
			return;
		}
		const { view, width, height } = this;
		const [left, top] = view.toPixel(...at);
		const across = (x1, x2) => ["line", { x1, x2, y1: top, y2: top }];
		const up = (y1, y2) => ["line", { x1: left, x2: left, y1, y2 }];
		const hair = [across(left - 16, left - 7), across(left + 7, left + 16), up(top - 16, top - 7), up(top + 7, top + 16)];
		const lines = [[across(0, width)], [up(0, height)]][hide] ?? hair;
		const parts = [["circle", { cx: left, cy: top, r: 7 }], ...lines];
		this.cursor.replaceChildren(
			...parts.flatMap(([tag, where]) => [svg(tag, { ...where, class: "halo" }), svg(tag, where)]));
	}

}
