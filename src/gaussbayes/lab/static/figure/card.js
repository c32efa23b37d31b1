// The card with Bayes' rule at the query. Its numbers multiply out: prior × likelihood ÷ evidence, as printed, is the posterior as printed.

import { el } from "./elements.js";
import { className } from "./marks.js";
import { exactNumber, probabilityText, superscript } from "./numbers.js";

const MOST_CLASSES = 6;
const MOST_DIGITS = 9;

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

/**
 * The terms of Bayes' rule for each class, with as few digits as make the printed numbers multiply out.
 * @param {{priors: number[], logLikelihood: number[], logEvidence: number, logPosterior: number[]}} terms
 * @returns {{prior: string, likelihood: string, evidence: string, posterior: string}[]}
 */
export function bayesTexts({ priors, logLikelihood, logEvidence, logPosterior }) {
	const wanted = logPosterior.map((log) => probabilityText(Math.exp(log)));
	for (let digits = 3; ; digits++) {
		const evidence = printed(logEvidence, digits);
		const rows = priors.map((prior, c) => ({ prior: printed(Math.log(prior), digits), likelihood: printed(logLikelihood[c], digits) }));
		const isRight = rows.every(({ prior, likelihood }, c) => probabilityText(Math.exp(prior.log + likelihood.log - evidence.log)) === wanted[c]);
		if (isRight || digits >= MOST_DIGITS) {
			return rows.map(({ prior, likelihood }, c) => ({ prior: prior.text, likelihood: likelihood.text, evidence: evidence.text, posterior: wanted[c] }));
		}
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
