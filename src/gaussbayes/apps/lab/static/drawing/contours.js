// Lines through grids: contours of a field, and the borders between labels.
//
// Both walk over the cells between four places of a grid, find where an edge of the cell is
// crossed, and join the pieces to lines. Coordinates are those of the data.

function frame({ x, y, width, height }) {
	return { width, height, left: x[0], bottom: y[0], across: (x[1] - x[0]) / (width - 1), along: (y[1] - y[0]) / (height - 1) };
}

class Pieces {
	constructor(grid) {
		this.grid = frame(grid);
		this.places = new Map();
		this.joined = [];
	}

	/** Edge between (column, row) and its right (side 0) or upper (side 1) neighbour. */
	edge(column, row, side, proportion) {
		const { width, left, bottom, across, along } = this.grid;
		const id = 2 * (row * width + column) + side;
		if (!this.places.has(id)) {
			const i = column + (side === 0 ? proportion : 0);
			const j = row + (side === 1 ? proportion : 0);
			this.places.set(id, [left + i * across, bottom + j * along]);
		}
		return id;
	}

	middle(column, row) {
		const { width, left, bottom, across, along } = this.grid;
		const id = -1 - (row * width + column);
		this.places.set(id, [left + (column + 0.5) * across, bottom + (row + 0.5) * along]);
		return id;
	}

	join(a, b) {
		this.joined.push(a, b);
	}

	lines() {
		const { joined, places } = this;
		const at = new Map();
		for (let i = 0; i < joined.length; i += 2) {
			for (const end of [joined[i], joined[i + 1]]) {
				if (at.has(end)) at.get(end).push(i);
				else at.set(end, [i]);
			}
		}
		const used = new Uint8Array(joined.length);
		const lines = [];
		const walk = (start) => {
			for (const first of at.get(start)) {
				if (used[first]) continue;
				const line = [places.get(start)];
				let end = start;
				let piece = first;
				while (piece !== undefined) {
					used[piece] = 1;
					end = joined[piece] === end ? joined[piece + 1] : joined[piece];
					line.push(places.get(end));
					const around = at.get(end);
					piece = around.length === 2 ? around.find((other) => !used[other]) : undefined;
				}
				lines.push(line);
			}
		};
		for (const [end, around] of at) if (around.length !== 2) walk(end);
		for (const end of at.keys()) walk(end);
		return lines;
	}
}

/** Lines along which a field has a level (marching squares, straight between places). */
export function contour(field, grid, level) {
	const { width, height } = grid;
	const pieces = new Pieces(grid);
	for (let row = 0; row + 1 < height; row++) {
		for (let column = 0; column + 1 < width; column++) {
			const i = row * width + column;
			const a = field[i] - level;
			const b = field[i + 1] - level;
			const c = field[i + width + 1] - level;
			const d = field[i + width] - level;
			const found = (a > 0) + 2 * (b > 0) + 4 * (c > 0) + 8 * (d > 0);
			if (found === 0 || found === 15 || !isFinite(a + b + c + d)) continue;
			const low = () => pieces.edge(column, row, 0, a / (a - b));
			const right = () => pieces.edge(column + 1, row, 1, b / (b - c));
			const top = () => pieces.edge(column, row + 1, 0, d / (d - c));
			const left = () => pieces.edge(column, row, 1, a / (a - d));
			const code = found > 7 ? 15 - found : found;
			if (code === 1) pieces.join(left(), low());
			else if (code === 2) pieces.join(low(), right());
			else if (code === 3) pieces.join(left(), right());
			else if (code === 4) pieces.join(right(), top());
			else if (code === 6) pieces.join(low(), top());
			else if (code === 7) pieces.join(left(), top());
			else saddle(pieces, found, a + b + c + d, { low, right, top, left });
		}
	}
	return pieces.lines();
}

/** Two opposite corners are above the level: the middle of the cell says how they join. */
function saddle(pieces, found, middle, { low, right, top, left }) {
	if ((found === 5) === middle > 0) {
		pieces.join(left(), top());
		pieces.join(low(), right());
	} else {
		pieces.join(left(), low());
		pieces.join(right(), top());
	}
}

/** A border divides an edge as the margins of its ends do: they are nought on it, and almost straight beside it. */
export function borders(labels, margin, grid) {
	const { width, height } = grid;
	const pieces = new Pieces(grid);
	const proportion = (i, j) => {
		if (!margin) return 0.5;
		const sum = margin[i] + margin[j];
		return sum > 0 && isFinite(sum) ? margin[i] / sum : 0.5;
	};
	for (let row = 0; row + 1 < height; row++) {
		for (let column = 0; column + 1 < width; column++) {
			const i = row * width + column;
			const a = labels[i];
			const b = labels[i + 1];
			const c = labels[i + width + 1];
			const d = labels[i + width];
			if (a === b && b === c && c === d) continue;
			const crossed = [];
			if (a !== b) crossed.push(pieces.edge(column, row, 0, proportion(i, i + 1)));
			if (b !== c) crossed.push(pieces.edge(column + 1, row, 1, proportion(i + 1, i + width + 1)));
			if (d !== c) crossed.push(pieces.edge(column, row + 1, 0, proportion(i + width, i + width + 1)));
			if (a !== d) crossed.push(pieces.edge(column, row, 1, proportion(i, i + width)));
			if (crossed.length === 2) pieces.join(crossed[0], crossed[1]);
			else {
				const middle = pieces.middle(column, row);
				for (const end of crossed) pieces.join(end, middle);
			}
		}
	}
	return pieces.lines();
}

/** A line with its corners cut: each place becomes the mean of its neighbours'. */
export function smoothed(line, reach = 4) {
	const closed = line.length > 3 && line[0] === line.at(-1);
	const last = line.length - (closed ? 1 : 0);
	return line.map((_, i) => {
		const room = closed ? reach : Math.min(reach, i, line.length - 1 - i);
		let x = 0;
		let y = 0;
		for (let step = -room; step <= room; step++) {
			const place = line[closed ? (i + step + last) % last : i + step];
			x += place[0];
			y += place[1];
		}
		return [x / (2 * room + 1), y / (2 * room + 1)];
	});
}

/** Levels below the highest value of one or several log densities, closer near the top. */
export function levelsOf(data, steps = [0.35, 0.8, 1.4, 2.2, 3.2, 4.5, 6.2, 8.5]) {
	let top = -Infinity;
	for (const value of data) if (value > top) top = value;
	return isFinite(top) ? steps.map((step) => top - step) : [];
}
