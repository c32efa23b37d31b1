// Bayes' rule at one place: the formula, and a line with its numbers for every class.

import { bar, classColour, el, math, term } from "./elements.js";
import { fromLog, percent, probability, short } from "./formats.js";
import { className } from "./marks.js";

export function bayesFormula() {
	const word = (text) => math("mi", text);
	const sign = (text) => {
		const operator = math("mo", text);
		operator.setAttribute("stretchy", "false"); // what stands under a formula makes no taller brackets
		return operator;
	};
	const of = (head, ...inner) => math("mrow", word(head), sign("("), ...inner, sign(")"));
	const under = (text, formula) => math("munder", formula, math("mtext", text));
	const given = () => sign("|");
	const joint = [under("prior", of("P", word("c"))), sign("×"), under("likelihood", of("p", word("x"), given(), word("c")))];
	const fraction = math("mfrac", math("mrow", ...joint), under("evidence", of("p", word("x"))));
	const formula = math("math", under("posterior", of("P", word("c"), given(), word("x"))), sign("="), fraction);
	formula.setAttribute("display", "block");
	return el("div", { class: "formula" }, formula);
}

/** A class that no row is known of has no row. Bars of likelihoods are relative to the largest. */
export function bayesLines(app, explanation, labels, pValues = null) {
	const { classes } = explanation;
	const most = Math.max(...classes.map((terms) => terms.log_likelihood ?? -Infinity));
	const best = Math.max(...classes.map((terms) => terms.posterior));
	const rows = classes.map((terms) => {
		const { prior, likelihood, log_likelihood: log, posterior } = terms;
		const code = labels.indexOf(String(terms.class));
		const away = `${short(Math.sqrt(terms.squared_distance), 2)} σ away · ${percent(pValues?.[code])} of the class lie farther out`;
		return rule(app, code, terms.class, posterior === best, [
			["prior", prior, probability(prior)],
			["likelihood", log === null ? 0 : Math.exp(log - most), fromLog(likelihood, log)],
			["posterior", posterior, probability(posterior)],
		], pValues && away);
	});
	const heads = [term("prior"), ["× ", term("likelihood")], ["→ ", term("posterior")]];
	const sum = el("b", { class: "evidence" }, fromLog(explanation.evidence, explanation.log_evidence));
	const foot = ["divided by the ", term("evidence"), ", the sum of prior × likelihood: ", sum];
	return ruleTable(heads, rows, el("tfoot", {}, el("tr", {}, el("td", { colspan: 4 }, foot))));
}

export function voteProportions(app, labels, posterior) {
	const row = (votes, code) => rule(app, code, labels[code], false, [["posterior", votes, percent(votes)]]);
	return ruleTable([term("proportion of votes")], posterior.map(row));
}

function ruleTable(heads, rows, foot = null) {
	const head = el("tr", {}, el("td"), heads.map((each) => el("th", { scope: "col" }, each)));
	return el("table", { class: "bayes" }, el("thead", {}, head), el("tbody", {}, rows.flat()), foot);
}

function rule(app, code, label, best, cells, note = null) {
	const cell = ([kind, size, text]) => el("td", { class: kind }, text, bar(size));
	const own = { "--own": classColour(code) };
	const who = el("th", { scope: "row" }, className(app, code, label));
	const row = el("tr", { class: best ? "bayes-class best" : "bayes-class", own }, who, cells.map(cell));
	return note ? [row, el("tr", {}, el("td", { colspan: 4, class: "note" }, note))] : [row];
}
