// What the reader takes along: Python code that draws the same figure and prints the same numbers, the points, an image.

const MOST_INLINE = 1200; // values that are written into the code; more are read from lab.csv
const LINE = 88;
const FORMULA = /^[=+\-@\t\r]/; // what a spreadsheet would run

/** A value as Python writes it. */
const literal = (value) => {
	if (value === null || (typeof value === "number" && Number.isNaN(value))) return "nan";
	if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
	if (typeof value === "boolean") return value ? "True" : "False";
	return typeof value === "string" ? JSON.stringify(value) : String(value);
};

/** A list over several lines, as many values on each as fit. */
function listing(values, opening, closing) {
	const lines = [];
	for (const text of values) {
		const last = lines.length - 1;
		if (last >= 0 && lines[last].length + text.length + 2 < LINE) lines[last] += `, ${text}`;
		else lines.push(`    ${text}`);
	}
	const one = `${opening}${values.join(", ")}${closing}`;
	return one.length < LINE ? one : `${opening}\n${lines.map((line) => `${line},`).join("\n")}\n${closing}`;
}

/** What the constructor is called with: only settings that differ from the defaults. */
function settingsOf({ covariance = "full", shared = false, shrinkage, priors, divisor = "mle", smoothing } = {}) {
	const given = [];
	if (covariance !== "full") given.push(literal(covariance));
	if (shared === true || shared === 1) given.push("shared=True");
	else if (shared) given.push(`shared=${shared}`);
	if (shrinkage) given.push(`shrinkage=${literal(shrinkage)}`);
	if (priors) given.push(`priors=${literal(priors)}`);
	if (divisor !== "mle") given.push(`divisor=${literal(divisor)}`);
	if (smoothing) given.push(`smoothing=${smoothing}`);
	return given.join(", ");
}

/** The lines that make X, y and, where rows are held out, the numbers of the training rows. */
function dataCode({ table, columns, names, held, classes }) {
	const strings = classes.some((label) => typeof label === "string");
	const named = (label) => (label === null ? "None" : literal(strings ? String(label) : label));
	const some = table.labels.includes(null);
	const dtype = some ? ", dtype=object" : "";
	const lines = [`# ${table.name ? `${table.name}: ` : ""}${names.join(", ")}; ${table.target}`.replace(/[\r\n]+/g, " ")];
	const kept = Array.from(table.labels.keys());
	if (table.n * columns.length <= MOST_INLINE) {
		lines.push(listing(kept.map((i) => literal(columns.map((j) => table.columns[j][i]))), "X = np.array([", "])"));
		lines.push(listing(table.labels.map(named), "y = np.array([", `]${dtype})`));
		if (held) lines.push(listing(kept.filter((i) => held[i]).map(String), "test = np.array([", "])"));
	} else {
		const label = strings ? "row[-1]" : `${classes.every(Number.isInteger) ? "int" : "float"}(row[-1])`;
		lines.push(
			'with open("lab.csv", encoding="utf-8", newline="") as file:  # Export, “Points as CSV”',
			"    header, *rows = csv.reader(file)",
			`X = np.array([[float(row[j] or "nan") for j in ${literal(columns)}] for row in rows])`,
			`y = np.array([${some ? `${label} if row[-1] else None` : label} for row in rows]${dtype})`,
		);
		if (held) lines.push('test = np.flatnonzero([row[0] == "yes" for row in rows])');
	}
	if (held) lines.push("train = np.setdiff1d(np.arange(len(y)), test)");
	return lines;
}

/**
 * Python code that draws the figure with the library and prints the numbers of the card.
 * @param {object} scene of a figure
 * @returns {string} a script; it reads lab.csv where there are many rows
 */
export function pythonCode(scene) {
	const { state, table, columns, names, held, layers, model, row, view } = scene;
	const given = state.model?.parameters;
	const byNeighbours = Boolean(layers.neighbours);
	const rows = held ? "X[train], y[train]" : "X, y";
	const many = table.n * columns.length > MOST_INLINE;
	const lines = [...(many ? ["import csv", ""] : []), "import matplotlib.pyplot as plt", "import numpy as np"];
	if (byNeighbours) lines.push("from sklearn.neighbors import KNeighborsClassifier");
	lines.push("", `from gaussbayes import ${byNeighbours ? "" : "GaussianClassifier, "}plots`, "");
	if (table.n) lines.push(...dataCode(scene).map((line) => (many ? line.replace("row[j]", held ? "row[j + 1]" : "row[j]") : line)), "");
	if (byNeighbours) {
		lines.push(`model = KNeighborsClassifier(${state.neighbours ?? 5}).fit(${rows})`);
	} else if (state.model?.grid) {
		lines.push("# The model was computed by Python: save it there with model.save(\"model.json\").");
		lines.push('model = GaussianClassifier.load("model.json")');
	} else if (given) {
		lines.push("model = GaussianClassifier.from_parameters(");
		for (const member of ["priors", "means", "covariances", "classes"]) lines.push(`    ${literal(model[member])},`);
		lines.push(")");
	} else {
		lines.push(`model = GaussianClassifier(${settingsOf(state.model)}).fit(${rows})`);
	}
	lines.push("", ...drawingCode(view, names, table.n, byNeighbours));
	if (row && view !== "surface") lines.push(queryMark(view, row));
	const hidden = scene.hidden.flatMap((isHidden, i) => (isHidden ? [i] : []));
	if (table.n && hidden.length) lines.push("", `X[:, ${literal(hidden)}] = nan  # not measured: integrated out`);
	if (table.n) lines.push("", ...errorCode(held, table.labels.includes(null)));
	if (row) lines.push("", `x = ${literal([row])}`, ...(byNeighbours ? VOTES : CARD));
	lines.push("plt.show()", "");
	return lines.join("\n").replace(/\bnan\b(?=[,\]]| *#)/g, "np.nan");
}

const VOTES = ["for label, votes in zip(model.classes_, model.predict_proba(x)[0]):", '    print(f"{label}: {votes:.3f} of the votes")'];
const CARD = [
	"scores = model.scores(x)",
	"likelihoods, evidence = np.exp(scores.log_likelihood[0]), np.exp(scores.log_evidence[0])",
	"for label, prior, likelihood, posterior in zip(",
	"    model.classes_, model.priors_, likelihoods, scores.posterior[0]",
	"):",
	'    print(f"{label}: {prior:.4g} × {likelihood:.4g} / {evidence:.4g} = {posterior:.4g}")',
];

function drawingCode(view, names, n, byNeighbours) {
	const rows = n ? ", X, y" : "";
	if (view === "surface") return ["ax = plots.evidence(model, surface=True)", `ax.set(xlabel=${literal(names[0])}, ylabel=${literal(names[1])})`];
	if (view === "line") return [`ax = plots.densities(model${rows}, weighted=True)`, `ax.set(xlabel=${literal(names[0])})`];
	return [
		`ax = plots.regions(model${rows})`,
		...(byNeighbours ? [] : ["plots.ellipses(model, levels=(1, 2), ax=ax)"]),
		`ax.set(xlabel=${literal(names[0])}, ylabel=${literal(names[1])})`,
	];
}

function queryMark(view, row) {
	if (view === "line") return row[0] === null ? "" : `ax.axvline(${row[0]}, color="black", linestyle="dotted")`;
	return row.includes(null) ? "" : `ax.plot(${row[0]}, ${row[1]}, "k+", markersize=16, markeredgewidth=2)`;
}

function errorCode(held, some) {
	const lines = some ? ["labelled = np.array([label is not None for label in y])"] : [];
	const rate = (name, which) => {
		const chosen = some ? `${which}[labelled[${which}]]` : which;
		return `print("${name}", np.mean(model.predict(X[${chosen}]) != y[${chosen}]))`;
	};
	if (!held) return [...lines, some ? 'print("training error", np.mean(model.predict(X[labelled]) != y[labelled]))' : 'print("training error", np.mean(model.predict(X) != y))'];
	return [...lines, rate("training error", "train"), rate("test error", "test")];
}

/**
 * The points as CSV with all columns and the class last; text that a spreadsheet would run as a formula gets an apostrophe.
 * @param {object} scene of a figure
 * @returns {string} where rows are held out, the first column says which
 */
export function csvText({ table, held }) {
	const quoted = (value) => {
		if (value === null || value === undefined || Number.isNaN(value)) return "";
		if (typeof value === "number") return String(value);
		const text = FORMULA.test(value) ? `'${value}` : String(value);
		return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	};
	const line = (cells) => cells.map(quoted).join(",");
	const header = line([...(held ? ["held out"] : []), ...table.names, table.target]);
	const rows = Array.from({ length: table.n }, (_, i) =>
		line([...(held ? [held[i] ? "yes" : "no"] : []), ...table.columns.map((column) => column[i]), table.labels[i]]));
	return `${[header, ...rows].join("\n")}\n`;
}

/**
 * Offer text or an image as a file.
 * @param {string} name of the file
 * @param {BlobPart|Blob} content what it holds
 * @param {string} type its media type
 */
export function download(name, content, type = "text/plain") {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
