/**
 * Guided lessons: a few sentences for each step, and the figure that the page shows with them.
 *
 * `spec` is how the figure begins; a step changes members of it by `set`. A text holds live numbers as {quantity number}: the
 * number gives their format. `controls` are those of a figure's spec. A step may end with a `goal`: options of which one is
 * `right`, a number to be typed that is the `answer` (a quantity), or a `quantity` to be brought `above` or `below` limits.
 */

const DEFECT = {
	classes: ["defect", "no defect"], priors: [0.01, 0.99],
	probabilities: [{ name: "test", levels: ["negative", "positive"], table: [[0.1, 0.9], [0.9, 0.1]] }],
};
const NO_ROWS = { columns: [{ name: "test", kind: "category", values: [] }], labels: [] };
const COUNT = { classes: ["diabetes", "healthy"], priors: [0.5, 0.5], means: [[52], [40]], covariances: [[[64]], [[36]]] };
const PATIENT = {
	classes: ["diabetes", "healthy"], priors: [0.2, 0.8],
	means: [[52, 130], [40, 95]], covariances: [[[64, 48], [48, 484]], [[36, 12], [12, 144]]],
};
const TWO_MEASUREMENTS = {
	view: "plane", model: { parameters: PATIENT }, features: [0, 1], query: [48, 125], layers: { points: true, errors: false },
};
const PATIENTS = { example: "diabetes" };
const GENERATING = {
	classes: [1, 2], priors: [0.5, 0.5], means: [[0, 0], [2, 2]], covariances: [[[2, -1], [-1, 2]], [[1, 0], [0, 1]]],
};
export const STRUCTURES = [["full", "full"], ["diagonal (naive Bayes)", "diagonal"], ["spherical", "spherical"]];
const POOLED_SLIDER = { set: "model.shared", label: "pooled", min: 0, max: 1, step: 0.05 };
const K_SLIDER = { set: "neighbours", label: "neighbours k", min: 1, max: 51, step: 2 };
const QUIET = { regions: "none", boundary: false, errors: false };

export const LESSONS = [
	{ id: "petals", title: "One feature, two species", question: "How long is a petal of species B?",
		spec: { view: "line", data: { example: "petals" }, features: [0], query: [4.9] },
		steps: [
			{ text: `Five petals of species A and three of species B are measured by their length. Each species gets a bell curve. Its mean
					is the average length, {mean.A.0 2.68} cm for A and {mean.B.0 6.50} cm for B; its variance is the average squared deviation
					from that mean.`,
				set: { query: null } },
			{ text: `Bayes' rule multiplies each curve by its prior, 5/8 for A and 3/8 for B, and divides by the sum of both. At {query.0
					4.9} cm, species A has posterior {posterior.A 0.536}. Drag the point along the axis and follow the numbers in the card.`,
				controls: [{ set: "query.0", label: "length (cm)", min: 0, max: 10, step: 0.1 }] },
			{ text: `The decision changes where both products are equal, at {boundary.0 4.9444} cm. Set equal priors: the boundary moves to
					4.8947 cm, because A is no longer favoured.`,
				controls: [{ set: "model.priors", label: "priors", values: [["of the data", null], ["equal", "uniform"]] }] },
			{ text: `Look further to the right. Species A has the wider curve, so that beyond {boundary.1 15.3158} cm it wins again,
					although nobody has seen such a petal. A posterior compares the two curves. It does not say that either is plausible.`,
				set: { window: { x: [0, 19], y: [0, 1] }, query: [16] } },
			{ text: `Let both species share one variance. The squares cancel in the log-odds, and a single boundary remains, at {boundary.0
					4.6} cm.`,
				set: { model: { shared: true }, query: [4.5] },
				controls: [{ set: "prior.B", label: "prior of B", min: 0.05, max: 0.95, step: 0.01 }],
				goal: {
					ask: "Set the prior of B so that the decision changes below 4.5 cm.", quantity: "boundary.0", below: 4.5,
					done: "Yes. The more probable species B is beforehand, the shorter the petals that are assigned to it.",
					hint: "The decision changes at {boundary.0 4.60} cm: make species B more probable." } },
		],
	},
	{ id: "genetic-test", title: "A positive test", question: "Nine tests in ten are right. Is a positive one 90 % certain?",
		spec: { view: "areas", data: NO_ROWS, model: { parameters: DEFECT }, query: ["positive"] },
		steps: [
			{ text: `One person in a hundred has a genetic defect. A test is right for nine people in ten, whether they have the defect or
					not. Somebody tests positive.`,
				goal: {
					ask: "How probable is the defect now?", options: ["about 90 %", "about 50 %", "about 8 %"], right: 2,
					done: "Yes, 8.33 %. The next step shows why.",
					hint: "Count people: how many of 1,000 have the defect, and how many of the others test positive?" } },
			{ text: `Of 1,000 people, 10 have the defect and 9 of these test positive. Of the other 990, 99 test positive, too. The filled
					areas are these joint probabilities. The defect has {posterior.defect 8.33 %} of the filled area.` },
			{ text: `The prior carries as much weight as the test. The defect is now found in {prior.defect 1.0 %} of all people, and a
					positive test means {posterior.defect 8.3 %}.`,
				controls: [{ set: "prior.defect", label: "P(defect)", min: 0.005, max: 0.5, step: 0.005 }],
				goal: {
					ask: `How frequent must the defect be for a positive test to mean 50 %? Bring the posterior to between 48 % and 52 %.`,
					quantity: "posterior.defect", above: 0.48, below: 0.52,
					done: "Yes, about one in ten: the prior odds 1 : 9 and the test's odds 9 : 1 cancel.",
					hint: "The posterior is {posterior.defect 8.3 %} now." } },
			{ text: `A better test also helps. Reduce the probability of a false positive: the defect now has posterior {posterior.defect
					8.33 %}.`,
				controls: [
					{ set: "likelihood.no defect", label: "P(positive | no defect)", min: 0.001, max: 0.3, step: 0.001 },
					{ set: "likelihood.defect", label: "P(positive | defect)", min: 0.5, max: 0.999, step: 0.001 },
				],
			},
		],
	},
	{ id: "priors", title: "A doctor's prior", question: "How much does prior knowledge change a diagnosis?",
		spec: { view: "line", data: PATIENTS, model: { parameters: COUNT }, features: [0], query: [48], layers: { points: false } },
		steps: [
			{
				text: `Patients with diabetes tend to have a higher white blood cell count, but the curves overlap. With equal priors, a count
					of {query.0 48} speaks for diabetes: healthy has posterior {posterior.healthy 0.380}.` },
			{ text: `The doctor knows that four of five patients are healthy. A prior is a factor: it multiplies the odds by four, and
					healthy now has posterior {posterior.healthy 0.710}. The densities stay the same.`,
				set: { model: { parameters: { ...COUNT, priors: [0.2, 0.8] } } },
				controls: [{ set: "prior.healthy", label: "prior of healthy", min: 0.05, max: 0.95, step: 0.01 }] },
			{ text: `The glucose is measured as well. At {query.1 125} it speaks for diabetes, and healthy falls to {posterior.healthy
					0.130}. Hide one of the two measurements, and the other one decides alone.`,
				set: TWO_MEASUREMENTS,
				controls: [{ set: "hidden", label: "not measured", values: [["neither", []], ["count", [0]], ["glucose", [1]]] }] },
			{ text: `Only the product of prior and likelihood counts. The patient is healthy with posterior {posterior.healthy 0.130}.`,
				set: TWO_MEASUREMENTS,
				controls: [{ set: "prior.healthy", label: "prior of healthy", min: 0.05, max: 0.99, step: 0.01 }],
				goal: {
					ask: `For which prior is this patient equally likely to be healthy and ill? Bring the posterior to between 0.45 and 0.55.`,
					quantity: "posterior.healthy", above: 0.45, below: 0.55,
					done: "Yes. There the prior odds are as strong as the two measurements, in the other direction.",
					hint: "Healthy has posterior {posterior.healthy 0.130}: a larger prior raises it." } },
		],
	},
	{ id: "two-gaussians", title: "Two Gaussians, one boundary", question: "Can any rule make no errors?",
		spec: { data: { example: "two_gaussians" }, query: null },
		steps: [
			{ text: `Two classes of 100 points. Class 1 lies around (0, 0) and falls to the right; class 2 lies around (2, 2) and is round.
					The ellipses are Gaussians fitted to the points, at 1 and 2 standard deviations.`,
				set: { layers: QUIET } },
			{ text: `Every place is coloured by its posterior. The boundary is where both classes are equally probable. The covariances
					differ, so it is a curve. The marked points lie on the wrong side: {errors 17} of {n 200}.` },
			{ text: `We know the Gaussians from which the points were drawn, so we also know the best boundary there is. This model is not
					fitted but given. On new points it still makes {bayes_error 9.4 %} errors: this is the Bayes error, and no classifier avoids
					it.`,
				set: { model: { parameters: GENERATING } } },
			{ text: "Draw new samples. The fitted boundary changes each time, and so does its training error: {error 8.5 %}.",
				set: { layers: { truth: true } },
				controls: [{ press: "draw", label: "New sample" }],
				goal: {
					ask: "Which error is the same for every sample?", right: 2,
					options: ["the training error", "the test error", "the Bayes error"],
					done: "Yes. It belongs to the generating Gaussians, not to the points drawn from them.",
					hint: "That one is counted on points, which are new each time." } },
		],
	},
	{ id: "shapes", title: "Curved or straight", question: "When is the boundary a straight line?",
		spec: { data: { example: "three" }, query: null, layers: { errors: false } },
		steps: [
			{ text: `Three classes with class-specific covariances: {n_parameters 17} free parameters. All boundaries are curves
					(quadratic discriminant analysis, QDA).` },
			{ text: `Move the slider to the right. The class-specific covariances are shrunk towards the pooled one, and the boundaries
					straighten.`,
				controls: [POOLED_SLIDER] },
			{ text: `One pooled covariance: every boundary is a straight line, because the squares cancel in the log-odds (linear
					discriminant analysis, LDA).`,
				set: { model: { shared: true } }, controls: [POOLED_SLIDER],
				goal: {
					ask: "How many free parameters does this model have?", answer: "n_parameters",
					done: `Right: two priors (the third follows), three means of two numbers, and three numbers of one covariance.`,
					hint: "Count two priors, because the third follows from them; three means; and a symmetric 2 × 2 matrix." } },
			{ text: `Naive Bayes assumes that the features are independent within each class: it keeps the variances and drops the
					covariances, and the ellipses no longer lean. It has {n_parameters 14} parameters.`,
				set: { model: { covariance: "diagonal" } },
				controls: [{ set: "model.covariance", label: "covariance", values: STRUCTURES }, POOLED_SLIDER] },
		],
	},
	{ id: "neighbours", title: "Neighbours instead of Gaussians", question: "Do more flexible boundaries make fewer errors?",
		spec: { data: { example: "two_gaussians", n: 200 }, query: null, test: { proportion: 0.5, seed: 1 } },
		steps: [
			{ text: `Half of the points, the hollow ones, are held out. The Gaussians are fitted to the others: training error {error
					8.0 %}, test error {test_error 10.0 %}. Only the test error tells how the rule performs on new points.` },
			{ text: `The k-nearest-neighbour rule needs no model: every place takes the majority of the k training points nearest to it.
					With k = {k 1} the boundary follows single points.`,
				set: { layers: { neighbours: true, ellipses: false }, neighbours: 1 }, controls: [K_SLIDER] },
			{ text: `With k = 1 every training point is its own nearest neighbour. On the held-out points the rule misclassifies
					{neighbour_error 13.0 %}.`,
				set: { layers: { neighbours: true, ellipses: false }, neighbours: 1 }, controls: [K_SLIDER],
				goal: {
					ask: "What is the training error of k = 1?", options: ["0 %", "the Bayes error", "50 %"], right: 0,
					done: "Yes, and it carries no information about new points.",
					hint: "Which training point is nearest to a training point?" } },
		],
	},
	{ id: "missing", title: "A missing measurement", question: "What can be predicted if a feature was not measured?",
		spec: { data: { example: "diabetes" }, model: { parameters: PATIENT }, query: [48, 125], layers: { errors: false } },
		steps: [
			{ text: `A patient has count {query.0 48} and glucose {query.1 125}. With both measurements, healthy has posterior
					{posterior.healthy 0.130}.` },
			{ text: `Now the glucose is missing. It is integrated out: what remains of each Gaussian is the Gaussian of the count, and
					nothing is filled in. Healthy has posterior {posterior.healthy 0.710}.`,
				set: { hidden: [1] } },
			{
				text: `Filling in the average glucose, 102, gives {posterior.healthy 0.880} instead, as confident as a measurement. A guess is
					not a measurement.`,
				set: { query: [48, 102] },
				controls: [{ set: "query.1", label: "glucose", min: 60, max: 180, step: 1 }] },
			{ text: `Values may also be missing when a model is fitted. Here the glucose is missing wherever the count is above 48. These
					patients have no place in the plane, but their counts and the correlation still say what their glucose may have been (EM).`,
				set: { data: { example: "missing" }, model: {}, query: null, layers: { truth: true, errors: false } },
				goal: {
					ask: "Why may the model use the rows without glucose?",
					options: ["Missing values never matter.", "Whether glucose is missing depends only on the count, which was measured.",
						"The glucose is replaced by its mean."], right: 1,
					done: `Yes. Such values are missing at random given the measured ones: they cost precision, but do not bias the fit.`,
					hint: "What decides whether a glucose value is there, and does the model know it?" } },
		],
	},
	{ id: "unlabelled", title: "Points without labels", question: "What can be estimated from six labels?",
		spec: { data: { example: "unlabelled" }, query: null, layers: { errors: false } },
		steps: [
			{ text: `Three labelled points in each class, and {n 120} points in all: the grey ones have no label. EM starts with Gaussians
					fitted to the labelled points alone.`,
				set: { step: 0 } },
			{ text: `Each EM step assigns the grey points to both classes in proportion to their posteriors (E), and fits the Gaussians
					again (M). The log-likelihood never falls: it is {em_log_likelihood −400.0} after {em_step 0} steps.`,
				set: { step: 0 },
				controls: [{ press: "step", label: "One EM step" }, { press: "run", label: "Until it converges" },
					{ press: "restart", label: "Start again" }],
			},
			{ text: `EM has converged. The dashed ellipses are the Gaussians from which all points were drawn: the grey points reveal most
					of them, although nobody has labelled a single one.`,
				set: { layers: { truth: true, errors: false } },
				goal: {
					ask: "What do unlabelled points reveal about the classes?",
					options: ["nothing", "where points are dense, and so the shape of the classes", "their labels, with certainty"], right: 1,
					done: `Yes: they are drawn from p(x), the sum of both classes, and the labelled ones tell which part is which.`,
					hint: "Compare the ellipses before the first EM step and after the last one." } },
		],
	},
];

/** The lesson of a name, as in the address; null if there is none. */
export const lessonOf = (id) => LESSONS.find((lesson) => lesson.id === id) ?? null;
