// The card with Bayes' rule at the query. Its numbers multiply out: prior × likelihood ÷ evidence as printed is the posterior.

import { classVariable } from "./colours.js";
import { el } from "./elements.js";
import { className } from "./marks.js";
import { exactNumber, probabilityText, superscript } from "./numbers.js";
import { neighbourRule } from "./scene.js";

const MOST_CLASSES = 6;
const MOST_TRIED = 20;
const TIE = 1e-12;

/** A number from its logarithm to some significant digits: {text, log}, where log is that of the number as printed. */
function printed(log, digits) {
	if (log === -Infinity) return { text: "0", log };
	const tens = log / Math.LN10;
	const power = tens > -3 && tens < 5 ? 0 : Math.floor(tens);
	const [front, more] = (10 ** (tens - power)).toExponential(digits - 1).split("e").map(Number); // 9.996 becomes 1.00e+1
	const value = front * 10 ** more;
	const text = power ? `${front.toFixed(digits - 1)}·10${superscript(power + more)}` : String(Number(value.toPrecision(digits)));
	return { text, log: Math.log(value) + power * Math.LN10 };
}

/** A posterior with some decimals; a very small one with one significant digit less. */
function posteriorText(value, decimals) {
	return value > 0 && value < 0.001 ? printed(Math.log(value), decimals - 1).text : value.toFixed(decimals);
}

/**
 * The terms of Bayes' rule for each class, with the fewest digits for which the printed numbers multiply out.
 * @param {{priors: number[], logLikelihood: number[], logEvidence: number, logPosterior: number[]}} terms
 * @returns {{prior: string, likelihood: string, evidence: string, posterior: string}[]}
 */
export function bayesTexts({ priors, logLikelihood, logEvidence, logPosterior }) {
	for (let tried = 6; ; tried++) {
		// 3 digits and 3 decimals; if these do not multiply out 4 and 3, 4 and 4, 5 and 4, …
		const [digits, decimals] = [Math.ceil(tried / 2), Math.floor(tried / 2)];
		const evidence = printed(logEvidence, digits);
		const rows = priors.map((prior, c) => {
			const [p, l] = [printed(Math.log(prior), digits), printed(logLikelihood[c], digits)];
			const posterior = posteriorText(Math.exp(logPosterior[c]), decimals);
			// A product that ends in 5 may be rounded up or down: it needs more digits.
			const product = (nudge) => posteriorText(Math.exp(p.log + l.log - evidence.log + nudge), decimals);
			const isRight = product(-TIE) === posterior && product(TIE) === posterior;
			return { isRight, prior: p.text, likelihood: l.text, evidence: evidence.text, posterior };
		});
		if (rows.every(({ isRight }) => isRight) || tried === MOST_TRIED) return rows;
	}
}

/** The card of a figure: {element, refresh()}. */
export function cardOf(figure) {
	const [title, body] = [el("div", { class: "gb-card-title" }), el("div")];
	const element = el("div", { class: "gb-card", role: "group", "aria-label": "Classes at the query" }, title, body);
	const refresh = () => {
		const { row, model, names, layers } = figure.scene;
		element.hidden = !row || !(model || layers.neighbours);
		if (element.hidden) return;
		const written = (value) => (typeof value === "number" ? exactNumber(value, 1e-5 * Math.abs(value)) : value);
		const said = (value) => (value === null ? "not measured" : `= ${written(value)}`);
		title.textContent = names.map((name, i) => `${name} ${said(row[i])}`).join(" · ");
		body.replaceChildren(...cardParts(figure.scene));
	};
	return { element, refresh };
}

/** A table of the most probable classes, with notes. */
function cardParts(scene) {
	const { model, row, classes, state, layers } = scene;
	const isVote = layers.neighbours;
	let posterior = null;
	try {
		if (isVote && row.includes(null)) throw new Error("Only queries with all features measured have nearest rows.");
		posterior = isVote ? neighbourRule(scene).vote(row) : model.posterior(row);
	} catch ({ message }) {
		return [el("p", { class: "gb-card-note" }, message)];
	}
	const order = posterior.map((_, c) => c).sort((a, b) => posterior[b] - posterior[a]);
	const kept = order.slice(0, MOST_CLASSES).sort((a, b) => a - b);
	const rest = order.slice(MOST_CLASSES).reduce((sum, c) => sum + posterior[c], 0);
	const note = (text) => el("p", { class: "gb-card-note" }, text);
	const others = order.length - kept.length;
	const notes = others ? [note(`${others} other classes, together ${probabilityText(rest)}`)] : [];
	if (isVote || !model.factors) {
		const texts = posterior.map((value) => ({ posterior: probabilityText(value) }));
		const head = isVote ? `votes of the ${state.neighbours ?? 5} nearest rows` : "posterior";
		const table = termTable({ posterior: head }, kept, classes, texts, { posterior }, order[0]);
		return [table, ...(isVote ? [] : [note(`Computed by Python: ${model.reason}`)]), ...notes];
	}
	const logLikelihood = model.logLikelihood(row);
	const highest = Math.max(...logLikelihood);
	const { priors } = model;
	const texts = bayesTexts({ priors, logLikelihood, logEvidence: model.logEvidence(row), logPosterior: model.logPosterior(row) });
	const shares = { prior: priors, likelihood: logLikelihood.map((log) => Math.exp(log - highest)), posterior };
	const heads = { prior: "prior", likelihood: "× likelihood", evidence: "÷ evidence", posterior: "= posterior" };
	return [termTable(heads, kept, classes, texts, shares, order[0]), ...notes];
}

/** A row for each class, a column for each term with its number and, for proportions, a bar. */
function termTable(heads, kept, classes, texts, shares, best) {
	const bar = (share) => el("span", { class: "gb-bar", "aria-hidden": "true", own: { "--share": share } });
	const cell = (term, c) => el("td", { class: `gb-${term}` }, texts[c][term], shares[term] && bar(shares[term][c]));
	const line = (c) => el("tr", { class: c === best && "gb-best", own: { "--own": classVariable(c) } },
		el("th", { scope: "row" }, className(c, classes[c])), Object.keys(heads).map((term) => cell(term, c)));
	const top = el("tr", {}, el("td"), Object.values(heads).map((head) => el("th", { scope: "col" }, head)));
	return el("table", {}, el("thead", {}, top), el("tbody", {}, kept.map(line)));
}
