// A model whose posteriors Python computed on a grid of two features: it has labels and posteriors, and nothing else.

/**
 * The part of a model that a grid gives.
 * @param {{pairs: object, classes: Array, reason: string}} grid posteriors in base64, Float32, class by class, row by row from the lowest y
 * @param {number[]} columns the two features that are shown
 */
export function gridModel({ pairs, classes, reason }, columns) {
	const pair = pairs[columns.join()] ?? null;
	if (!pair) throw new Error("Python computed no posteriors for these two features.");
	const { x, y, width, height } = pair;
	const posterior = typeof pair.posterior === "string" ? decodeFloats(pair.posterior) : Float32Array.from(pair.posterior);
	const size = width * height;
	const at = (row) => {
		const i = Math.floor(((row[0] - x[0]) / (x[1] - x[0])) * width);
		const j = Math.floor(((row[1] - y[0]) / (y[1] - y[0])) * height);
		return Math.min(Math.max(j, 0), height - 1) * width + Math.min(Math.max(i, 0), width - 1);
	};
	const posteriorAt = (row) => {
		if (row.includes(null)) throw new Error("A grid has no posterior where a feature is missing.");
		const place = at(row);
		return classes.map((_, c) => posterior[c * size + place]);
	};
	const best = (values) => values.indexOf(Math.max(...values));
	const label = Uint16Array.from({ length: size }, (_, i) => best(classes.map((_, c) => posterior[c * size + i])));
	return {
		classes, reason, numeric: [0, 1], categorical: [], factors: null, means: [], covariances: [], priors: [],
		grid: { x, y, width, height, k: classes.length, posterior, label, logEvidence: null },
		posterior: posteriorAt,
		label: (row) => label[at(row)],
	};
}

function decodeFloats(text) {
	const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
	return new Float32Array(bytes.buffer);
}
