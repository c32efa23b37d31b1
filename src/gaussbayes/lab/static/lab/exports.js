// Exports: Python code that draws the same figure and prints the same numbers, the points, an image.

const MOST_INLINE = 1200; // values that are written into the code; more are read from lab.csv
const CODE_WIDTH = 88;
const FORMULA = /^[=+\-@\t\r]/; // what a spreadsheet would run

/** A value as a Python literal. */
function literal(value) {
	if (value === null || Number.isNaN(value)) return "np.nan";
	if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
	if (typeof value === "boolean") return value ? "True" : "False";
	return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** A call with a list over several lines, as many values on each as fit. */
function listing(opening, values, closing) {
	const one = `${opening}${values.join(", ")}${closing}`;
	if (one.length < CODE_WIDTH) return one;
	const lines = [];
	for (const text of values) {
		const last = lines.length - 1;
		if (last >= 0 && lines[last].length + text.length + 2 < CODE_WIDTH) lines[last] += `, ${text}`;
		else lines.push(`    ${text}`);
	}
	return `${opening}\n${lines.map((line) => `${line},`).join("\n")}\n${closing}`;
}

/** The arguments of the constructor: only settings that differ from the defaults. */
function settingsOf({ covariance = "full", shared, shrinkage, priors, divisor = "mle", smoothing } = {}) {
	const others = { shared: shared === 1 || shared, shrinkage, priors, divisor: divisor !== "mle" && divisor, smoothing };
	const named = Object.entries(others).filter(([, value]) => value);
	const first = covariance === "full" ? [] : [literal(covariance)];
	return [...first, ...named.map(([name, value]) => `${name}=${literal(value)}`)].join(", ");
}

/** The lines that make X, y and, where rows are held out, the numbers of the training rows. */
function dataCode({ table, columns, names, held, classes }, isInline) {
	const strings = classes.some((label) => typeof label === "string");
	const [dtype, isSome] = table.labels.includes(null) ? [", dtype=object", true] : ["", false];
	const lines = [`# ${table.name ? `${table.name}: ` : ""}${names.join(", ")}; ${table.target}`.replace(/[\r\n]+/g, " ")];
	if (isInline) {
		const named = (label) => (label === null ? "None" : literal(strings ? String(label) : label));
		const numbers = Array.from(table.labels.keys());
		lines.push(listing("X = np.array([", numbers.map((i) => literal(columns.map((j) => table.columns[j][i]))), "])"));
		lines.push(listing("y = np.array([", table.labels.map(named), `]${dtype})`));
		if (held) lines.push(listing("test = np.array([", numbers.filter((i) => held[i]).map(String), "])"));
	} else {
		const kind = classes.every(Number.isInteger) ? "int" : "float";
		const label = `${strings ? "row[-1]" : `${kind}(row[-1])`}${isSome ? " if row[-1] else None" : ""}`;
		const places = literal(columns.map((j) => (held ? j + 1 : j))); // the first column says which rows are held out
		lines.push('with open("lab.csv", encoding="utf-8", newline="") as file:  # Export, “Points as CSV”');
		lines.push("    header, *rows = csv.reader(file)");
		lines.push(`X = np.array([[float(row[j] or "nan") for j in ${places}] for row in rows])`);
		lines.push(`y = np.array([${label} for row in rows]${dtype})`);
		if (held) lines.push('test = np.flatnonzero([row[0] == "yes" for row in rows])');
	}
	return held ? [...lines, "train = np.setdiff1d(np.arange(len(y)), test)"] : lines;
}

function modelCode({ state, layers, model, held }) {
	const rows = held ? "X[train], y[train]" : "X, y";
	if (layers.neighbours) return [`model = KNeighborsClassifier(${state.neighbours ?? 5}).fit(${rows})`];
	if (state.model?.grid) return ['model = load("model.json")  # saved in Python by model.save("model.json")'];
	if (!state.model?.parameters) return [`model = GaussianClassifier(${settingsOf(state.model)}).fit(${rows})`];
	const given = ["priors", "means", "covariances", "classes"].map((member) => `    ${literal(model[member])},`);
	return ["model = GaussianClassifier.from_parameters(", ...given, ")"];
}

function drawingCode({ view, names, table, layers, row }) {
	const rows = table.n ? ", X, y" : "";
	const [x, y] = names.map(literal);
	const known = row && !row.includes(null);
	if (view === "surface") return ["ax = plots.evidence(model, surface=True)", `ax.set(xlabel=${x}, ylabel=${y})`];
	if (view === "line") {
		const query = known ? [`ax.axvline(${row[0]}, color="black", linestyle="dotted")`] : [];
		return [`ax = plots.joint(model${rows})`, `ax.set(xlabel=${x})`, ...query];
	}
	const ellipses = layers.neighbours ? [] : ["plots.ellipses(model, levels=(1, 2), ax=ax)"];
	const query = known ? [`ax.plot(${row[0]}, ${row[1]}, "k+", markersize=16, markeredgewidth=2)`] : [];
	return [`ax = plots.regions(model${rows})`, ...ellipses, `ax.set(xlabel=${x}, ylabel=${y})`, ...query];
}

/** The lines that print the errors; a feature that is hidden is missing there. */
function errorCode({ held, hidden, table }) {
	const unmeasured = hidden.flatMap((isHidden, j) => (isHidden ? [j] : []));
	const lines = unmeasured.length ? [`X[:, ${literal(unmeasured)}] = np.nan  # not measured: integrated out`] : [];
	const isSome = table.labels.includes(null); // errors are those of the labelled rows
	if (isSome) lines.push("labelled = np.array([label is not None for label in y])");
	const rate = (name, rows) => {
		const chosen = isSome ? (rows ? `${rows}[labelled[${rows}]]` : "labelled") : rows;
		const part = chosen ? `[${chosen}]` : "";
		return `print("${name}", np.mean(model.predict(X${part}) != y${part}))`;
	};
	return [...lines, rate("training error", held ? "train" : ""), ...(held ? [rate("test error", "test")] : [])];
}

const VOTES = [
	"for label, votes in zip(model.classes_, model.predict_proba(x)[0]):",
	'    print(f"{label}: {votes:.3f} of the votes")',
];
const CARD = [
	"scores = model.scores(x)",
	"likelihoods, evidence = np.exp(scores.log_likelihood[0]), np.exp(scores.log_evidence[0])",
	"for label, prior, likelihood, posterior in zip(",
	"    model.classes_, model.priors_, likelihoods, scores.posterior[0]",
	"):",
	'    print(f"{label}: {prior:.4g} × {likelihood:.4g} / {evidence:.4g} = {posterior:.4g}")',
];

/** Python code that draws the figure of a scene and prints the numbers of its card; many rows are read from lab.csv. */
export function pythonCode(scene) {
	const { table, columns, layers, row } = scene;
	const isInline = table.n * columns.length <= MOST_INLINE;
	return [
		...(isInline ? [] : ["import csv", ""]), "import matplotlib.pyplot as plt", "import numpy as np",
		...(layers.neighbours ? ["from sklearn.neighbors import KNeighborsClassifier"] : []), "",
		`from gaussbayes import ${layers.neighbours ? "" : scene.state.model?.grid ? "load, " : "GaussianClassifier, "}plots`, "",
		...(table.n ? [...dataCode(scene, isInline), ""] : []), ...modelCode(scene), "", ...drawingCode(scene),
		...(table.n ? ["", ...errorCode(scene)] : []),
		...(row ? ["", `x = ${literal([row])}`, ...(layers.neighbours ? VOTES : CARD)] : []), "plt.show()", "",
	].join("\n");
}

/** The points of a scene as CSV, the class last; a first column says which are held out. Formulas get an apostrophe. */
export function csvText({ table, held }) {
	const quoted = (value) => {
		if (value === null || value === undefined || Number.isNaN(value)) return "";
		if (typeof value === "number") return String(value);
		const text = FORMULA.test(value) ? `'${value}` : String(value);
		return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	};
	const line = (first, cells) => [...(held ? [first] : []), ...cells].map(quoted).join(",");
	const rows = Array.from({ length: table.n }, (_, i) =>
		line(held?.[i] ? "yes" : "no", [...table.columns.map((column) => column[i]), table.labels[i]]));
	return `${[line("held out", [...table.names, table.target]), ...rows].join("\n")}\n`;
}

/** Offer text or an image as a file of this name. */
export function download(name, content, type = "text/plain") {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
