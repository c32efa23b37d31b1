// Compares what density.js computes with fixtures of density_fixtures.py; runs in Node and in a browser.

const RELATIVE = 1e-9;

/**
 * Every number that is not as it should be.
 * @param {object} density the module
 * @param {object[]} fixtures
 * @returns {{failures: string[], compared: number}}
 */
export function check(density, fixtures) {
	const record = { failures: [], compared: 0 };
	for (const fixture of fixtures) {
		const same = comparison(record, fixture.name);
		try {
			CHECKS[fixture.kind](density, fixture, same);
		} catch (error) {
			record.failures.push(`${fixture.name}: ${error.stack}`);
		}
	}
	return record;
}

/** Compare numbers, or arrays of them: equal to so much of a scale, by default of their size, 1 at least. */
function comparison(record, name) {
	const compare = (what, actual, expected, scale = (value) => Math.max(1, Math.abs(value)), relative = RELATIVE) => {
		if (Array.isArray(expected)) {
			if (actual?.length !== expected.length) {
				record.failures.push(`${name}: ${what} has length ${actual?.length}, not ${expected.length}`);
				return;
			}
			const part = (i) => (typeof scale === "object" ? scale[i] : scale);
			expected.forEach((value, i) => compare(`${what}[${i}]`, actual[i], value, part(i), relative));
			return;
		}
		record.compared += 1;
		const wanted = { inf: Infinity, "-inf": -Infinity }[expected] ?? expected;
		const size = typeof scale === "function" ? scale(wanted) : scale;
		if (actual === wanted || Math.abs(actual - wanted) <= relative * size) return;
		record.failures.push(`${name}: ${what} is ${actual}, not ${wanted}`);
	};
	return compare;
}

const absolute = () => 1;

const CHECKS = {
	fit(density, { rows, labels, options, answers, leaveOneOut }, same) {
		const model = density.fit(rows, labels, options);
		same("number of classes", model.classes.length, answers.classes.length);
		same("order of classes", answers.classes.map((label, c) => Number(model.classes[c] === label)), [1, 1, 1]);
		const deviations = answers.covariances.map((matrix) => matrix.map((line, j) => Math.sqrt(line[j])));
		same("priors", model.priors, answers.priors);
		// A mean is printed with the digits of a float: half a unit in the last place more.
		const meanScale = answers.means.map((mean, c) => mean.map((value, j) => deviations[c][j] + Math.abs(value) * 1e-6));
		same("means", model.means, answers.means, meanScale);
		const matrixScale = deviations.map((line) => line.map((a) => line.map((b) => a * b)));
		same("covariances", model.covariances, answers.covariances, matrixScale);
		same("correlations", model.correlations, answers.correlations);
		same("number of parameters", model.nParameters, answers.nParameters);
		answers.probabilities.forEach(({ levels, table }, q) => {
			const found = model.probabilities[q];
			same("number of levels", found.levels.length, levels.length);
			const at = levels.map((level) => found.levels.indexOf(level));
			same("probabilities", found.table.map((line) => at.map((m) => line[m])), table);
		});
		const each = (f) => answers.queries.map(f);
		same("posteriors", each(model.posterior), answers.posterior);
		for (const name of ["logPosterior", "logLikelihood", "logJoint", "logEvidence", "squaredDistance"]) {
			same(name, each(model[name]), answers[name]);
		}
		same("labels", each(model.label), answers.labels);
		same("log-odds", each((row) => model.logOdds(row, 1, 0)), answers.logJoint.map(([a, b]) => odds(b, a)));
		const seen = (row) => model.numeric.filter((column) => row[column] !== null).length;
		const values = each((row, i) => answers.squaredDistance[i].map((square) => (seen(row) ? density.chiSquare(square, seen(row)) : 1)));
		same("p-values", values, answers.pValues);
		const loss = density.negativeLogLikelihood(model, rows, labels, options.weights);
		same("negative log-likelihood", [loss.labels, loss.features, loss.total], answers.negativeLogLikelihood);
		for (const [at, [base, contributions]] of answers.explained) {
			const found = density.shapley(model, answers.queries[at], 1, 0);
			same("log-odds at the reference", found.base, base);
			same("contributions", found.contributions, contributions);
		}
		const two = model.marginal([2, 0]);
		same("marginal", each((row) => two.posterior([row[2], row[0]])), answers.marginal);
		const other = model.withPriors([0.1, 0.2, 0.7]);
		same("other priors", each(other.posterior), answers.reweighted);
		if (leaveOneOut) {
			const found = density.leaveOneOut(rows, labels, options);
			same("held-out posteriors", leaveOneOut.rows.map((i) => found.posterior[i]), leaveOneOut.posterior);
			same("held-out errors", found.errors, leaveOneOut.errors);
			same("held-out rows", found.n, leaveOneOut.rows.length);
		}
		if (model.steps.length) checkSteps(density, model, rows, labels, options, same);
	},

	given(density, { parameters, queries, posterior, logJoint, nParameters }, same) {
		const model = density.fromParameters(parameters);
		same("posterior", queries.map(model.posterior), posterior);
		same("log joint", queries.map(model.logJoint), logJoint);
		same("number of parameters", model.nParameters, nParameters);
		checkSample(density, model, same);
	},

	line(density, { parameters, boundaries, bayesError, unit }, same) {
		const model = density.fromParameters(parameters);
		for (const [a, b, position] of boundaries) {
			const roots = density.lineBoundaries(model, Math.min(a, b), Math.max(a, b));
			const nearest = roots.reduce((best, root) => (Math.abs(root - position) < Math.abs(best - position) ? root : best), Infinity);
			same("boundary", nearest, position, () => unit + Math.abs(position) * 1e-6);
			same("sorted", roots, [...roots].sort((p, q) => p - q));
		}
		same("Bayes error", density.bayesError(model), bayesError, (value) => value);
	},

	plane(density, { rows, labels, options, window, posterior, logEvidence, covariances, equations, bayesError }, same) {
		const model = density.fit(rows, labels, options);
		const { width, height } = window;
		const k = model.classes.length;
		let grid = density.posteriorGrid(model, window);
		grid = density.posteriorGrid(model, window, grid);
		const points = posterior.map((_, at) => at);
		const found = points.map((at) => model.classes.map((_, c) => grid.posterior[c * width * height + at]));
		same("posteriors of pixels", found, posterior, absolute, 2e-7);
		same("log evidence of pixels", points.map((at) => grid.logEvidence[at]), logEvidence, undefined, 1e-6);
		const best = (values) => values.indexOf(Math.max(...values));
		same("labels of pixels", points.map((at) => grid.label[at]), posterior.map(best));
		const codes = Int32Array.from(labels, (label) => model.classes.indexOf(label));
		const [x, y] = [0, 1].map((j) => Float64Array.from(rows, (row) => row[j]));
		const plain = density.planeFit(x, y, codes, k, options);
		same("covariances of points", plain.covariances, covariances);
		const quick = density.fromParameters({ classes: model.classes, ...plain });
		same("posterior of points", quick.posterior(rows[0]), model.posterior(rows[0]));
		checkCurves(density, grid, equations, posterior.map(best), same);
		checkContours(density, grid, model, same);
		same("Bayes error", density.bayesError(model), bayesError[0], () => bayesError[1], 1);
	},

	bayesError(density, { parameters, bayesError }, same) {
		same("Bayes error", density.bayesError(density.fromParameters(parameters)), bayesError, absolute);
	},

	neighbours(density, { rows, labels, k, queries, vote }, same) {
		const model = density.neighbours(rows, labels, k);
		same("votes", queries.map(model.vote), vote);
		same("nearest", model.nearest(rows[3])[0] === 3 ? 1 : 0, 1);
	},

	logistic(density, { rows, labels, penalty, queries, posterior }, same) {
		same("posteriors", queries.map(density.logisticRegression(rows, labels, { penalty }).posterior), posterior);
	},

	confusion(density, { rows, labels, matrix }, same) {
		same("confusion", density.confusion(density.fit(rows, labels), rows, labels), matrix);
	},

	leaveOneOut(density, { rows, labels, posterior }, same) {
		same("held-out posteriors", density.leaveOneOut(rows, labels).posterior, posterior);
	},

	classes(density, { cases }, same) {
		for (const [labels, sorted] of cases) {
			const rows = [...labels, ...labels].map((_, i) => [i]);
			const { classes } = density.fit(rows, [...labels, ...labels], { shared: true });
			same("order", sorted.map((label, c) => Number(classes[c] === label)), sorted.map(() => 1));
		}
	},

	chiSquare(density, { cases }, same) {
		for (const [square, degrees, value] of cases) {
			same(`P(χ²_${degrees} ≥ ${square})`, density.chiSquare(square, degrees), value, (wanted) => wanted);
		}
	},

	gaussian(density, { mean, covariance, x, logDensity, cholesky }, same) {
		same("log density", density.logGaussian(mean, covariance, x), logDensity);
		same("density", density.gaussianDensity(mean, covariance, x), Math.exp(logDensity));
		same("factor", density.cholesky(covariance), cholesky);
		same("log of a sum", density.logSumExp([-1000, -1000, -Infinity]), -1000 + Math.log(2));
	},

	ellipse(density, { mean, covariance, units, points, lengths }, same) {
		same("points", density.ellipse(mean, covariance, 2, points.length), points, points.map(() => units));
		const axes = density.ellipseAxes(covariance, units);
		const scaled = axes.map((axis) => axis.map((value, j) => value / units[j]));
		same("lengths of axes", scaled.map((axis) => Math.hypot(...axis)), lengths);
		same("right angle", scaled[0][0] * scaled[1][0] + scaled[0][1] * scaled[1][1], 0);
		same("the covariance again", density.covarianceOf(axes), covariance, covariance.map((_, i) => units.map((unit) => unit * units[i])));
	},

	error(density, { rows, labels, options, words }, same) {
		let message = "nothing was thrown";
		try {
			density.fit(rows, labels, options);
		} catch (error) {
			message = error.message;
		}
		for (const word of words) same(`“${message}” names ${word}`, Number(message.includes(word)), 1);
		same(`“${message}” is one sentence`, Number(/^[^\n]+[^.\s]$/.test(message) && !/\. [A-Z]/.test(message)), 1);
	},
};

function odds(a, b) {
	const number = (value) => ({ inf: Infinity, "-inf": -Infinity })[value] ?? value;
	return number(a) - number(b);
}

/** EM never lowers the log-likelihood; plain steps go where the accelerated ones went. */
function checkSteps(density, model, rows, labels, options, same) {
	const plain = density.fit(rows, labels, { ...options, iterations: 30 });
	same("number of steps", plain.steps.length, 31);
	plain.steps.slice(1).forEach((value, i) => {
		const lower = value < plain.steps[i] - 1e-10 * Math.abs(value);
		same(`step ${i + 1} is not lower`, Number(lower), 0);
	});
	const last = model.steps[model.steps.length - 1];
	same("the maximum is not below", Number(last < plain.steps[30] - 1e-9 * Math.abs(last)), 0);
	same("steps from the maximum stay there", density.fit(rows, labels, { ...options, start: model }).steps.at(-1), last);
	if (labels.includes(null)) return; // other maxima are possible
	const start = density.fit(rows, labels, { ...options, shared: options.shared !== true });
	same("another start", density.fit(rows, labels, { ...options, start }).steps.at(-1), last);
}

/** Rows drawn from a model have its moments, within five standard errors. */
function checkSample(density, model, same) {
	const n = 4000;
	const { rows, labels } = density.sample(model, new Array(model.classes.length).fill(n), density.random(7));
	const again = density.sample(model, [3, 1], density.random(7));
	same("same seed", again.rows.slice(0, 3).flat().map((cell, i) => Number(cell === rows.slice(0, 3).flat()[i])), again.rows.slice(0, 3).flat().map(() => 1));
	const proportions = density.sample(model, n, density.random(8)).labels;
	model.classes.forEach((label, c) => {
		const share = proportions.filter((other) => other === label).length / n;
		same("share of a class", share, model.priors[c], () => Math.sqrt(1 / n), 5);
		const own = rows.filter((_, i) => labels[i] === label);
		model.numeric.forEach((column, j) => {
			const [mean, variance] = [model.means[c][j], model.covariances[c][j][j]];
			const average = own.reduce((sum, row) => sum + (row[column] - mean) / n, 0);
			same("mean of a sample", average, 0, () => Math.sqrt(variance / n), 5);
			model.numeric.forEach((other, m) => {
				const products = own.reduce((sum, row) => sum + ((row[column] - mean) * (row[other] - model.means[c][m])) / n, 0);
				const scale = Math.sqrt((2 * variance * model.covariances[c][m][m]) / n);
				same("covariance of a sample", products, model.covariances[c][j][m], () => scale, 5);
			});
		});
		model.probabilities.forEach(({ levels, table }, q) =>
			levels.forEach((level, m) => {
				const share = own.filter((row) => row[model.categorical[q]] === level).length / n;
				same("share of a category", share, table[c][m], () => Math.sqrt(1 / n), 5);
			}),
		);
	});
}

/** Curves lie where the log-odds are 0, no other class is more probable there, and every change of label has one. */
function checkCurves(density, grid, equations, labels, same) {
	const curves = density.boundaryCurves(grid);
	const value = ([quadratic, linear, constant], p) =>
		p.reduce((sum, x, i) => sum + x * (linear[i] + p.reduce((inner, z, j) => inner + quadratic[i][j] * z, 0)), constant);
	const slope = ([quadratic, linear], p) =>
		Math.hypot(...linear.map((w, i) => w + 2 * p.reduce((sum, z, j) => sum + quadratic[i][j] * z, 0)));
	const pixel = [(grid.x[1] - grid.x[0]) / grid.width, (grid.y[1] - grid.y[0]) / grid.height];
	for (const { a, b, points } of curves) {
		const equation = equations[`${a},${b}`];
		for (const point of points) {
			const distance = value(equation, point) / slope(equation, point);
			same(`boundary of ${a} and ${b}`, distance, 0, () => Math.hypot(...pixel), 0.1);
			const third = 3 - a - b;
			const pair = [Math.min(a, third), Math.max(a, third)];
			const lead = value(equations[pair.join()], point) * (pair[0] === a ? 1 : -1);
			const size = slope(equations[pair.join()], point) * Math.hypot(...pixel);
			same("another class is more probable", Math.min(0, lead), 0, () => size, 0.1);
		}
	}
	const all = curves.flatMap(({ points }) => points);
	labels.forEach((label, at) => {
		if ((at + 1) % grid.width === 0 || labels[at + 1] === label) return;
		const x = grid.x[0] + (at % grid.width + 1) * pixel[0];
		const y = grid.y[0] + (Math.floor(at / grid.width) + 0.5) * pixel[1];
		const near = all.some((point) => Math.abs(point[0] - x) <= pixel[0] && Math.abs(point[1] - y) <= pixel[1]);
		same("a change of label has a curve", Number(near), 1);
	});
}

/** Contours of the log evidence lie at their level, to a tenth of a pixel. */
function checkContours(density, grid, model, same) {
	const level = [...grid.logEvidence].sort((a, b) => a - b)[Math.floor(grid.logEvidence.length / 2)];
	const lines = density.contourLines(grid.logEvidence, grid, level);
	same("there are contours", Number(lines.length > 0), 1);
	const [dx, dy] = [(grid.x[1] - grid.x[0]) / grid.width, (grid.y[1] - grid.y[0]) / grid.height];
	for (const [x, y] of lines.flat()) {
		const slopes = [[dx, 0], [0, dy]].map(([u, v]) => model.logEvidence([x + u, y + v]) - model.logEvidence([x - u, y - v]));
		same("level of a contour", model.logEvidence([x, y]), level, () => Math.hypot(...slopes), 0.1);
	}
}
