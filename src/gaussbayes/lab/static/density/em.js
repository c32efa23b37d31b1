// EM for missing values and missing labels. What is maximised is the likelihood of what is there: Σ w log p(x, y) over
// labelled rows and Σ w log p(x) over others. E: what is missing is expected under the parameters. M: the maximum of the
// expected sums. Divisor, shrinkage and partial sharing act once, on the sums in the end.

import { accelerate } from "./anderson.js";
import { shaped } from "./covariance.js";
import { LOG_TWO_PI, logSumExp } from "./gaussian.js";
import { blendMatrices, cholesky, correlationOf, factorise, subMatrix, zeroMatrix } from "./matrices.js";
import { addProduct } from "./moments.js";
import { readPriors } from "./model.js";
import { featureName } from "./table.js";

const LEAST_UNEXPLAINED = 1e-10; // of a variance: below, the likelihood is on its way to no maximum

/**
 * The expected sums over all rows.
 * @param {object} table see `readTable`
 * @param {object} settings of `fit`
 * @param {object|null} start a model to start from
 * @returns {{sums: {moments: object, counts: number[][][]}, steps: number[]}} and the log-likelihoods on the way
 */
export function expectationMaximisation(table, settings, start) {
	const problem = { table, settings, patterns: patternsOf(table), ...featureMoments(table, settings) };
	const first = startingState(problem, start);
	const units = first.covariances.map((covariance) => covariance.map((row, i) => Math.sqrt(row[i])));
	const step = (vector) => {
		const state = stateOf(vector, first, units, problem);
		const expected = expectedSums(state, problem);
		const following = maximalState(expected, state, problem);
		return { image: vectorOf(following, units), sums: sumsOf(expected, following, problem), ...expected };
	};
	let vector = vectorOf(first, units);
	if (settings.iterations === undefined) {
		const { last, objectives } = accelerate(step, vector);
		return { sums: last.sums, steps: objectives };
	}
	const steps = [];
	let sums = sumsOf(null, first, problem);
	for (let n = 0; ; n++) {
		const here = step(vector);
		steps.push(here.objective);
		if (n >= settings.iterations) return { sums, steps };
		[vector, sums] = [here.image, here.sums];
	}
}

/** Rows that have the same features, together. */
function patternsOf({ numbers }) {
	const patterns = new Map();
	numbers.forEach((row, i) => {
		const seen = row.map((_, j) => j).filter((j) => !Number.isNaN(row[j]));
		const key = seen.join();
		if (!patterns.has(key)) {
			patterns.set(key, { seen, hidden: row.map((_, j) => j).filter((j) => !seen.includes(j)), rows: [] });
		}
		patterns.get(key).rows.push(i);
	});
	return [...patterns.values()];
}

/** Means and sums of squares of each class and feature over the labelled rows that have a value of it. */
function featureMoments({ numbers, targets, weights, classes, numeric }, settings) {
	const byFeature = (visit) => classes.map((_, c) => numeric.map((column, j) => visit(c, j, column)));
	const having = (c, j) => numbers.map((_, i) => i).filter((i) => targets[i] === c && !Number.isNaN(numbers[i][j]));
	const rows = byFeature((c, j, column) => {
		const which = having(c, j);
		if (which.length) return which;
		throw new Error(`class ${classes[c]} has no labelled row with a value of ${featureName(settings, column)}`);
	});
	const sum = (which, value) => which.reduce((total, i) => total + weights[i] * value(i), 0);
	const anchors = byFeature((c, j) => numbers[rows[c][j][0]][j]);
	const observed = byFeature((c, j) => sum(rows[c][j], () => 1));
	const offsets = byFeature((c, j) => sum(rows[c][j], (i) => numbers[i][j] - anchors[c][j]) / observed[c][j]);
	const squares = byFeature((c, j) => sum(rows[c][j], (i) => (numbers[i][j] - anchors[c][j] - offsets[c][j]) ** 2));
	return { anchors, observed, offsets, squares };
}

function startingState(problem, start) {
	const { table, settings, anchors, observed, offsets, squares } = problem;
	const { classes, numeric, targets, weights } = table;
	const known = start && start.classes.length === classes.length && start.numeric.length === numeric.length ? start : null;
	const total = classes.map((_, c) => weights.reduce((sum, weight, i) => sum + (targets[i] === c ? weight : 0), 0));
	const state = {
		priors: known?.priors ?? readPriors(settings.priors, classes, total),
		offsets: known ? anchors.map((anchor, c) => anchor.map((value, j) => known.anchors[c][j] - value + known.offsets[c][j])) : offsets,
		tables: startingTables(table, settings, known),
		weights: total,
	};
	if (known) return { ...state, covariances: settings.shared === true ? [known.covariances[0]] : known.covariances };
	// Without correlations; where rows of a class do not vary, as all rows do if there are unlabelled ones.
	const add = (rows) => rows.reduce((sum, row) => sum.map((value, j) => value + row[j]));
	const shared = Number(settings.shared) === 1;
	const within = add(squares).map((square, j) => square / add(observed)[j]);
	const spread = targets.includes(-1) ? within.map((variance, j) => variance || overallVariance(table, j)) : within.map(() => 0);
	const diagonal = (square, weight) => {
		const matrix = zeroMatrix(numeric.length);
		numeric.forEach((_, j) => (matrix[j][j] = square[j] / weight[j] || spread[j]));
		if (settings.covariance !== "spherical") return matrix;
		const mean = add([square]).reduce((sum, value) => sum + value, 0) / weight.reduce((sum, value) => sum + value, 0);
		return matrix.map((row, i) => row.map((value, j) => (i === j ? mean || spread[j] : 0)));
	};
	const covariances = shared ? [diagonal(add(squares), add(observed))] : squares.map((square, c) => diagonal(square, observed[c]));
	return { ...state, covariances };
}

function overallVariance({ numbers, weights }, j) {
	const which = numbers.map((_, i) => i).filter((i) => !Number.isNaN(numbers[i][j]));
	const sum = (value) => which.reduce((total, i) => total + weights[i] * value(numbers[i][j] - numbers[which[0]][j]), 0);
	const mean = sum((value) => value) / sum(() => 1);
	return sum((value) => (value - mean) ** 2) / sum(() => 1);
}

/** Probabilities with one more row in each class, as are all rows together: EM would never leave a probability of 0. */
function startingTables({ codes, targets, weights, levels, classes }, settings, known) {
	return levels.map((column, q) => {
		const overall = column.map((_, m) => weights.reduce((sum, weight, i) => sum + (codes[i][q] === m ? weight : 0), 0));
		const total = Math.max(1, overall.reduce((sum, value) => sum + value, 0));
		return classes.map((_, c) => {
			const counts = column.map((level, m) => {
				const at = known ? known.probabilities[q].levels.indexOf(level) : -1;
				if (known) return at < 0 ? 0 : total * known.probabilities[q].table[c][at];
				return weights.reduce((sum, weight, i) => sum + (targets[i] === c && codes[i][q] === m ? weight : 0), settings.smoothing);
			});
			return proportions(counts.map((count, m) => count + overall[m] / total));
		});
	});
}

function proportions(values) {
	const total = values.reduce((sum, value) => sum + value, 0);
	return values.map((value) => value / total);
}

// Parameters as a vector of free numbers: logarithms of priors, means in standard deviations, Cholesky factors with
// logarithms in the diagonal, and 2 √p of categories.

function vectorOf({ priors, offsets, covariances, tables }, units) {
	const vector = priors.map(Math.log);
	offsets.forEach((row, c) => row.forEach((value, j) => vector.push(value / units[Math.min(c, units.length - 1)][j])));
	covariances.forEach((covariance, m) => {
		const lower = cholesky(correlationOf(covariance));
		if (!lower) throw new Error("the likelihood of the rows has no maximum: a covariance becomes singular");
		lower.forEach((row, i) => {
			const scale = Math.sqrt(covariance[i][i]) / units[m][i];
			for (let j = 0; j <= i; j++) vector.push(i === j ? Math.log(row[i] * scale) : row[j] * scale);
		});
	});
	for (const table of tables) for (const row of table) for (const value of row) vector.push(2 * Math.sqrt(value));
	return vector;
}

function stateOf(vector, { offsets, covariances, tables, weights }, units, { table, settings }) {
	let at = 0;
	const next = () => vector[at++];
	const logs = table.classes.map(next);
	const priors = settings.priors ? readPriors(settings.priors, table.classes, null) : proportions(logs.map((value) => Math.exp(value - Math.max(...logs))));
	const state = { weights, priors };
	state.offsets = offsets.map((row, c) => row.map((_, j) => next() * units[Math.min(c, units.length - 1)][j]));
	state.covariances = covariances.map((covariance, m) => {
		const lower = covariance.map((row, i) => row.map((_, j) => (j > i ? 0 : i === j ? Math.exp(next()) : next())));
		const product = (i, j) => lower[i].reduce((sum, value, n) => sum + value * lower[j][n], 0);
		const matrix = covariance.map((row, i) => row.map((_, j) => product(i, j) * units[m][i] * units[m][j]));
		const collapsed = matrix.findIndex((row, i) => !(row[i] > 1e-24 * units[m][i] ** 2));
		if (collapsed >= 0 || !(factorise(matrix).unexplained > LEAST_UNEXPLAINED)) {
			const owner = covariances.length > 1 ? `class ${table.classes[m]}` : "the classes";
			throw new Error(`the likelihood of the rows has no maximum: the covariance of ${owner} becomes singular`);
		}
		return matrix;
	});
	state.tables = tables.map((rows) => rows.map((row) => proportions(row.map(() => next() ** 2))));
	return state;
}

/** The E-step: weights, sums and products of completed deviations from the means, and counts, by class. */
function expectedSums({ priors, offsets, covariances, tables }, { table, settings, patterns, anchors }) {
	const { numbers, codes, targets, weights, classes, numeric } = table;
	const k = classes.length;
	const d = numeric.length;
	const total = new Array(k).fill(0);
	const first = classes.map(() => new Array(d).fill(0));
	const second = classes.map(() => zeroMatrix(d));
	const counts = tables.map((rows) => rows.map((row) => row.map(() => 0)));
	const logTables = tables.map((rows) => rows.map((row) => row.map(Math.log)));
	const logPriors = priors.map(Math.log);
	const everyone = classes.map((_, c) => c);
	let [objective, noise] = [0, 0];
	for (const row of settings.smoothing ? logTables.flat(2) : []) objective += settings.smoothing * row;
	for (const { seen, hidden, rows } of patterns) {
		const conditionals = covariances.map((covariance) => conditionalOf(covariance, seen, hidden));
		const absent = new Array(k).fill(0);
		for (const i of rows) {
			const some = targets[i] >= 0 ? [targets[i]] : everyone;
			const completed = some.map((c) => {
				const { factor, slope } = conditionals[Math.min(c, conditionals.length - 1)];
				const apart = seen.map((j) => numbers[i][j] - anchors[c][j] - offsets[c][j]);
				const white = factor.whitener.map((row, a) => row.reduce((sum, value, b) => (b <= a ? sum + value * apart[b] : sum), 0));
				const full = new Array(d);
				let joint = logPriors[c] - 0.5 * (seen.length * LOG_TWO_PI + factor.logDeterminant);
				for (const value of white) joint -= 0.5 * value * value;
				codes[i].forEach((m, q) => (joint += m >= 0 ? logTables[q][c][m] : 0));
				seen.forEach((j, a) => (full[j] = apart[a]));
				hidden.forEach((j, a) => (full[j] = slope[a].reduce((sum, value, b) => sum + value * white[b], 0)));
				return { c, full, joint };
			});
			const evidence = logSumExp(completed.map(({ joint }) => joint));
			if (!(evidence > -Infinity)) throw new Error("a row without a label has probability 0 in every class");
			objective += weights[i] * evidence;
			for (const { c, full, joint } of completed) {
				const weight = weights[i] * Math.exp(joint - evidence);
				total[c] += weight;
				absent[c] += weight;
				for (let j = 0; j < d; j++) first[c][j] += weight * full[j];
				addProduct(second[c], full, weight);
				codes[i].forEach((m, q) => m >= 0 && (counts[q][c][m] += weight));
			}
		}
		absent.forEach((weight, c) => {
			const { rest } = conditionals[Math.min(c, conditionals.length - 1)];
			hidden.forEach((j, a) => hidden.forEach((m, b) => (second[c][j][m] += weight * rest[a][b])));
		});
	}
	for (const covariance of covariances) noise = Math.max(noise, (4 * d * Number.EPSILON) / factorise(covariance).unexplained);
	return { total, first, second, counts, objective, noise: Math.max(noise, 8 * Number.EPSILON) };
}

/** Features that are not seen, given those that are: mean + slope · (whitened deviations), covariance `rest`. */
function conditionalOf(covariance, seen, hidden) {
	const factor = factorise(subMatrix(covariance, seen));
	if (!factor.whitener) throw new Error("the likelihood of the rows has no maximum: a covariance becomes singular");
	const across = subMatrix(covariance, hidden, seen);
	const slope = across.map((row) => factor.whitener.map((line) => line.reduce((sum, value, j) => sum + value * row[j], 0)));
	const rest = hidden.map((i, a) =>
		hidden.map((j, b) => covariance[i][j] - slope[a].reduce((sum, value, n) => sum + value * slope[b][n], 0)),
	);
	return { factor, slope, rest };
}

/** The M-step, without anything that regularises. */
function maximalState({ total, first, second, counts }, { offsets }, { settings, table }) {
	const scatters = second.map((matrix, c) => {
		const centred = matrix.map((row) => [...row]);
		addProduct(centred, first[c], -1 / total[c]);
		return centred;
	});
	const all = total.reduce((sum, weight) => sum + weight, 0);
	const pooled = () => [shaped(scatters.reduce((sum, part) => blendMatrices(1, sum, 1, part)), all, settings.covariance)];
	const own = () => scatters.map((scatter, c) => shaped(scatter, total[c], settings.covariance));
	return {
		weights: total,
		scatters,
		priors: readPriors(settings.priors, table.classes, total),
		offsets: offsets.map((row, c) => row.map((value, j) => value + first[c][j] / total[c])),
		covariances: Number(settings.shared) === 1 ? pooled() : own(),
		tables: counts.map((rows) => rows.map((row, c) => {
			const smooth = row.map((value) => value + settings.smoothing);
			if (smooth.some((value) => value > 0)) return proportions(smooth);
			return proportions(row.map((_, m) => rows.reduce((sum, other) => sum + other[m], 0)));
		})),
	};
}

/** What a state says of the sums over rows, expected under it or, at the start, in proportion to it. */
function sumsOf(expected, { weights, offsets, scatters, covariances, tables }, { anchors }) {
	const spread = weights.map((weight, c) => covariances[Math.min(c, covariances.length - 1)].map((row) => row.map((value) => weight * value)));
	return {
		moments: { weights, anchors, offsets, scatters: scatters ?? spread },
		counts: expected?.counts ?? tables.map((rows) => rows.map((row, c) => row.map((value) => value * weights[c]))),
	};
}
