// Bayes' rule at one place: the formula, and a line with its numbers for every class.

import { classColour, el, math } from "./elements.js";
import { fromLog, percent, probability, short } from "./formats.js";
import { className } from "./marks.js";

/** P(c | x) = P(c) p(x | c) ∕ p(x), in MathML. */
export function bayesFormula() {
  const word = (text) => math("mi", text);
  const sign = (text) => math("mo", text);
  const of = (head, ...inner) => math("mrow", word(head), sign("("), ...inner, sign(")"));
  const under = (text, formula) => math("munder", formula, math("mtext", text));
  const given = () => sign("|");
  const fraction = math(
    "mfrac",
    math(
      "mrow",
      under("prior", of("P", word("c"))),
      sign("×"),
      under("likelihood", of("p", word("x"), given(), word("c"))),
    ),
    under("evidence", of("p", word("x"))),
  );
  const formula = math(
    "math",
    under("posterior", of("P", word("c"), given(), word("x"))),
    sign("="),
    fraction,
  );
  formula.setAttribute("display", "block");
  return el("div", { class: "formula" }, formula);
}

/**
 * A line for every class: prior × likelihood ÷ evidence = posterior.
 *
 * A class that no row is known of has no line. Numbers are plain where they are in the range of
 * floats, else powers of ten made of their logarithms.
 */
export function bayesLines(app, explanation, labels, pValues) {
  const best = bestOf(explanation.classes);
  const evidence = fromLog(explanation.evidence, explanation.log_evidence);
  const cell = (kind, text) => el("span", { class: kind, role: "cell" }, text);
  const sign = (text) => el("span", { class: "sign", "aria-hidden": "true" }, text);
  const heads = ["Class", "prior", "likelihood", "evidence", "posterior"];
  return el(
    "div",
    {
      class: "bayes",
      role: "table",
      "aria-label": "Prior times likelihood divided by evidence is the posterior, for every class",
    },
    el(
      "div",
      { class: "bayes-heads", role: "row" },
      heads.map((head) => el("span", { role: "columnheader" }, head)),
    ),
    explanation.classes.map((terms, i) => {
      const code = labels.indexOf(String(terms.class));
      return el(
        "div",
        {
          class: i === best ? "bayes-class best" : "bayes-class",
          role: "row",
          own: { "--own": classColour(code) },
        },
        el("span", { role: "rowheader", class: "who" }, className(app, code, terms.class)),
        el(
          "span",
          { class: "sum", role: "presentation" },
          cell("prior", probability(terms.prior)),
          sign("×"),
          cell("likelihood", fromLog(terms.likelihood, terms.log_likelihood)),
          sign("÷"),
          cell("evidence", evidence),
          sign("="),
          cell("posterior", probability(terms.posterior)),
        ),
        el(
          "span",
          { class: "bar", "aria-hidden": "true" },
          el("span", { own: { "--proportion": terms.posterior ?? 0 } }),
        ),
        pValues && el("span", {
          class: "typical",
          role: "cell",
          title: "The proportion of this class that lies farther out",
        },
          `${short(Math.sqrt(terms.squared_distance), 2)} σ away · `,
          `${percent(pValues[code])} lie farther out`),
      );
    }),
  );
}

/** The proportion of votes for each class. */
export function voteProportions(app, labels, posterior) {
  return el("ul", { class: "bayes votes" }, posterior.map((proportion, code) =>
    el("li", { class: "bayes-class", own: { "--own": classColour(code) } },
      el("span", { class: "who" }, className(app, code, labels[code]), " ", percent(proportion)),
      el(
        "span",
        { class: "bar", "aria-hidden": "true" },
        el("span", { own: { "--proportion": proportion } }),
      ))));
}

function bestOf(classes) {
  return classes.reduce(
    (best, terms, code) => (terms.posterior > classes[best].posterior ? code : best),
    0,
  );
}
