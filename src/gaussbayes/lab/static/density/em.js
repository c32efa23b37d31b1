// EM for missing values and missing labels. The objective is the likelihood of the observed data: Σ w log p(x, y) over
// labelled rows and Σ w log p(x) over others. E: expectations of missing data under the parameters. M: the maximum of
// the expected sums. Divisor, shrinkage and partial pooling act once, on the sums at the end.

import { accelerate } from "./anderson.js";
import { estimateCovariances } from "./covariance.js";
import { LOG_TWO_PI, logSumExp } from "./gaussian.js";
import { addProduct, cholesky, correlationOf, diagonalMatrix, dotProduct } from "./matrices.js";
import { factorise, mapMatrix, subMatrix, timesMatrix, totalOf } from "./matrices.js";
import { countCategories, proportionsOf } from "./moments.js";
import { readPriors } from "./model.js";
import { featureName } from "./table.js";

/**
 * The expected sums over all rows of a table (`readTable`), with settings of `fit`, from a model to start from or null;
 * also the log-likelihoods of all steps (`steps`) and the parameters without regularisation, from which EM can
 * continue.
 */
export function expectationMaximisation(table, settings, start) {
	const plain = { ...settings, shared: Number(settings.shared) === 1, shrinkage: null, divisor: "mle" };
	const first = startingState(table, plain, start?.maximum ?? start);
	const problem = { table, settings: plain, first, patterns: patternsOf(table) };
	const step = (vector) => {
		const state = stateOf(vector, problem);
		const { sums, objective } = expectedSums(state, problem);
		const following = maximalState(sums, problem);
		return { sums, objective, following, noise: state.noise, image: vectorOf(following, problem) };
	};
	const vector = vectorOf(first, problem);
	const result = (sums, steps, { anchors, offsets, covariances, priors, tables }) => {
		const probabilities = tables.map((rows, q) => ({ levels: table.levels[q], table: rows }));
		return { sums, steps, maximum: { ...table, anchors, offsets, covariances, priors, probabilities } };
	};
	if (settings.iterations === undefined) {
		const { last, objectives } = accelerate(step, vector);
		return result(last.sums, objectives, last.following);
	}
	const scatters = first.covariances.map((covariance, c) => mapMatrix(covariance, (value) => value * first.weights[c]));
	const counts = first.tables.map((rows) => mapMatrix(rows, (value, c) => value * first.weights[c]));
	let [sums, state] = [{ moments: { ...first, scatters }, counts }, first];
	for (const steps = []; ; ) {
		const here = step(vectorOf(state, problem));
		if (steps.push(here.objective) > settings.iterations) return result(sums, steps, state);
		[sums, state] = [here.sums, here.following];
	}
}

/** Rows grouped by their observed features. */
function patternsOf({ numbers }) {
	const patterns = new Map();
	numbers.forEach((row, i) => {
		const columns = row.map((_, j) => j);
		const [seen, hidden] = [false, true].map((absent) => columns.filter((j) => Number.isNaN(row[j]) === absent));
		if (!patterns.has(seen.join())) patterns.set(seen.join(), { seen, hidden, rows: [] });
		patterns.get(seen.join()).rows.push(i);
	});
	return [...patterns.values()];
}

// The start of EM: the parameters of a model, or the means and variances of the rows with each feature.

function startingState(table, settings, start) {
	const { numbers, targets, weights, classes, numeric } = table;
	const known = start?.classes.length === classes.length && start.numeric.length === numeric.length ? start : null;
	const having = (j, isIn) => numbers.map((_, i) => i).filter((i) => isIn(targets[i]) && !Number.isNaN(numbers[i][j]));
	const moments = classes.map((label, c) => numeric.map((column, j) => {
		const which = having(j, (target) => target === c);
		if (!which.length) throw new Error(`class ${label} has no labelled row with a value of ${featureName(settings, column)}`);
		return valueMoments(table, which, j);
	}));
	const anchors = moments.map((row) => row.map(({ anchor }) => anchor));
	const own = classes.map((_, c) => totalOf(weights.filter((_, i) => targets[i] === c)));
	const state = { weights: own, anchors, tables: startingTables(table, settings, known) };
	if (known) {
		const offsets = mapMatrix(anchors, (anchor, c, j) => known.anchors[c][j] - anchor + known.offsets[c][j]);
		const covariances = known.covariances.map((own) => (settings.shared ? known.covariances[0] : [...own]));
		return { ...state, priors: settings.priors ? readPriors(settings.priors, classes) : known.priors, offsets, covariances };
	}
	// A variance of 0 is replaced by that within all classes, or of all rows, if unlabelled rows may increase it.
	const variance = (cells) => totalOf(cells.map(({ square }) => square)) / totalOf(cells.map(({ weight }) => weight));
	const spread = numeric.map((_, j) => {
		if (!targets.includes(-1)) return 0;
		return variance(moments.map((row) => row[j])) || variance([valueMoments(table, having(j, () => true), j)]);
	});
	const diagonal = (group) => diagonalMatrix(numeric.map((_, j) => {
		return variance(settings.covariance === "spherical" ? group.flat() : group.map((row) => row[j])) || spread[j];
	}));
	const pooled = diagonal(moments);
	const covariances = moments.map((row) => (settings.shared ? pooled : diagonal([row])));
	const offsets = moments.map((row) => row.map(({ offset }) => offset));
	return { ...state, priors: readPriors(settings.priors, classes, own), offsets, covariances };
}

function valueMoments({ numbers, weights }, which, j) {
	const anchor = numbers[which[0]][j];
	const sum = (f) => totalOf(which.map((i) => weights[i] * f(numbers[i][j] - anchor)));
	const weight = sum(() => 1);
	const offset = sum((value) => value) / weight;
	return { anchor, weight, offset, square: sum((value) => (value - offset) ** 2) };
}

/** Probabilities with one more row in each class, an average of all rows: EM would never leave a probability of 0. */
function startingTables(table, settings, known) {
	const everywhere = countCategories({ ...table, targets: table.targets.map(() => 0), classes: [0] });
	return countCategories(table).map((count, q) => mapMatrix(count, (value, c, m) => {
		const [overall, part, total] = [everywhere[q][0], known?.probabilities[q], totalOf(everywhere[q][0])];
		const before = part && total * (part.table[c][part.levels.indexOf(table.levels[q][m])] ?? 0);
		return (before ?? value + settings.smoothing) + overall[m] / Math.max(1, total);
	}).map(proportionsOf));
}

// Parameters as a vector of free numbers: logarithms of priors, means in standard deviations, Cholesky factors with
// logarithms in the diagonal, and 2 √p of categories.

const unitsOf = ({ covariances }) => covariances.map((covariance) => covariance.map((row, j) => Math.sqrt(row[j])));

function vectorOf({ priors, offsets, covariances, tables }, { first, table, settings }) {
	const units = unitsOf(first);
	const triangles = [...new Set(covariances)].map((covariance, c) => {
		const lower = cholesky(correlationOf(covariance));
		if (!lower) throw noMaximum(table, settings, c);
		return lower.map((row, i) => row.slice(0, i + 1).map((value, j) => {
			const scaled = (value * Math.sqrt(covariance[i][i])) / units[c][i];
			return i === j ? Math.log(scaled) : scaled;
		}));
	});
	const means = mapMatrix(offsets, (value, c, j) => value / units[c][j]);
	return [priors.map(Math.log), means, triangles, tables.flat(2).map((value) => 2 * Math.sqrt(value))].flat(3);
}

function stateOf(vector, { first, table, settings }) {
	let at = 0;
	const [next, units] = [() => vector[at++], unitsOf(first)];
	const logs = table.classes.map(next);
	const priors = settings.priors ? first.priors : proportionsOf(logs.map((value) => Math.exp(value - Math.max(...logs))));
	const offsets = mapMatrix(first.offsets, (_, c, j) => next() * units[c][j]);
	let noise = 8 * Number.EPSILON;
	const matrices = [...new Set(first.covariances)].map((covariance, c) => {
		const lower = mapMatrix(covariance, (_, i, j) => (j > i ? 0 : j < i ? next() : Math.exp(next())));
		const matrix = mapMatrix(lower, (_, i, j) => dotProduct(lower[i], lower[j]) * units[c][i] * units[c][j]);
		const { unexplained } = factorise(matrix);
		noise = Math.max(noise, (4 * lower.length * Number.EPSILON) / unexplained);
		if (unexplained > 1e-10 && matrix.every((row, i) => row[i] > 1e-24 * units[c][i] ** 2)) return matrix;
		throw noMaximum(table, settings, c);
	});
	const covariances = table.classes.map((_, c) => matrices[settings.shared ? 0 : c]);
	const tables = first.tables.map((rows) => mapMatrix(rows, () => next() ** 2).map(proportionsOf));
	return { priors, offsets, covariances, tables, noise };
}

function noMaximum({ classes }, { shared }, c) {
	const owner = shared ? "all classes" : `class ${classes[c]}`;
	return new Error(`the likelihood of the rows has no maximum: the covariance of ${owner} becomes singular`);
}

/** The M-step, without regularisation. */
function maximalState({ moments, counts }, { table, settings }) {
	const tables = counts.map((rows) => rows.map((row) => {
		const smooth = row.map((value) => value + settings.smoothing);
		return proportionsOf(totalOf(smooth) > 0 ? smooth : row.map((_, m) => totalOf(rows.map((other) => other[m]))));
	}));
	const priors = readPriors(settings.priors, table.classes, moments.weights);
	return { ...moments, priors, tables, covariances: estimateCovariances(moments, settings, table.classes) };
}

/** The E-step: sums over the rows with conditional expectations of missing values, and the log-likelihood. */
function expectedSums(state, { table, settings, patterns, first: { anchors } }) {
	const { numbers, codes, targets, weights, classes, numeric } = table;
	const none = numeric.map(() => 0);
	const total = classes.map(() => 0);
	const sums = classes.map(() => [...none]);
	const products = classes.map(() => diagonalMatrix(none));
	const counts = state.tables.map((rows) => mapMatrix(rows, () => 0));
	const logTables = state.tables.map((rows) => mapMatrix(rows, Math.log));
	let objective = settings.smoothing ? settings.smoothing * totalOf(logTables.flat(2)) : 0;
	for (const { seen, hidden, rows } of patterns) {
		const conditionals = new Map(state.covariances.map((covariance) => [covariance, null]));
		for (const covariance of conditionals.keys()) conditionals.set(covariance, conditionalOf(covariance, seen, hidden));
		const before = [...total];
		for (const i of rows) {
			const possible = targets[i] >= 0 ? [targets[i]] : classes.map((_, c) => c);
			const completed = possible.map((c) => {
				const { factor, slope } = conditionals.get(state.covariances[c]);
				const apart = seen.map((j) => numbers[i][j] - anchors[c][j] - state.offsets[c][j]);
				const white = timesMatrix(factor.whitener, apart);
				const full = [...none];
				seen.forEach((j, a) => (full[j] = apart[a]));
				hidden.forEach((j, a) => (full[j] = dotProduct(slope[a], white)));
				const square = seen.length * LOG_TWO_PI + factor.logDeterminant + dotProduct(white, white);
				const discrete = totalOf(codes[i].map((m, q) => (m < 0 ? 0 : logTables[q][c][m])));
				return { c, full, joint: Math.log(state.priors[c]) + discrete - 0.5 * square };
			});
			const evidence = logSumExp(completed.map(({ joint }) => joint));
			if (!(evidence > -Infinity)) throw new Error("a row without a label has probability 0 in every class");
			objective += weights[i] * evidence;
			for (const { c, full, joint } of completed) {
				const weight = weights[i] * Math.exp(joint - evidence);
				total[c] += weight;
				full.forEach((value, j) => (sums[c][j] += weight * value));
				addProduct(products[c], full, weight);
				codes[i].forEach((m, q) => m >= 0 && (counts[q][c][m] += weight));
			}
		}
		classes.forEach((_, c) => {
			const { rest } = conditionals.get(state.covariances[c]);
			hidden.forEach((i, a) => hidden.forEach((j, b) => (products[c][i][j] += (total[c] - before[c]) * rest[a][b])));
		});
	}
	products.forEach((matrix, c) => addProduct(matrix, sums[c], -1 / total[c]));
	const offsets = mapMatrix(state.offsets, (value, c, j) => value + sums[c][j] / total[c]);
	return { objective, sums: { moments: { weights: total, anchors, offsets, scatters: products }, counts } };
}

/** Missing features, given the observed ones: mean + slope · (whitened deviations), covariance `rest`. */
function conditionalOf(covariance, seen, hidden) {
	const factor = factorise(subMatrix(covariance, seen));
	const slope = subMatrix(covariance, hidden, seen).map((row) => timesMatrix(factor.whitener, row));
	const rest = mapMatrix(subMatrix(covariance, hidden), (value, a, b) => value - dotProduct(slope[a], slope[b]));
	return { factor, slope, rest };
}
