// What each feature adds to the log-odds of two classes, as bars to both sides of nought.

import { classColour, el } from "./elements.js";
import { added, short } from "./formats.js";

/** Bars for the start, every feature and the sum; none where there is but one class. */
export function logOdds(app, odds, labels) {
  if (!odds) return null;
  const codes = [odds.of, odds.against].map((label) => labels.findIndex(
    (one) => String(one) === String(label),
  ));
  const amounts = [
    [
      "at the start",
      odds.at_reference,
      "At the mean of all classes, before the features are looked at",
    ],
    ...odds.contributions.map((one) => [one.feature, one.amount, said(one)]),
  ];
  const largest = Math.max(
    1e-9,
    ...[...amounts.map(([, amount]) => amount), odds.value].map((amount) => Math.abs(amount ?? 0)),
  );
  const bar = (name, amount, note, kind) => {
    const own = classColour(codes[(amount ?? 0) < 0 ? 1 : 0]);
    const size = amount === null ? 1 : Math.abs(amount) / largest;
    return el(
      "div",
      { class: `odds ${kind}`, role: "listitem" },
      el("span", { class: "name", title: note }, name),
      el("span", { class: (amount ?? 0) < 0 ? "beam against" : "beam for", "aria-hidden": "true" },
        el("span", { own: { "--own": own, "--share": size } })),
      el("span", { class: "amount" }, added(amount)),
    );
  };
  return el(
    "div",
    { class: "log-odds" },
    el(
      "p",
      { class: "sides", "aria-hidden": "true" },
      el("span", {}, `← ${odds.against}`),
      el("span", {}, `${odds.of} →`),
    ),
    el("div", { role: "list", "aria-label": `Log-odds of ${odds.of} against ${odds.against}` },
      amounts.map(([name, amount, note]) => bar(name, amount, note, "part-of")),
      bar("together", odds.value, `log P(${odds.of} | x) − log P(${odds.against} | x)`, "whole")),
  );
}

function said(one) {
  if (one.missing) return "hidden: it adds nothing";
  return `value ${short(one.value)}, compared with ${short(one.reference)}`;
}
