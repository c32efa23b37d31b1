// Regions and zones: grids from the server turned into small images, drawn stretched.

function sized(canvas, width, height) {
	if (canvas.width !== width || canvas.height !== height) {
		canvas.width = width;
		canvas.height = height;
	}
	return canvas.getContext("2d", { willReadFrequently: false });
}

export class Regions {
	constructor() {
		this.image = document.createElement("canvas");
		this.mask = document.createElement("canvas");
		this.zone = document.createElement("canvas");
		this.pixels = null;
		this.bounds = null;
	}

	/** Read the grids of a scene into an image, its uppermost row first; keep the old one if told. */
	take(answer, mode, colours, keep) {
		const { label, posterior } = answer.arrays;
		const { x, y, width, height } = answer.request.view;
		const grid = mode === "blend" ? posterior : mode === "hard" ? label : null;
		if (!grid && keep) return;
		this.bounds = cellBounds(x, y, width, height);
		this.filled = false;
		if (!grid) return;
		const context = sized(this.image, width, height);
		if (this.pixels?.width !== width || this.pixels?.height !== height) {
			this.pixels = context.createImageData(width, height);
			this.words = new Uint32Array(this.pixels.data.buffer);
		}
		if (mode === "blend") blend(grid, colours.regions, this.words, width, height);
		else flat(grid.data, colours.regions, this.words, width, height);
		context.putImageData(this.pixels, 0, 0);
		this.filled = true;
	}

	draw(context, view) {
		if (!this.filled) return;
		context.imageSmoothingEnabled = true;
		place(context, this.image, this.bounds, view);
	}

	hatch(context, view, grid, pattern) {
		const [height, width] = grid.shape;
		const mask = sized(this.mask, width, height);
		const image = mask.createImageData(width, height);
		const words = new Uint32Array(image.data.buffer);
		for (let row = 0; row < height; row++) {
			const from = (height - 1 - row) * width;
			for (let i = 0; i < width; i++) {
				words[row * width + i] = grid.data[from + i] ? 0xff000000 : 0;
			}
		}
		mask.putImageData(image, 0, 0);
		const zone = sized(this.zone, context.canvas.width, context.canvas.height);
		const ratio = this.zone.width / view.width;
		zone.setTransform(1, 0, 0, 1, 0, 0);
		zone.clearRect(0, 0, this.zone.width, this.zone.height);
		zone.setTransform(ratio, 0, 0, ratio, 0, 0);
		zone.globalCompositeOperation = "source-over";
		place(zone, this.mask, this.bounds, view);
		zone.globalCompositeOperation = "source-in";
		zone.fillStyle = zone.createPattern(pattern, "repeat");
		zone.fillRect(0, 0, view.width, view.height);
		context.drawImage(this.zone, 0, 0, view.width, view.height);
	}
}

/** A tile of slanted lines; the two kinds of zone slant to opposite sides. */
export function hatching(colour, rising) {
	const tile = document.createElement("canvas");
	tile.width = tile.height = 9;
	const context = tile.getContext("2d");
	context.strokeStyle = colour;
	context.lineWidth = 1.2;
	context.lineCap = "square";
	for (const shift of [-9, 0, 9]) {
		context.moveTo(shift, rising ? 9 : 0);
		context.lineTo(shift + 9, rising ? 0 : 9);
	}
	context.stroke();
	return tile;
}

function cellBounds(x, y, width, height) {
	const across = (x[1] - x[0]) / (width - 1) / 2;
	const along = (y[1] - y[0]) / (height - 1) / 2;
	return { x: [x[0] - across, x[1] + across], y: [y[0] - along, y[1] + along] };
}

function place(context, image, { x, y }, view) {
	const [left, top] = view.toPixel(x[0], y[1]);
	const [right, bottom] = view.toPixel(x[1], y[0]);
	context.drawImage(image, left, top, right - left, bottom - top);
}

function flat(labels, colours, words, width, height) {
	const palette = Uint32Array.from(colours, ([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r);
	for (let row = 0; row < height; row++) {
		const from = (height - 1 - row) * width;
		const to = row * width;
		for (let i = 0; i < width; i++) words[to + i] = palette[labels[from + i] % palette.length];
	}
}

function blend({ data, shape }, colours, words, width, height) {
	const [count] = shape;
	const size = width * height;
	for (let row = 0; row < height; row++) {
		const from = (height - 1 - row) * width;
		const to = row * width;
		for (let i = 0; i < width; i++) {
			let total = 0;
			let red = 0;
			let green = 0;
			let blue = 0;
			for (let c = 0, at = from + i; c < count; c++, at += size) {
				const proportion = data[at];
				if (proportion === 0) continue;
				const colour = colours[c % colours.length];
				total += proportion;
				red += proportion * colour[0];
				green += proportion * colour[1];
				blue += proportion * colour[2];
			}
			if (total === 0) total = 1;
			words[to + i] =
				(255 << 24) |
				(((blue / total) | 0) << 16) |
				(((green / total) | 0) << 8) |
				((red / total) | 0);
		}
	}
}
