// The evidence p(x) as a surface over the plane, on a canvas: lit, coloured by posteriors, contours and points on the floor.

import { contourLines, posteriorGrid } from "../density.js";
import { ticksOf } from "./axes.js";
import { mixColours, rgbOf } from "./colours.js";
import { LEVELS } from "./curves.js";
import { el, zoomOf } from "./elements.js";
import { followPointer } from "./handles.js";

const CELLS = { fine: 96, coarse: 44 };
const FLOOR = -0.66; // below the surface; the sides of the floor go from −1 to 1
const HEIGHT = 0.95; // of the surface
const CAMERA = { turn: 0.62, tilt: 0.55 }; // radians
const LIGHT = [-0.45, -0.35, 0.82];
const TURNS = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] };
const CORNERS = [[-1, -1], [1, -1], [1, 1], [-1, 1]]; // of the floor
const MOST_DOTS = 3000;
const [WHITE, BLACK] = [[255, 255, 255], [10, 14, 24]];

export class SurfaceView {
	sheet = document.createElement("canvas"); // the surface alone, which is drawn over the floor

	constructor(figure, stage) {
		this.figure = figure;
		const help = { "aria-label": "viewing angle", "aria-description": "Arrow keys turn the surface, with Shift in finer steps" };
		this.canvas = el("canvas", { class: "gb-surface", tabindex: 0, role: "slider", ...help });
		stage.append(this.canvas);
		this.canvas.addEventListener("pointerdown", (event) => {
			const start = this.camera;
			const move = ([right, up]) => this.turn(start, 0.009 * right, -0.007 * up);
			if (event.button === 0) followPointer(this.canvas, event, move, () => figure.settle());
		});
		this.canvas.addEventListener("keydown", (event) => {
			if (!TURNS[event.key]) return;
			event.preventDefault();
			this.turn(this.camera, ...TURNS[event.key].map((part) => part * (event.shiftKey ? 0.2 : 1)));
		});
		this.canvas.addEventListener("keyup", () => figure.settle());
	}

	get camera() {
		return { ...CAMERA, ...this.figure.state.camera };
	}

	/** Turn the surface by some radians around its axis and towards the reader. */
	turn({ turn, tilt }, by, up) {
		const raised = Math.min(1.45, Math.max(0.08, tilt + up));
		this.figure.move({ camera: { turn: Number((turn + by).toFixed(3)), tilt: Number(raised.toFixed(3)) } });
	}

	draw(drawing) {
		const { scene, model, window, colours, coarse, width, height, query } = drawing;
		const ratio = Math.min((globalThis.devicePixelRatio || 1) * zoomOf(this.canvas), 2);
		const [context, sheet] = [this.canvas, this.sheet].map((canvas) => {
			Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
			const made = canvas.getContext("2d");
			made.setTransform(ratio, 0, 0, ratio, 0, 0);
			return made;
		});
		const { camera } = this;
		const angle = Math.round((camera.turn * 180) / Math.PI);
		this.canvas.setAttribute("aria-valuenow", angle);
		this.canvas.setAttribute("aria-valuetext", `turned by ${angle}°, tilted by ${Math.round((camera.tilt * 180) / Math.PI)}°`);
		if (!model?.factors) return;
		const cells = coarse ? CELLS.coarse : CELLS.fine;
		const grid = posteriorGrid(model, { ...window, width: cells, height: cells });
		const top = grid.logEvidence.reduce((most, value) => Math.max(most, value), -Infinity);
		const project = projection(camera, width, height);
		const unit = (value, [low, high]) => (2 * (value - low)) / (high - low) - 1;
		const place = (x, y, z) => project(unit(x, window.x), unit(y, window.y), z);
		drawFloor(context, scene.names, { project, place, window, camera, colours });
		for (const line of LEVELS.flatMap((level) => contourLines(grid.logEvidence, grid, top - level))) {
			strokeLine(context, line.map(([x, y]) => place(x, y, FLOOR)), colours.soft, 0.8);
		}
		if (scene.layers.points) drawDots(context, drawing, place);
		drawCells(sheet, grid, top, { project, camera, colours });
		context.drawImage(this.sheet, 0, 0, width, height);
		if (!query || scene.hidden.includes(true)) return;
		const above = place(...query, HEIGHT * Math.exp(model.logEvidence(query) - top));
		strokeLine(context, [place(...query, FLOOR), above], colours.ink, 1.6);
		drawDisc(context, above, 4.5, colours.ink, colours.paper);
	}
}

/** A function from the cube [−1, 1]² × z to pixels, with a little perspective; floor and surface fill the canvas. */
function projection({ turn, tilt }, width, height) {
	const [c, s, up, down] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
	const raw = (x, y, z) => {
		const away = s * x + c * y;
		const depth = 1 / (1 + 0.09 * (away * up - z * down));
		return [depth * (c * x - s * y), -depth * (away * down + z * up)];
	};
	const edge = 1.3; // the floor with its numbers and names
	const corners = [[-edge, -edge], [edge, -edge], [edge, edge], [-edge, edge]].map(([x, y]) => raw(x, y, FLOOR));
	const [xs, ys] = [corners.map(([x]) => x), [...corners.map(([, y]) => y), raw(0, 0.4, HEIGHT)[1]]];
	const [low, high] = [Math.min(...ys), Math.max(...ys)];
	const scale = Math.min(width / (Math.max(...xs) - Math.min(...xs)), (height - 8) / (high - low));
	return (x, y, z) => {
		const [right, below] = raw(x, y, z);
		return [width / 2 + scale * right, height / 2 + scale * (below - (low + high) / 2)];
	};
}

function strokeLine(context, line, colour, width) {
	context.beginPath();
	for (const place of line) context.lineTo(...place);
	Object.assign(context, { strokeStyle: colour, lineWidth: width });
	context.stroke();
}

function drawDisc(context, [left, top], radius, fill, stroke) {
	context.beginPath();
	context.arc(left, top, radius, 0, 2 * Math.PI);
	Object.assign(context, { fillStyle: fill, strokeStyle: stroke, lineWidth: radius > 3 ? 1.6 : 0.6 });
	context.fill();
	context.stroke();
}

/** The floor, with numbers and names along the two edges that are nearest to the reader, and the upright axis on the left. */
function drawFloor(context, names, { project, place, window, camera, colours }) {
	const corners = CORNERS.map(([x, y]) => project(x, y, FLOOR));
	strokeLine(context, [...corners, corners[0]], colours.faint, 1);
	const write = ([left, top], text, size, colour, align) => {
		const font = `${size}px system-ui, sans-serif`;
		Object.assign(context, { font, fillStyle: colour, textAlign: align, textBaseline: "middle" });
		context.fillText(text, left, top);
	};
	const centre = (corners[0][0] + corners[2][0]) / 2;
	const [x, y] = CORNERS.reduce((best, at) => (project(...at, 0)[0] < project(...best, 0)[0] ? at : best)); // leftmost
	const [left, top] = project(x, y, HEIGHT / 2);
	strokeLine(context, [project(x, y, 0), project(x, y, HEIGHT)], colours.faint, 1);
	write([left + 8, top], "evidence p(x)", 13, colours.ink, "left");
	[window.x, window.y].forEach((range, axis) => {
		const side = [Math.cos, Math.sin][axis](camera.turn) > 0 ? -1 : 1;
		const [low, high] = axis ? window.x : window.y;
		const where = (value, far) => {
			const other = low + ((1 + side * far) / 2) * (high - low);
			return axis ? place(other, value, FLOOR) : place(value, other, FLOOR);
		};
		const { marks, note } = ticksOf(range, 5);
		for (const { value, text } of marks) {
			strokeLine(context, [where(value, 1), where(value, 1.04)], colours.faint, 1);
			write(where(value, 1.13), text, 11, colours.soft, "center");
		}
		const middle = where((range[0] + range[1]) / 2, 1.22);
		write(middle, names[axis].slice(0, 30) + note, 13, colours.ink, middle[0] < centre ? "right" : "left");
	});
}

function drawDots(context, { scene, x, y, window, colours }, place) {
	const isInside = (value, [low, high]) => value >= low && value <= high;
	for (let i = 0; i < x.length; i += Math.ceil(x.length / MOST_DOTS)) {
		if (!isInside(x[i], window.x) || !isInside(y[i], window.y)) continue;
		drawDisc(context, place(x[i], y[i], FLOOR), x.length > 500 ? 1.5 : 2.4, colours.classes(scene.codes[i]), colours.paper);
	}
}

/** The surface, cell by cell from the back: lit, and transparent where evidence is low. */
function drawCells(context, { posterior, logEvidence, width, height, k }, top, { project, camera, colours }) {
	const size = width * height;
	const z = Float32Array.from(logEvidence, (value) => HEIGHT * Math.exp(value - top));
	const side = (i, count) => (2 * (i + 0.5)) / count - 1;
	const corners = Array.from(z, (up, at) => project(side(at % width, width), side(Math.floor(at / width), height), up));
	const base = Array.from({ length: k }, (_, c) => rgbOf(colours.classes(c)));
	const paint = (at) => {
		const around = [at, at + 1, at + width + 1, at + width];
		const [a, b, c, d] = around.map((place) => z[place]);
		const alpha = Math.min(1, 22 * Math.max(a, b, c, d));
		if (alpha < 0.02) return;
		const colour = [0, 1, 2].map((part) => base.reduce((sum, own, code) => sum + posterior[code * size + at] * own[part], 0));
		const [dx, dy] = [((b + c - a - d) * width) / 4, ((c + d - a - b) * height) / 4];
		const light = (LIGHT[2] - dx * LIGHT[0] - dy * LIGHT[1]) / Math.hypot(dx, dy, 1) - 0.75;
		const lit = light > 0 ? mixColours(colour, WHITE, 1.5 * light) : mixColours(colour, BLACK, -0.6 * light);
		const cell = widenedCell(around.map((place) => corners[place]));
		if (alpha < 1) fillCell(context, cell, "#000", "destination-out"); // what is behind does not shine through twice
		fillCell(context, cell, `rgb(${lit.join(" ")} / ${alpha.toFixed(3)})`, "source-over");
	};
	const order = (n, isUp) => Array.from({ length: n - 1 }, (_, i) => (isUp ? i : n - 2 - i));
	const columns = order(width, Math.sin(camera.turn) < 0);
	for (const j of order(height, Math.cos(camera.turn) < 0)) for (const i of columns) paint(j * width + i);
}

/** A cell a little larger, so that no line shows between neighbours. */
function widenedCell(cell) {
	const [x, y] = [0, 1].map((i) => cell.reduce((sum, place) => sum + place[i], 0) / 4);
	return cell.map(([left, top]) => {
		const far = Math.hypot(left - x, top - y) || 1;
		return [left + (0.6 * (left - x)) / far, top + (0.6 * (top - y)) / far];
	});
}

function fillCell(context, cell, colour, composition) {
	Object.assign(context, { globalCompositeOperation: composition, fillStyle: colour });
	context.beginPath();
	for (const place of cell) context.lineTo(...place);
	context.fill();
}
