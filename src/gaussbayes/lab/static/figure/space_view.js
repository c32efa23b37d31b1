// The common base of the plane and the line: means, points and query with positions that can be moved.

import { movedPoint } from "./dataset.js";
import { pointerPlace } from "./elements.js";
import { followPointer } from "./handles.js";

const REACH_OF = { mouse: 9, pen: 12, touch: 18 }; // pixels about a point
const TREMBLE = 3; // pixels a press may move and still be a click
const HANDLED = 12; // classes that have handles

/**
 * A view of a space. Its subclass has `surface` (the element that is pressed), `handles`, `drawing`, and
 * pixel(place) → [left, top], place(left, top) → place of the data, arrow([right, up]) → pixels, textOf(place),
 * pointAt(i) → [left, top] or null, shapeHandles(c), meanAt(c).
 */
export class SpaceView {
	selected = 0; // the point that takes the focus
	moving = -1; // the point that is dragged

	/** List the handles of means, shapes, points and query that the spec lets the reader move. */
	showHandles() {
		const { scene, model, query } = this.drawing;
		const { state, classes, table, columns, hidden, layers } = scene;
		const moves = new Set(state.move);
		const isGiven = model?.factors && !layers.neighbours && state.model?.parameters?.means?.[0].length === columns.length;
		const handles = [];
		for (let c = 0; isGiven && c < Math.min(HANDLED, model.means.length); c++) {
			if (moves.has("covariances")) handles.push(...this.shapeHandles(c));
			if (!moves.has("means")) continue;
			const now = () => this.figure.state.model.parameters.means[c];
			const patch = (place) => ({ [`model.parameters.means.${c}`]: place });
			const what = { id: `mean-${c}`, kind: "mean", code: c, label: `mean of ${classes[c]}`, at: this.meanAt(c) };
			handles.push(this.placeHandle(what, model.means[c], now, patch));
		}
		if (moves.has("points") && table.n) handles.push(this.pointHandle());
		if (query && !hidden.every(Boolean)) handles.push(this.queryHandle(moves.has("query")));
		this.handles.show(handles);
	}

	/** A handle at a place: `now()` is where it is in the state, `patch(place)` puts it elsewhere. */
	placeHandle(what, place, now, patch) {
		const moved = ([left, top], [right, up]) => patch(this.place(left + right, top - up));
		return {
			code: -1, at: this.pixel(place), value: place[0], text: this.textOf(place), ...what,
			grab: () => {
				const start = this.pixel(now());
				return (by) => moved(start, by);
			},
			step: (direction) => moved(this.pixel(now()), this.arrow(direction)),
		};
	}

	queryHandle(isMovable) {
		const { scene: { hidden, names }, query } = this.drawing;
		const patch = (place) => ({ query: place.map((value, i) => (hidden[i] ? query[i] : value)) });
		const missing = names.filter((_, i) => hidden[i]).map((name) => `, ${name} not measured`);
		const text = this.textOf(query) + missing.join("");
		const what = { id: "query", kind: "query", label: "query point", text, at: this.queryAt() };
		const handle = this.placeHandle(what, query, () => this.figure.state.query, patch);
		return isMovable ? handle : { ...handle, grab: null, step: null };
	}

	queryAt() {
		return this.pixel(this.drawing.query);
	}

	/** One point at a time takes the focus; Page Up and Page Down choose another one. */
	pointHandle() {
		const { table: { n, columns }, classes, codes, ...scene } = this.drawing.scene;
		const i = (this.selected = Math.min(this.selected, n - 1));
		const now = () => scene.columns.map((column) => columns[column][i]);
		const label = `point ${i + 1} of ${n}${codes[i] < 0 ? "" : `, ${classes[codes[i]]}`}; Page Up and Page Down choose another one`;
		const what = { id: "point", kind: "point", code: codes[i], label, at: this.pointAt(i) ?? [-99, -99] };
		const key = (event) => {
			const by = { PageDown: 1, PageUp: -1 }[event.key];
			if (!by) return;
			event.preventDefault();
			this.selected = (i + by + n) % n;
			this.figure.render();
		};
		return { ...this.placeHandle(what, now(), now, (place) => this.movedPatch(i, place)), key };
	}

	movedPatch(i, place) {
		const { table, columns, state } = this.drawing.scene;
		return { data: movedPoint(state.data, table.kept?.[i] ?? i, columns, place) };
	}

	/** A press: what `strokeAt` returns follows the pointer by move(at, by) and end(). */
	press(event) {
		if (event.button !== 0 || !this.drawing) return;
		const start = pointerPlace(this.surface, event);
		const stroke = this.strokeAt(start, event);
		if (!stroke) return;
		event.preventDefault();
		stroke.move(start, [0, 0]);
		followPointer(this.surface, event, (by) => stroke.move([start[0] + by[0], start[1] - by[1]], by), stroke.end);
	}

	/** Move the point under the pointer, or ask about a place. */
	strokeAt(start, { pointerType }) {
		const { scene } = this.drawing;
		const [movesPoints, movesQuery] = ["points", "query"].map((name) => scene.state.move?.includes(name));
		const isNear = scene.layers.points && (movesPoints || movesQuery);
		const row = isNear ? this.nearestPoint(start, REACH_OF[pointerType] ?? REACH_OF.mouse) : -1;
		if (row >= 0) this.figure.tell("select", { row: scene.table.kept?.[row] ?? row });
		if (row >= 0 && movesPoints) return this.dragOf(row, movesQuery);
		const ask = (at) => this.figure.move(this.queryPatch(this.place(...at)));
		return movesQuery ? { move: ask, end: () => this.figure.settle() } : null;
	}

	queryPatch(place) {
		const { hidden } = this.drawing.scene;
		return { query: place.map((value, i) => (hidden[i] ? (this.figure.state.query?.[i] ?? value) : value)) };
	}

	/** A drag of a point; a click puts the query there. */
	dragOf(row, movesQuery) {
		this.selected = row;
		const move = (at, by) => {
			if (this.moving < 0 && Math.hypot(...by) < TREMBLE) return;
			this.moving = row;
			this.figure.move(this.movedPatch(row, this.place(...at)));
		};
		const end = () => {
			const { table, columns } = this.drawing.scene;
			if (this.moving < 0 && movesQuery) this.figure.move({ query: columns.map((column) => table.columns[column][row]) });
			this.moving = -1;
			this.figure.settle();
		};
		return { move, end };
	}

	nearestPoint([left, top], reach) {
		let [best, found] = [reach * reach, -1];
		for (let i = 0; i < this.drawing.x.length; i++) {
			const [x, y] = this.pointAt(i) ?? [Infinity, Infinity];
			const distance = (x - left) ** 2 + (y - top) ** 2;
			if (distance <= best) [best, found] = [distance, i];
		}
		return found;
	}
}
