// What the words of the page mean, said where they stand.

import { el } from "./elements.js";

const TERMS = {
  prior: "How probable a class is before anything is measured",
  likelihood: "How dense the class is at this place: p(x | class). Not a probability; it may be above 1",
  evidence: "How dense all classes together are at this place: the sum of prior × likelihood",
  posterior: "How probable the class is after measuring: prior × likelihood, divided by their sum over the classes",
  "training error": "The proportion of the rows learnt from that the model puts into a wrong class, by the features that are shown",
  "test error": "The proportion of the rows held out that the model puts into a wrong class: the honest one",
  "Bayes error": "What no rule can be better than, since the classes overlap: known where rows are drawn from known Gaussians",
};

/** A word with its meaning: shown by the pointer and by the focus, told to screen readers. */
export function term(name, text = name) {
  const meaning = TERMS[name];
  return el("span", { class: "term", tabindex: 0, title: meaning, "aria-description": meaning }, text);
}
