// Small named data sets and generators for the lab and the course; those of the course have the numbers of its documents.

import { fromParameters, random, sample } from "../density.js";

// Lengths and widths of sepals and petals in millimetres, 50 flowers of each species: gaussbayes.datasets.load_iris().
const IRIS = [
	"513514024930140247321302463115025036140254391704463414035034150244291402493115015437150248341602483014014330110158401202",
	"574415045439130451351403573817035138150354341702513715044636100251331705483419025030160250341604523515025234140247321602",
	"483116025434150452411501554214024931150250321202553513024936140144301302513415025035130345231303443213025035160651381904",
	"483014035138160246321402533715025033140270324714643245156931491555234013652846155728451363334716492433106629461352273914",
	"502035105930421560224010612947145629361367314414563045155827411062224515562539115932481861284013632549156128471264294313",
	"663044146828481467305017602945155726351055243811552437105827391260275116543045156034451667314715632344135630411355254013",
	"552644126130461458264012502333105627421357304212572942136229431351253011572841136333602558275119713059216329561865305822",
	"763066214925451773296318672558187236612565325120642753196830552157255020582851246432532365305518773867227726692360225015",
	"693257235628492077286720632749186733572172326018622848186130491864285621723058167428611979386420642856226328511561265614",
	"773061236334562464315518603048186931542167315624693151235827511968325923673357256730522363255019653052206234542359305118",
].join("");

const repeated = (counts) => counts.flatMap(([label, count]) => new Array(count).fill(label));

/** A covariance with these standard deviations along its axes, the first at this angle. */
function turnedCovariance(wide, narrow, degrees) {
	const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
	const [p, q] = [wide ** 2, narrow ** 2];
	return [[p * c * c + q * s * s, (p - q) * c * s], [(p - q) * c * s, p * s * s + q * c * c]];
}

const SHARED_SHAPE = turnedCovariance(1.6, 0.8, 30);
const SHARED = { classes: ["A", "B"], means: [[-1.2, 0], [1.2, 0.8]], covariances: [SHARED_SHAPE, SHARED_SHAPE] };
const FALLING = [[4, -3], [-3, 4]];
const DIABETES = {
	classes: ["diabetes", "healthy"], features: ["white blood cell count", "plasma glucose"], target: "patient",
	means: [[52, 130], [40, 95]], covariances: [[[64, 48], [48, 484]], [[36, 12], [12, 144]]],
};
const OUTLIER = [9, -5];

/** Rows drawn from `draw`, which may be changed by `edit` afterwards. */
const drawn = (title, question, group, n, draw, edit) => ({ title, question, group, n, draw, edit });
/** Rows that a document lists. */
const listed = (title, question, group, data) => ({ title, question, group, data: () => ({ name: title, ...data() }) });

/** By name: title, question and group, with `n` (rows of each class) where the rows are drawn from Gaussians. */
export const EXAMPLES = {
	petals: listed("Petals", "How long must a petal be to come from species B?", "course", () => ({
		rows: [1.8, 2.1, 2.5, 3.2, 3.8, 5.8, 6.7, 7].map((length) => [length]), labels: [..."AAAAABBB"],
		features: ["petal length (cm)"], target: "species",
	})),
	two_gaussians: drawn("Two Gaussians", "Which of two overlapping classes does a point come from?", "course", [100, 100], {
		classes: [1, 2], means: [[0, 0], [2, 2]], covariances: [[[2, -1], [-1, 2]], [[1, 0], [0, 1]]],
	}),
	three_gaussians: drawn("Three Gaussians", "How often are three distant classes confused?", "course", [500, 500, 500], {
		classes: [0, 1, 2], means: [[-5, -5], [5, -5], [0, 5]],
		covariances: [[[3, -1], [-1, 3]], [[3, -0.5], [-0.5, 3]], [[1, -1], [-1, 3]]],
	}),
	optimal_regions: drawn("Optimal regions", "Which boundaries do three Gaussians of one shape have?", "course", [0, 0, 0], {
		classes: [0, 1, 2], priors: [0.25, 0.25, 0.5], means: [[0, 0], [2, 2], [-2, -2]], covariances: [FALLING, FALLING, FALLING],
	}),
	naive_bayes: listed("Naive Bayes by hand", "Does the point (3, 4) belong to class 1 or to class 2?", "course", () => ({
		rows: [[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]], labels: [2, 2, 2, 1, 1, 1],
		features: ["feature 1", "feature 2"], target: "class",
	})),
	diabetes: drawn("Diabetes", "How much does a doctor's prior change a diagnosis?", "course", [250, 250], DIABETES),
	genetic_test: listed("A genetic test", "How probable is the defect after a positive test?", "course", () => ({
		rows: repeated([["positive", 9], ["negative", 1], ["positive", 99], ["negative", 891]]).map((result) => [result]),
		labels: repeated([["defect", 10], ["no defect", 990]]), features: ["test"], target: "gene",
	})),
	rain: listed("Rain", "Will it rain at humidity 2 in a strong wind?", "course", () => ({
		rows: [..."111112222233333"].map((humidity, i) => [humidity, "SMMSSSMMLLLMMLL"[i]]),
		labels: [..."001100111111110"].map((rain) => (rain === "1" ? "rain" : "no rain")),
		features: ["humidity", "wind"], target: "weather",
	})),
	iris: listed("Fisher's irises", "Which two lengths separate three species best?", "course", () => ({
		rows: Array.from({ length: 150 }, (_, i) => [0, 2, 4, 6].map((at) => Number(IRIS.slice(8 * i + at, 8 * i + at + 2)) / 10)),
		labels: repeated([["setosa", 50], ["versicolor", 50], ["virginica", 50]]), target: "species",
		features: ["sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"],
	})),
	shared: drawn("One shape", "Why is the boundary of two equal shapes a straight line?", "shapes", [100, 100], SHARED),
	unequal: drawn("Unequal shapes", "What boundary separates a narrow class from a wide one?", "shapes", [100, 100], {
		classes: ["A", "B"], means: [[-1, -0.4], [1.6, 1]],
		covariances: [turnedCovariance(0.8, 0.5, 60), turnedCovariance(2.2, 1.2, -20)],
	}),
	three: drawn("Three classes", "Where do three regions meet?", "shapes", [100, 100, 100], {
		classes: ["A", "B", "C"], means: [[-2, -0.8], [2, -0.8], [0, 2]],
		covariances: [turnedCovariance(1.4, 0.8, 45), turnedCovariance(1.3, 0.9, -40), turnedCovariance(1.8, 0.7, 0)],
	}),
	imbalanced: drawn("A rare class", "How far does a prior move the boundary?", "shapes", [270, 30], {
		classes: ["common", "rare"], priors: [0.9, 0.1], means: [[0, 0], [2, 1.5]],
		covariances: [turnedCovariance(1.3, 0.9, 20), turnedCovariance(0.8, 0.7, -30)],
	}),
	xor: drawn("Exclusive or", "When is one Gaussian for each class not enough?", "shapes", [50, 50, 50, 50], {
		classes: ["A", "A", "B", "B"], means: [[-2, -2], [2, 2], [-2, 2], [2, -2]],
		covariances: new Array(4).fill([[0.6, 0], [0, 0.6]]),
	}),
	outlier: drawn("An outlier", "How far does one extreme row turn a boundary?", "difficulties", [40, 40], SHARED, (data) => ({
		...data, rows: [...data.rows, OUTLIER], labels: [...data.labels, "A"],
	})),
	missing: drawn("Missing values", "What can be fitted if glucose is unknown for many?", "difficulties", [125, 125], DIABETES,
		(data) => ({ ...data, rows: data.rows.map(([count, glucose]) => [count, count > 48 ? null : glucose]) })),
	unlabelled: drawn("Missing labels", "What do unlabelled points add to six labelled ones?", "difficulties", [60, 60], {
		classes: ["A", "B"], means: [[-1.6, -0.8], [1.6, 0.8]],
		covariances: [turnedCovariance(1.1, 0.6, 60), turnedCovariance(1.3, 0.7, -30)],
	}, (data) => ({ ...data, labels: data.labels.map((label, i) => (i % 60 < 3 ? label : null)) })),
	new_class: drawn("A new class", "What must be fitted again when a new class appears?", "difficulties", [60, 60, 60], {
		classes: ["A", "B", "C"], means: [[-2, -1], [2, -1], [0.2, 2.2]],
		covariances: [turnedCovariance(1.2, 0.7, 40), turnedCovariance(1.1, 0.8, -30), turnedCovariance(1.3, 0.6, 10)],
	}, (data) => ({ ...data, without: ["C"] })),
};

/** Groups of examples, in the order in which a page lists them. */
export const EXAMPLE_GROUPS = ["course", "shapes", "difficulties"];

/**
 * The data of an example, in the form of `spec.data` with `rows`, and `truth` (the generating parameters) where rows are drawn.
 * @param {string} name
 * @param {{n?: number|number[], seed?: number}} [options] rows in total or of each class
 */
export function exampleData(name, { n, seed = 1 } = {}) {
	const example = Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name] : null;
	if (!example) throw new Error(`There is no example “${String(name).slice(0, 40)}”.`);
	if (!example.draw) return example.data();
	const data = drawnData({ ...example.draw, n: n ?? example.n, seed, shares: example.n });
	return { name: example.title, ...(example.edit?.(data) ?? data) };
}

/**
 * Rows drawn from Gaussians.
 * @param {object} draw n (of each component, or in total), seed, means, covariances, classes (of components), priors, features
 */
export function drawnData({ n = 200, seed = 1, means, covariances, classes, priors, features, target = "class", shares }) {
	const labels = classes ?? means.map((_, c) => c);
	const weights = shares?.some((count) => count > 0) ? shares : labels.map(() => 1);
	const total = weights.reduce((sum, weight) => sum + weight, 0);
	const counts = Array.isArray(n) ? n : weights.map((weight) => Math.max(1, Math.round((n * weight) / total)));
	// The components have names of their own: a class may have several.
	const truth = { classes: labels, priors: priors ?? weights.map((weight) => weight / total), means, covariances };
	const model = fromParameters({ ...truth, classes: labels.map((_, c) => c) });
	const { rows, labels: components } = sample(model, counts, random(seed));
	return { rows, labels: components.map((c) => labels[c]), features, target, truth };
}
