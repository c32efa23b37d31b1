// The evidence as plotly draws it: what the surface consists of, and its scene.

import { fitted } from "../drawing/axes.js";

const NAME = 240;
const CENTER = { x: 0, y: 0, z: -0.15 };

/** A mesh, whose colours change from corner to corner: a scale of colours would show third classes between two. */
export function traces(app, { arrays }) {
	const { evidence, joint } = arrays;
	const [k, height, width] = joint.shape;
	const x = Array.from(arrays.x.data);
	const y = Array.from(arrays.y.data);
	const z = Array.from(evidence.data);
	const { classes } = app.colours;
	const colours = Array.from(winners(joint.data, k, z.length), (code) => classes[code % classes.length]);
	const mesh = {
		type: "mesh3d",
		x: z.map((_, i) => x[i % width]),
		y: z.map((_, i) => y[Math.floor(i / width)]),
		z,
		...triangles(width, height),
		vertexcolor: colours,
		lighting: { ambient: 0.55, diffuse: 0.75, specular: 0.12, roughness: 0.7, facenormalsepsilon: 0, vertexnormalsepsilon: 0 },
		lightposition: { x: -2e4, y: -1e4, z: 3e4 },
		hovertemplate: "%{x:.3g}, %{y:.3g}: p(x) = %{z:.3g}<extra></extra>",
	};
	const rows = Array.from({ length: height }, (_, row) => z.slice(row * width, (row + 1) * width));
	const lines = {
		type: "surface",
		x,
		y,
		z: rows,
		hidesurface: true,
		showscale: false,
		hoverinfo: "skip",
		contours: { z: { show: true, usecolormap: false, color: app.colours.paper, width: 1.5 } },
	};
	return [mesh, lines];
}

function winners(joint, k, size) {
	return Uint8Array.from({ length: size }, (_, i) => {
		let best = 0;
		for (let code = 1; code < k; code++) if (joint[code * size + i] > joint[best * size + i]) best = code;
		return best;
	});
}

function triangles(width, height) {
	const found = { i: [], j: [], k: [] };
	for (let row = 0; row + 1 < height; row++) {
		for (let column = 0; column + 1 < width; column++) {
			const corner = row * width + column;
			found.i.push(corner, corner + 1);
			found.j.push(corner + 1, corner + width + 1);
			found.k.push(corner + width, corner + width);
		}
	}
	return found;
}

export function layout(app, eye) {
	const { ink, faint, paper } = app.colours;
	const [across, up] = app.data.pair.map((feature) => fitted(app.data.features[feature], NAME));
	const axis = (title) => ({
		title: { text: title },
		color: ink,
		gridcolor: faint,
		zerolinecolor: faint,
		backgroundcolor: paper,
		showspikes: false,
	});
	return {
		margin: { l: 0, r: 0, t: 0, b: 0 },
		paper_bgcolor: "rgba(0,0,0,0)",
		font: { color: ink, family: "system-ui, sans-serif", size: 12 },
		uirevision: "kept",
		scene: {
			xaxis: axis(across),
			yaxis: axis(up),
			zaxis: axis("p(x)"),
			aspectmode: "manual",
			aspectratio: { x: 1.25, y: 1, z: 0.7 },
			camera: { eye, center: CENTER },
		},
	};
}
