// The card with Bayes' rule at the query. Its numbers multiply out: prior × likelihood ÷ evidence, as printed, is the posterior as printed.

import { el } from "./elements.js";
import { className } from "./marks.js";
import { exactNumber, probabilityText, superscript } from "./numbers.js";

const MOST_CLASSES = 6;
const MOST_TRIED = 20;

/** A number from its logarithm to some significant digits: {text, log}, where log is that of the number as printed. */
function printed(log, digits) {
	if (log === -Infinity) return { text: "0", log };
	const tens = log / Math.LN10;
	if (tens > -3 && tens < 5) {
		const value = Number(Math.exp(log).toPrecision(digits));
		return { text: String(value), log: Math.log(value) };
	}
	let power = Math.floor(tens);
	let front = Number((10 ** (tens - power)).toFixed(digits - 1));
	if (front >= 10) [front, power] = [front / 10, power + 1];
	return { text: `${front.toFixed(digits - 1)}·10${superscript(power)}`, log: Math.log(front) + power * Math.LN10 };
}

/** A posterior with some decimals; a very small one with as many significant digits less one. */
const posteriorText = (value, decimals) => (value > 0 && value < 0.001 ? printed(Math.log(value), decimals - 1).text : value.toFixed(decimals));

/**
 * The terms of Bayes' rule for each class, with as few digits as make the printed numbers multiply out.
 * @param {{priors: number[], logLikelihood: number[], logEvidence: number, logPosterior: number[]}} terms
 * @returns {{prior: string, likelihood: string, evidence: string, posterior: string}[]}
 */
export function bayesTexts({ priors, logLikelihood, logEvidence, logPosterior }) {
	for (let tried = 6; ; tried++) {
		// 3 digits and 3 decimals; if these do not multiply out 4 and 3, 4 and 4, 5 and 4, …
		const [digits, decimals] = [Math.ceil(tried / 2), Math.floor(tried / 2)];
		const evidence = printed(logEvidence, digits);
		const rows = priors.map((prior, c) => {
			const [p, l, truth] = [printed(Math.log(prior), digits), printed(logLikelihood[c], digits), posteriorText(Math.exp(logPosterior[c]), decimals)];
			const isRight = posteriorText(Math.exp(p.log + l.log - evidence.log), decimals) === truth;
			return { isRight, prior: p.text, likelihood: l.text, evidence: evidence.text, posterior: truth };
		});
		if (rows.every(({ isRight }) => isRight) || tried === MOST_TRIED) return rows;
	}
}

/** The card of a figure: {element, refresh()}. */
export function cardOf(figure) {
	const title = el("div", { class: "gb-card-title" });
	const body = el("div", { class: "gb-card-body" });
	const element = el("section", { class: "gb-card", "aria-label": "Bayes’ rule at the query" }, title, body);
	const refresh = () => {
		const { scene } = figure;
		element.hidden = !scene.row || !scene.model;
		if (element.hidden) return;
		title.textContent = scene.names.map((name, i) => `${name} = ${valueText(scene, i)}`).join(" · ");
		body.replaceChildren(cardBody(scene));
	};
	return { element, refresh };
}

function valueText({ hidden, row, state, memo }, i) {
	if (hidden[i] || row[i] === null) return "not measured";
	return typeof row[i] === "number" ? exactNumber(state.query[i], memo.units?.[i] ?? 0) : String(row[i]);
}

function cardBody({ model, row, classes }) {
	let posterior;
	try {
		posterior = model.posterior(row);
	} catch (error) {
		return el("p", {}, error.message);
	}
	const order = posterior.map((_, c) => c).sort((a, b) => posterior[b] - posterior[a]);
	const kept = order.slice(0, MOST_CLASSES).sort((a, b) => a - b);
	const others = order.length - kept.length;
	const note = others ? el("p", { class: "gb-card-note" }, `${others} other classes, together ${probabilityText(order.slice(MOST_CLASSES).reduce((sum, c) => sum + posterior[c], 0))}`) : null;
	const best = order[0];
	if (!model.factors) return el("div", {}, posteriorTable(kept, classes, posterior, best), el("p", { class: "gb-card-note" }, `Computed by Python: ${model.reason ?? ""}`), note);
	const logLikelihood = model.logLikelihood(row);
	const texts = bayesTexts({ priors: model.priors, logLikelihood, logEvidence: model.logEvidence(row), logPosterior: model.logPosterior(row) });
	const highest = Math.max(...logLikelihood);
	const shares = { prior: model.priors, likelihood: logLikelihood.map((log) => Math.exp(log - highest)), posterior };
	const head = ["", "prior", "× likelihood", "÷ evidence", "= posterior"].map((text) => el("th", { scope: "col" }, text));
	const cell = (c, term) => el("td", { class: `gb-${term}` }, texts[c][term], shares[term] && el("span", { class: "gb-bar", "aria-hidden": "true", own: { "--share": shares[term][c] } }));
	const line = (c) => el("tr", { class: c === best ? "gb-best" : null, own: { "--own": `var(--gb-class-${c}, var(--gb-faint))` } },
		el("th", { scope: "row" }, className(c, classes[c])), ["prior", "likelihood", "evidence", "posterior"].map((term) => cell(c, term)));
	return el("div", {}, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, kept.map(line))), note);
}

function posteriorTable(kept, classes, posterior, best) {
	const line = (c) => el("tr", { class: c === best ? "gb-best" : null, own: { "--own": `var(--gb-class-${c}, var(--gb-faint))` } },
		el("th", { scope: "row" }, className(c, classes[c])),
		el("td", { class: "gb-posterior" }, probabilityText(posterior[c]), el("span", { class: "gb-bar", "aria-hidden": "true", own: { "--share": posterior[c] } })));
	return el("table", {}, el("thead", {}, el("tr", {}, el("th", {}), el("th", { scope: "col" }, "posterior"))), el("tbody", {}, kept.map(line)));
}
