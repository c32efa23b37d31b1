// The key above the plane: what rings, lines and shading mean, those that are drawn now.

import { el, svg } from "../panels/elements.js";
import { isFitted } from "../state.js";

const line = (attributes) => svg("line", { x1: 1, x2: 19, y1: 7, y2: 7, ...attributes });
const hatch = (d) => svg("path", { d });

/** [whether it is drawn, sign, words, what it means]. */
function entries(app) {
  const { layers, hide, model } = app.state;
  const { test, unlabelled, truth } = app.data;
  const blend = layers.regions === "blend";
  const handles = app.gaussians !== null;
  return [
    [handles, [svg("circle", { cx: 10, cy: 7, r: 5, class: "open" })], "mean", "The mean of a class: drag it"],
    [handles && hide === null, [svg("rect", { x: 6, y: 3, width: 8, height: 8, rx: 2, class: "open" })], "axis",
      "The end of an axis of its ellipse, one standard deviation away: drag it to stretch and turn the class"],
    [layers.density && model.from !== "neighbours", [svg("ellipse", { cx: 10, cy: 7, rx: 8, ry: 4.5, class: "own" })], "1, 2, 3 σ",
      "Each class at 1, 2 and 3 standard deviations from its mean: of a Gaussian 39 %, 86 % and 99 % lie within"],
    [layers.boundary, [line({ class: "thick" })], "boundary", "Here the two most probable classes are equally probable"],
    [layers.truth && truth, [line({ class: "thick", "stroke-dasharray": "5 3" })], "Bayes boundary",
      "The boundary of the Gaussians that the rows were drawn from: none is better"],
    [layers.regions !== "none", [svg("rect", { x: 1, y: 1, width: 18, height: 12, class: blend ? "blend" : "hard" })],
      blend ? "probability" : "prediction",
      blend ? "Colours blend as the classes' posterior probabilities do" : "The colour of the most probable class"],
    [layers.joint, [line({ class: "own", "stroke-dasharray": "4 2" })], "prior × density", "Contours of each class's prior × density"],
    [layers.evidence, [line({})], "evidence", "Contours of the evidence p(x), the sum of prior × density"],
    [layers.reject !== null, [hatch("M1 13L13 1M7 13L19 1")], "left open", "No class is probable enough here"],
    [layers.novelty !== null, [hatch("M1 1L13 13M7 1L19 13")], "novel", "No class is near: new kinds of points may lie here"],
    [layers.errors, [svg("circle", { cx: 10, cy: 7, r: 6 }), svg("circle", { cx: 10, cy: 7, r: 2.5, class: "dot" })], "wrong",
      "Ringed: the model puts this point into a wrong class"],
    [test.includes(1), [svg("circle", { cx: 10, cy: 7, r: 4, class: "own" })], "held out", "Hollow: held out for testing, not learnt from"],
    [unlabelled > 0, [svg("circle", { cx: 10, cy: 7, r: 3, class: "grey" })], "no label", "Grey: a point without label"],
  ].filter(([drawn]) => drawn);
}

export function mountKey(app, root) {
  let shown = "";
  const update = () => {
    if (!app.data || app.dragging) return;
    const found = entries(app);
    const now = JSON.stringify([found.map(([, , words]) => words), isFitted(app.state.model)]);
    if (now === shown) return;
    shown = now;
    const item = ([, sign, words, meaning]) =>
      el("li", { class: "term", tabindex: 0, title: meaning, "aria-description": meaning },
        svg("svg", { viewBox: "0 0 20 14", "aria-hidden": "true" }, sign), words);
    root.replaceChildren(...found.map(item));
  };
  app.on("state data fitted", update);
}
