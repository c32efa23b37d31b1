// The evidence p(x) as a surface over the plane, drawn on a canvas: lit, coloured by posteriors, contours and points on the floor.

import { contourLines, posteriorGrid } from "../density.js";
import { ticksOf } from "./axes.js";
import { mixColours, rgbOf } from "./colours.js";
import { el } from "./elements.js";
import { followPointer } from "./handles.js";

const CELLS = { fine: 96, coarse: 44 };
const FLOOR = -0.66; // below the surface, in units of its height
const HEIGHT = 0.95; // of the surface, in units of the floor's half side
const LEVELS_BELOW = [0.35, 0.8, 1.4, 2.2, 3.2, 4.5, 6.2]; // nats below the top
const START = { turn: 0.62, tilt: 0.55 };
const LIGHT = [-0.45, -0.35, 0.82];
const ARROWS = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] };
const MOST_DOTS = 3000;

export class SurfaceView {
	constructor(figure, stage) {
		this.figure = figure;
		const label = { tabindex: 0, role: "slider", "aria-label": "viewing angle of the surface", "aria-description": "Arrow keys turn the surface" };
		this.canvas = el("canvas", { class: "gb-surface", ...label });
		stage.append(this.canvas);
		this.canvas.addEventListener("pointerdown", (event) => this.press(event));
		this.canvas.addEventListener("keydown", (event) => this.key(event));
		this.canvas.addEventListener("keyup", () => figure.settle());
	}

	get camera() {
		return { ...START, ...this.figure.state.camera };
	}

	/** Turn the surface by some radians around its axis and towards the reader. */
	turn(by, up, { turn, tilt } = this.camera) {
		const camera = { turn: Number((turn + by).toFixed(3)), tilt: Number(Math.min(1.45, Math.max(0.08, tilt + up)).toFixed(3)) };
		this.figure.move({ camera });
	}

	press(event) {
		if (event.button !== 0) return;
		const start = this.camera;
		followPointer(this.canvas, event, { move: ([right, up]) => this.turn(0.009 * right, -0.007 * up, start), end: () => this.figure.settle() });
	}

	key(event) {
		const turn = ARROWS[event.key];
		if (!turn) return;
		event.preventDefault();
		this.turn(...turn.map((part) => part * (event.shiftKey ? 0.2 : 1)));
	}

	draw(picture) {
		const { scene, model, window, colours, coarse, width, height } = picture;
		const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
		Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
		const context = this.canvas.getContext("2d");
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		const camera = this.camera;
		this.canvas.setAttribute("aria-valuenow", Math.round((camera.turn * 180) / Math.PI));
		if (!model?.factors) return;
		const cells = coarse ? CELLS.coarse : CELLS.fine;
		const grid = posteriorGrid(model, { ...window, width: cells, height: cells });
		let top = -Infinity;
		for (const value of grid.logEvidence) if (value > top) top = value;
		const project = projection(camera, width, height);
		const unit = (value, [low, high]) => (2 * (value - low)) / (high - low) - 1;
		const place = (x, y, z) => project(unit(x, window.x), unit(y, window.y), z);
		drawFloor(context, scene, { project, place, window, camera, colours });
		for (const level of LEVELS_BELOW) {
			for (const line of contourLines(grid.logEvidence, grid, top - level)) strokeLine(context, line.map(([x, y]) => place(x, y, FLOOR)), colours.soft, 0.8);
		}
		if (scene.layers.points) drawDots(context, picture, place);
		this.sheet ??= document.createElement("canvas");
		Object.assign(this.sheet, { width: this.canvas.width, height: this.canvas.height });
		const sheet = this.sheet.getContext("2d");
		sheet.setTransform(ratio, 0, 0, ratio, 0, 0);
		drawQuads(sheet, grid, top, { project, camera, colours });
		context.drawImage(this.sheet, 0, 0, width, height);
		if (picture.query && !scene.hidden.includes(true)) {
			const [x, y] = picture.query;
			const z = HEIGHT * Math.exp(model.logEvidence([x, y]) - top);
			strokeLine(context, [place(x, y, FLOOR), place(x, y, z)], colours.ink, 1.6);
			drawDisc(context, place(x, y, z), 4.5, colours.ink, colours.paper);
		}
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
	line.forEach(([left, top], i) => (i ? context.lineTo(left, top) : context.moveTo(left, top)));
	context.strokeStyle = colour;
	context.lineWidth = width;
	context.stroke();
}

function drawDisc(context, [left, top], radius, fill, stroke) {
	context.beginPath();
	context.arc(left, top, radius, 0, 2 * Math.PI);
	context.fillStyle = fill;
	context.fill();
	context.strokeStyle = stroke;
	context.lineWidth = radius > 3 ? 1.6 : 0.6;
	context.stroke();
}

/** The floor, with numbers and names along the two edges that are nearest to the reader. */
function drawFloor(context, { names }, { project, place, window, camera, colours }) {
	const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]].map(([x, y]) => project(x, y, FLOOR));
	strokeLine(context, corners, colours.faint, 1);
	const [near, side] = [Math.cos(camera.turn) > 0 ? 0 : 1, Math.sin(camera.turn) > 0 ? 0 : 1];
	context.textBaseline = "middle";
	const write = ([left, top], text, font, colour) => {
		context.font = `${font} system-ui, sans-serif`;
		context.fillStyle = colour;
		context.fillText(text, left, top);
	};
	const edge = (axis, at, range) => {
		const ends = axis ? window.x : window.y;
		const out = at ? 1 : -1;
		const where = (value, far) => (axis ? place(ends[0] + ((1 + out * far) / 2) * (ends[1] - ends[0]), value, FLOOR) : place(value, ends[0] + ((1 + out * far) / 2) * (ends[1] - ends[0]), FLOOR));
		const { marks, note } = ticksOf(range, 5);
		context.textAlign = "center";
		for (const { value, text } of marks) {
			strokeLine(context, [where(value, 1), where(value, 1.04)], colours.faint, 1);
			write(where(value, 1.13), text, "11px", colours.soft);
		}
		const middle = where((range[0] + range[1]) / 2, 1.2);
		context.textAlign = middle[0] < corners[0][0] / 2 + corners[2][0] / 2 ? "right" : "left";
		write(middle, (axis ? names[1] : names[0]).slice(0, 30) + note, "13px", colours.ink);
	};
	edge(0, near, window.x);
	edge(1, side, window.y);
}

function drawDots(context, { scene, x, y, window, colours }, place) {
	const every = Math.ceil(x.length / MOST_DOTS);
	const inside = (value, [low, high]) => value >= low && value <= high;
	for (let i = 0; i < x.length; i += every) {
		if (!inside(x[i], window.x) || !inside(y[i], window.y)) continue;
		drawDisc(context, place(x[i], y[i], FLOOR), x.length > 500 ? 1.5 : 2.4, colours.classes(scene.codes[i]), colours.paper);
	}
}

/** The surface, cell by cell from the back: lit, and transparent where evidence is low. */
function drawQuads(context, { posterior, logEvidence, width, height, k }, top, { project, camera, colours }) {
	const size = width * height;
	const z = (i, j) => HEIGHT * Math.exp(logEvidence[j * width + i] - top);
	const at = (i, j) => [(2 * (i + 0.5)) / width - 1, (2 * (j + 0.5)) / height - 1];
	const base = Array.from({ length: k }, (_, c) => rgbOf(colours.classes(c)));
	const [white, black] = [[255, 255, 255], [10, 14, 24]];
	const order = (n, isUp) => Array.from({ length: n - 1 }, (_, i) => (isUp ? i : n - 2 - i));
	const rows = order(height, Math.cos(camera.turn) < 0);
	const columns = order(width, Math.sin(camera.turn) < 0);
	const corners = Array.from({ length: size }, (_, at2) => project(...at(at2 % width, Math.floor(at2 / width)), z(at2 % width, Math.floor(at2 / width))));
	const paint = (i, j) => {
		const here = j * width + i;
		const heights = [z(i, j), z(i + 1, j), z(i + 1, j + 1), z(i, j + 1)];
		const most = Math.max(...heights);
		if (most < 0.001) return;
		const colour = [0, 0, 0];
		for (let c = 0; c < k; c++) for (let part = 0; part < 3; part++) colour[part] += posterior[c * size + here] * base[c][part];
		const [dx, dy] = [((heights[1] + heights[2] - heights[0] - heights[3]) * width) / 4, ((heights[2] + heights[3] - heights[0] - heights[1]) * height) / 4];
		const light = (LIGHT[2] - dx * LIGHT[0] - dy * LIGHT[1]) / Math.hypot(dx, dy, 1);
		const lit = light > 0.75 ? mixColours(colour, white, 1.5 * (light - 0.75)) : mixColours(colour, black, 0.6 * (0.75 - light));
		const cell = widened([here, here + 1, here + width + 1, here + width].map((corner) => corners[corner]));
		const alpha = Math.min(1, 22 * most);
		if (alpha < 1) fillCell(context, cell, "#000", "destination-out"); // what is behind does not shine through twice
		fillCell(context, cell, `rgb(${lit.join(" ")} / ${alpha.toFixed(3)})`, "source-over");
	};
	for (const j of rows) for (const i of columns) paint(i, j);
}

/** A cell a little larger, so that no line shows between neighbours. */
function widened(cell) {
	const middle = [0, 1].map((i) => cell.reduce((sum, corner) => sum + corner[i], 0) / 4);
	return cell.map((corner) => {
		const away = corner.map((value, i) => value - middle[i]);
		const far = Math.hypot(...away) || 1;
		return corner.map((value, i) => value + (0.6 * away[i]) / far);
	});
}

function fillCell(context, cell, colour, composition) {
	context.globalCompositeOperation = composition;
	context.fillStyle = colour;
	context.beginPath();
	for (const corner of cell) context.lineTo(...corner);
	context.fill();
}
