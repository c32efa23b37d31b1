// A model whose posteriors Python computed on a grid of two features: it has labels and posteriors, and nothing else.

/**
 * The part of a model that a grid gives.
 * @param {object} grid pairs, classes and reason; posteriors (base64, Float32) are class by class, row by row from the lowest y
 * @param {number[]} columns the two features that are shown
 */
export function gridModel({ pairs, classes, reason }, columns) {
	const pair = pairs[columns.join()];
	if (!pair) throw new Error("Python computed no posteriors for these two features.");
	const { x, y, width, height } = pair;
	const posterior = typeof pair.posterior === "string" ? decodedFloats(pair.posterior) : Float32Array.from(pair.posterior);
	const size = width * height;
	const cell = (value, [low, high], count) => Math.min(Math.max(Math.floor(((value - low) / (high - low)) * count), 0), count - 1);
	const at = (row) => cell(row[1], y, height) * width + cell(row[0], x, width);
	const posteriorAt = (place) => classes.map((_, c) => posterior[c * size + place]);
	const best = (values) => values.indexOf(Math.max(...values));
	const label = Uint16Array.from({ length: size }, (_, place) => best(posteriorAt(place)));
	return {
		classes, reason, numeric: [0, 1], categorical: [], factors: null, means: [], covariances: [], priors: [],
		grid: { x, y, width, height, k: classes.length, posterior, label, logEvidence: null },
		posterior: (row) => {
			if (row.includes(null)) throw new Error("A grid has no posterior where a feature is missing.");
			return posteriorAt(at(row));
		},
		label: (row) => label[at(row)],
	};
}

const decodedFloats = (text) => new Float32Array(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer);
