// The one-dimensional view: prior × density of each class, their sum, and below the posterior.

import { svg } from "../panels/elements.js";
import { NO_CODE } from "../answer_reader.js";
import { colourOf } from "./colours.js";
import { fitted, ticks } from "./axes.js";
import { LineHandles } from "./line_handles.js";

const UPPER = 0.6; // of the height, for the densities
const GAP = 46; // between the two parts
const LOW = 60; // densities less high than this are drawn without words
const MOST_RUG = 1500; // points drawn under the curves

export class LineView {
	constructor(app, plot, root) {
		Object.assign(this, { app, plot, root });
		this.answer = null;
		this.curves = svg("g", {});
		this.cursor = svg("g", { class: "cursor" });
		const held = svg("g", {});
		this.handles = new LineHandles(app, held, () => this.shown && this.frame);
		root.append(this.curves, this.cursor, held);
		app.on("line", (answer) => {
			this.answer = answer;
			this.draw();
		});
		app.on("state", () => {
			if (this.shown && !this.drawn) this.draw(); // the answer came while another view was shown
			this.drawCursor();
			if (this.shown && this.frame) this.handles.update();
		});
		app.on("theme", () => this.draw());
		new ResizeObserver(() => this.draw()).observe(plot.stage);
		root.addEventListener("pointerdown", (event) => this.press(event));
		root.addEventListener("pointermove", (event) => this.pressed && this.to(event));
		root.addEventListener("lostpointercapture", () => {
			if (this.pressed) this.app.change({}, { record: false });
			this.pressed = false;
		});
	}

	get shown() {
		return this.plot.stage.dataset.view === "line" && this.answer && !this.answer.head.problem;
	}

	draw() {
		const { answer, app, plot } = this;
		this.drawn = this.shown;
		if (!this.shown) {
			this.curves.replaceChildren();
			return;
		}
		const { left, top } = plot.margin;
		const { width, height } = plot;
		const place = answer.arrays.place.data;
		const x = [place[0], place.at(-1)];
		const across = (value) => left + ((value - x[0]) / (x[1] - x[0])) * width;
		const { joint, density, posterior, evidence } = answer.arrays;
		const room = Math.max(2, height - GAP);
		const upper = joint ? Math.round(room * UPPER) : 0; // votes have no densities
		const lower = { top: top + upper + GAP, height: room - upper };
		this.frame = { x, left, width, base: top + upper, height: upper };
		const withDensity = app.state.layers.density;
		const highest = joint ? highestOf(evidence.data, joint.data, withDensity ? density.data : []) : 0;
		const up = (value) => top + upper * (1 - value / (1.06 * highest || 1));
		const proportion = (value) => lower.top + lower.height * (1 - value);
		const parts = [this.rug(across, x, top + upper)];
		parts.push(...this.ground(x, across, up, highest, upper, lower));
		const classes = posterior.shape[0];
		const m = place.length;
		for (let c = 0; c < classes; c++) {
			const own = { "--own": `var(--class-${c % 12})` };
			const part = (array) => array.data.subarray(c * m, (c + 1) * m);
			parts.push(svg("path", { class: "curve", d: path(place, part(posterior), across, proportion), own }));
			if (!joint) continue;
			const line = path(place, part(joint), across, up);
			parts.push(svg("path", { class: "area", d: `${line}L${across(x[1])} ${up(0)}L${across(x[0])} ${up(0)}Z`, own }));
			parts.push(svg("path", { class: "curve", d: line, own }));
			if (withDensity) parts.push(svg("path", { class: "curve dashed", d: path(place, part(density), across, up), own }));
		}
		if (joint) parts.push(svg("path", { class: "sum", d: path(place, evidence.data, across, up) }));
		for (const boundary of answer.head.boundaries ?? []) {
			if (!(boundary >= x[0] && boundary <= x[1])) continue;
			const at = across(boundary).toFixed(1);
			parts.push(svg("line", { class: "border", x1: at, x2: at, y1: top, y2: lower.top + lower.height }));
		}
		this.curves.replaceChildren(...parts);
		this.drawCursor();
		this.handles.update();
	}

	ground(x, across, up, highest, upper, lower) {
		const { left, top } = this.plot.margin;
		const { width } = this.plot;
		const bottom = lower.top + lower.height;
		const box = (y, height) => svg("rect", { class: "frame", x: left, y, width, height });
		const heights = ticks([0, highest], 4);
		const parts = upper ? [box(top, upper), box(lower.top, lower.height)] : [box(lower.top, lower.height)];
		const text = (at, y, anchor, value, kind = "number") =>
			parts.push(svg("text", { class: kind, x: at, y, "text-anchor": anchor }, value));
		const { marks, note: from } = ticks(x, width / 90);
		for (const { value, text: written } of marks) {
			text(across(value), bottom + 18, "middle", written);
			parts.push(svg("line", { class: "tick", x1: across(value), x2: across(value), y1: bottom, y2: bottom + 5 }));
		}
		for (const { value, text: written } of upper ? heights.marks : []) text(left - 8, up(value) + 4, "end", written);
		for (const value of [0, 0.5, 1]) {
			text(left - 8, lower.top + lower.height * (1 - value) + 4, "end", String(value));
		}
		text(left + width / 2, bottom + 37, "middle", fitted(this.answer.head.name ?? "", width, from), "name");
		const dashed = this.app.state.layers.density ? "dashed: density · " : "";
		const note = width > 420 ? `filled: prior × density · ${dashed}thin: their sum, the evidence` : "prior × density";
		if (upper > LOW) text(left + 10, top + 18, "start", note + (heights.note && `;${heights.note}`), "note");
		const votes = width > 420 ? "proportion of votes (votes have no densities)" : "proportion of votes: no densities";
		text(left + 10, lower.top - 8, "start", upper ? "posterior probability" : votes, "note");
		return parts;
	}

	/** The points as strokes under the curves, each class in its own row; those without label last. */
	rug(across, x, base) {
		const { app } = this;
		const { points, columns, codes, n, pair, classes, unlabelled } = app.data;
		const feature = this.answer.head.feature ?? pair[0];
		const every = Math.ceil(n / MOST_RUG);
		const rows = [...classes.keys(), ...(unlabelled ? [NO_CODE] : [])];
		const high = Math.min(7, 30 / rows.length);
		const strokes = rows.map(() => "");
		const count = app.state.stream ?? n;
		const { agrees } = this.plot.points;
		for (let row = 0; row < Math.min(n, count); row += every) {
			if (agrees && !agrees(row)) continue;
			const value = points[row * columns + feature];
			if (!(value >= x[0] && value <= x[1])) continue;
			const line = codes[row] === NO_CODE ? classes.length : codes[row];
			strokes[line] += `M${across(value).toFixed(1)} ${base + 4 + line * (high + 1)}v${high}`;
		}
		return svg("g", { class: "rug" }, ...strokes.map((d, i) => svg("path", { d, stroke: colourOf(app.colours, rows[i]) })));
	}

	drawCursor() {
		if (!this.shown || !this.frame) return;
		const { at } = this.app.state;
		const { x, left, width } = this.frame;
		if (!at || at[0] < x[0] || at[0] > x[1]) {
			this.cursor.replaceChildren();
			return;
		}
		const place = left + ((at[0] - x[0]) / (x[1] - x[0])) * width;
		const line = { x1: place, x2: place, y1: this.plot.margin.top, y2: this.plot.margin.top + this.plot.height };
		this.cursor.replaceChildren(svg("line", { ...line, class: "halo" }), svg("line", line));
	}

	press(event) {
		if (!this.shown || !this.frame || event.button !== 0) return;
		this.root.setPointerCapture(event.pointerId);
		this.pressed = true;
		this.to(event);
	}

	to(event) {
		const { x, left, width } = this.frame;
		const inside = event.clientX - this.root.getBoundingClientRect().left - left;
		const value = x[0] + (Math.min(Math.max(inside, 0), width) / width) * (x[1] - x[0]);
		const { at } = this.app.state;
		const { y } = this.plot.view;
		const other = at ? at[1] : this.app.flat ? 0 : (y[0] + y[1]) / 2;
		this.app.change({ at: this.plot.view.rounded([value, other]) }, { dragging: true });
	}
}

function path(place, values, across, up) {
	let text = "";
	for (let i = 0; i < place.length; i++) {
		text += `${i ? "L" : "M"}${across(place[i]).toFixed(1)} ${up(values[i]).toFixed(1)}`;
	}
	return text;
}

function highestOf(...arrays) {
	let top = 0;
	for (const array of arrays) for (const value of array) if (value > top) top = value;
	return top;
}
