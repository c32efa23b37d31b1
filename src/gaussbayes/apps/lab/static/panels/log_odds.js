// What each feature adds to the log-odds of two classes, as bars to both sides of nought.

import { classColour, el, term } from "./elements.js";
import { added, short } from "./formats.js";

/** Bars for the start, every feature and the sum; none where there is but one class. */
export function logOdds(app, odds, labels) {
	if (!odds) return null;
	const codes = [odds.of, odds.against].map((label) => labels.findIndex((one) => String(one) === String(label)));
	const amounts = [
		[term("at the start"), odds.at_reference, null],
		...odds.contributions.map((one) => [named(one), amountOf(one, odds), said(one)]),
	];
	if (odds.adjustment) {
		const { by, amount } = odds.adjustment;
		amounts.push([by, amount ?? Infinity, "Added to the log-odds of the densities"]);
	}
	const sizes = [...amounts.map(([, amount]) => amount), odds.value].map((amount) => Math.abs(amount ?? 0));
	const largest = Math.max(1e-9, ...sizes.filter(Number.isFinite));
	const bar = (name, amount, note, kind) => {
		const own = classColour(codes[(amount ?? 0) < 0 ? 1 : 0]);
		const size = amount === null ? 1 : Math.min(1, Math.abs(amount) / largest);
		return el("div", { class: `odds ${kind}`, role: "listitem" },
			el("span", { class: "name", title: note }, name),
			el("span", { class: (amount ?? 0) < 0 ? "beam against" : "beam for", "aria-hidden": "true" },
				el("span", { own: { "--own": own, "--proportion": size } })),
			el("span", { class: "amount" }, added(amount)),
		);
	};
	return el("div", { class: "log-odds" },
		el("p", { class: "sides", "aria-hidden": "true" },
			el("span", {}, `← ${odds.against}`), el("span", {}, `${odds.of} →`)),
		el("div", { role: "list", "aria-label": `Log-odds of ${odds.of} against ${odds.against}` },
			amounts.map(([name, amount, note]) => bar(name, amount, note, "part-of")),
			bar(term("together"), odds.value, null, "whole")),
	);
}

function named({ feature, value }) {
	return typeof value === "number" || value === null ? feature : `${feature}: ${value}`;
}

function amountOf({ amount, rules_out: gone }, odds) {
	if (amount !== null || gone === null) return amount;
	return String(gone) === String(odds.of) ? -Infinity : Infinity;
}

function said({ missing, unseen, value, reference, rules_out: gone }) {
	if (missing) return "hidden: it adds nothing";
	if (unseen) return `${value} was not there in training: it adds nothing`;
	if (gone !== null) return `${value} never occurred in ${gone}, which it rules out: see smoothing`;
	if (reference === null) return `${value}, compared with a value that is not known`;
	return `value ${short(value)}, compared with ${short(reference)}`;
}
