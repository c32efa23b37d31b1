// The panel "Model": automatic, fitted, by hand or nearest neighbours, and its settings.

import { answersWithParameters } from "../manual_model.js";
import { parameterFields } from "./parameter_fields.js";
import { choice, slider } from "./controls.js";
import { el, hint, section } from "./elements.js";
import { percent } from "./formats.js";
import { priors } from "./priors.js";

const NAMES = {
	full: ["QDA: every class an ellipse of its own", "LDA: one ellipse for all, straight boundaries"],
	diagonal: ["Gaussian naive Bayes: axes along the features", "Diagonal LDA: one upright ellipse for all"],
	spherical: ["Nearest mean, scaled: a circle for each class", "Nearest mean: one circle for all"],
};

const CHOSEN =
	"Sharing, shrinkage and transforms are those that predict rows best that they have not seen, and probabilities " +
	"are calibrated by these rows. Outlines are ellipses of the transformed features. While points are moved the " +
	"plain fitted model is shown.";

const SHARING = { min: 0, max: 1, step: 0.05 };
const SHRINKING = { min: 0, max: 1, step: 0.01 };
const SMOOTHING = { min: 0, max: 10, step: 0.5 };
const WEIGHT = { min: 0, max: 1, step: 0.05 };
const VOTERS = { min: 1, max: 50, step: 1 };

export function mount(element, app) {
	const settings = (patch, done = true) =>
		app.change({ model: { from: "data", ...patch } }, { dragging: !done });
	const from = choice("model-from", "Where the model comes from", [
		["auto", "Automatic"],
		["data", "Fitted"],
		["hand", "By hand"],
		["neighbours", "Neighbours"],
	], (value) => {
		app.change({ model: value === "hand" ? app.fitted.model : { from: value, priors: null } });
	});
	const chosen = el("p", { id: "model-chosen", "aria-live": "polite" });
	const byHandHint = hint();
	const without = el("p", { class: "hint", role: "status" }, "There is no fitted model to drag yet.");

	const covariance = choice("model-covariance", "Shape of the covariance", [
		["full", "Full"],
		["diagonal", "Diagonal"],
		["spherical", "Spherical"],
	], (value) => settings({ covariance: value }));
	const shared = slider("model-shared", "Covariance shared by the classes", SHARING,
		(value, done) => settings({ shared: asShared(value) }, done),
		{ ends: ["own", "shared"], format: (value) => ({ 0: "own", 1: "shared" })[value] ?? percent(value) });
	const name = el("p", { class: "hint", id: "model-name", "aria-live": "polite" });
	const divisor = choice("model-divisor", "Divide the scatter by", [
		["mle", "N"],
		["unbiased", "N − 1"],
	], (value) => settings({ divisor: value }));
	const shrinkage = choice("model-shrinkage", "Shrinkage", [
		["none", "None"],
		["amount", "Amount"],
		["oas", "OAS"],
		["ledoit-wolf", "Ledoit–Wolf"],
	], (value) => settings({ shrinkage: value === "amount" ? amount.input.valueAsNumber : value === "none" ? null : value }));
	const amount = slider("model-shrinkage-amount", "Shrinkage towards the diagonal", SHRINKING,
		(shrinkage, done) => settings({ shrinkage }, done), { ends: ["as estimated", "diagonal"], format: percent });
	amount.set(0.1);
	const smoothing = slider("model-smoothing", "Smoothing of categories", SMOOTHING,
		(value, done) => settings({ smoothing: value }, done), { ends: ["as counted", "towards equal"] });
	const unlabelled = slider("model-unlabelled", "Weight of points without label", WEIGHT,
		(value, done) => settings({ unlabelled_weight: value }, done),
		{ ends: ["left out", "as those with one"], format: percent });
	const neighbours = slider("model-k", "Neighbours that vote", VOTERS,
		(value, done) => app.change({ neighbours: value }, { dragging: !done }),
		{ ends: ["1: jagged", "50: smooth"] });

	const hand = parameterFields(app);
	const weights = priors(app);
	const fitted = [
		section("Covariances", covariance.root, shared.root, name),
		section("Estimation", divisor.root, shrinkage.root, amount.root, smoothing.root, unlabelled.root),
	];
	const automatic = section("Chosen", chosen, hint(CHOSEN));
	const near = section("Neighbours", neighbours.root);
	const byNumbers = section("Classes by hand", byHandHint, hand.root);
	const before = section("Priors", weights.root);
	element.append(from.root, without, automatic, ...fitted, near, before, byNumbers);

	function refresh() {
		const { model } = app.state;
		from.set(model.from);
		const answers = answersWithParameters(app);
		automatic.hidden = model.from !== "auto";
		chosen.textContent = answers[0]?.head.parameters.chosen ?? "…";
		const ready = app.fitted?.of === app.pairKey || model.from === "hand";
		from.enable("hand", ready && app.data?.features.length !== 0);
		without.hidden = ready || model.from === "neighbours";
		const numbers = app.data?.features.length !== 0;
		for (const part of fitted) part.hidden = model.from !== "data";
		fitted[0].hidden ||= !numbers;
		divisor.root.hidden = shrinkage.root.hidden = !numbers;
		smoothing.root.hidden = !app.data?.categories.length;
		unlabelled.root.hidden = !app.data?.unlabelled;
		smoothing.set(model.smoothing);
		unlabelled.set(model.unlabelled_weight);
		near.hidden = model.from !== "neighbours";
		before.hidden = model.from === "neighbours";
		byNumbers.hidden = model.from !== "hand";
		const end = app.flat ? "the square beside it" : "the end of an axis";
		byHandHint.textContent = `Drag a mean or ${end} in the plot, or type numbers here.`;
		covariance.set(model.covariance);
		shared.set(Number(model.shared));
		name.textContent = nameOf(model);
		divisor.set(model.divisor);
		const kind = typeof model.shrinkage === "number" ? "amount" : model.shrinkage ?? "none";
		shrinkage.set(kind);
		amount.root.hidden = kind !== "amount" || !numbers;
		if (kind === "amount") amount.set(model.shrinkage);
		neighbours.set(app.state.neighbours);
		hand.refresh();
		weights.refresh();
	}
	app.on("state data scene line fitted", refresh);
	refresh();
}

const asShared = (value) => (value === 0 || value === 1 ? Boolean(value) : value);

function nameOf({ covariance, shared }) {
	const [own, all] = NAMES[covariance];
	const proportion = Number(shared);
	if (proportion === 0) return own;
	if (proportion === 1) return all;
	const [from, to] = [own, all].map((text) => text.split(":")[0]);
	const way = `each covariance is shrunk ${percent(proportion)} towards the pooled one`;
	return `Between ${from} and ${to}: ${way}`;
}
