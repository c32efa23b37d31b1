// The panel "Layers": what is drawn in the plane.

import { choice, slider, toggle } from "./controls.js";
import { el, section } from "./elements.js";
import { percent, short } from "./formats.js";

const SWITCHES = [
  ["boundary", "Boundaries", "Where the most probable class changes"],
  ["density", "Ellipses, 1 to 3 σ", "Contours of each class's density"],
  ["joint", "Joint density", "Contours of prior × density of each class"],
  ["evidence", "Evidence", "Contours of p(x), the density of all classes together"],
  ["errors", "Errors ringed", "Points that the model puts into another class"],
  ["truth", "Bayes boundary", "The best possible boundary, where the generator is known"],
];
const REJECT = {
  label: "Reject zone",
  title: "Posterior needed",
  limits: { min: 0.5, max: 0.995, step: 0.005 },
  start: 0.9,
  format: percent,
  meaning: "Where no class is probable enough: hatched",
};
const NOVELTY = {
  label: "Novelty zone",
  title: "Proportion of typical points lost",
  limits: { min: -4, max: -0.5, step: 0.05 }, // powers of ten
  start: 0.01,
  format: short,
  meaning: "Where points are unlike every class: hatched",
  toValue: (power) => Number((10 ** power).toPrecision(2)),
  toPlace: Math.log10,
};

export function mount(element, app) {
  const layer = (layers, done = true) => app.change({ layers }, { dragging: !done });
  const regions = choice("layers-regions", "Regions", [
    ["blend", "Posterior", "Colours mixed by the posterior probabilities"],
    ["hard", "Decision", "The colour of the most probable class"],
    ["none", "None", "No colours"],
  ], (value) => layer({ regions: value }));
  const switches = SWITCHES.map(([name, label, meaning]) => ({
    name,
    control: toggle(`layers-${name}`, label, (on) => layer({ [name]: on }), meaning),
  }));
  const reject = threshold("reject", REJECT, layer);
  const novelty = threshold("novelty", NOVELTY, layer);
  const note = el("p", { class: "hint", role: "status" });
  element.append(
    section("In the plane", regions.root, el("div", { class: "switches" }, switches.map((one) => one.control.root)), note),
    section("Zones without a decision", reject.root, novelty.root),
  );

  function refresh() {
    const { layers } = app.state;
    regions.set(layers.regions);
    for (const { name, control } of switches) control.set(layers[name]);
    reject.set(layers.reject);
    novelty.set(layers.novelty);
    const truth = app.answers.data?.head.truth ?? null;
    switches.at(-1).control.input.disabled = truth === null;
    note.textContent = bayesNote(app, truth);
  }
  app.on("state data scene", refresh);
  refresh();
}

function bayesNote(app, truth) {
  if (truth === null) return "The Bayes boundary is known only of examples drawn from Gaussians.";
  const bayes = app.answers.scene?.head.errors?.bayes;
  if (!bayes || !app.state.layers.truth) return "";
  const about = `± ${percent(bayes.standard_error)}`;
  return `No classifier errs less than ${percent(bayes.error)} on these classes (${about}).`;
}

function threshold(name, about, layer) {
  const { label, title, limits, start, format, meaning, toValue = Number, toPlace = Number } = about;
  let value = start;
  const switched = (checked) => layer({ [name]: checked ? value : null });
  const moved = (place, done) => layer({ [name]: toValue(place) }, done);
  const on = toggle(`layers-${name}`, label, switched, meaning);
  const written = (place) => format(toValue(place));
  const at = slider(`layers-${name}-at`, title, limits, moved, { format: written });
  return {
    root: el("div", { class: "threshold" }, on.root, at.root),
    set(now) {
      on.set(now !== null);
      at.root.hidden = now === null;
      value = now ?? value;
      at.set(toPlace(value));
    },
  };
}
