// The panels beside the plot, and every control in them by its id.
//
// `PANELS` is the order of the tabs; `mount` of each fills the element that the tab shows.
// `CONTROLS` says what each control is for, those of the toolbar too: its keys are the names that
// `state.without` (and `hide=` in the address) may list; `hideControls` hides those. They are listed
// in docs/lab.md.

import * as data from "./data.js";
import * as layers from "./layers.js";
import * as lessons from "./lessons.js";
import * as model from "./model.js";
import * as multiples from "./multiples.js";
import * as numbers from "./numbers.js";
import * as point from "./point.js";
import * as stream from "./stream.js";
import * as takeAway from "./take_away.js";

const panel = (name, title, { mount }) => ({
  name,
  title,
  mount(element, app) {
    element.classList.add("panel");
    mount(element, app);
  },
});

export const PANELS = [
  panel("data", "Data", data),
  panel("model", "Model", model),
  panel("layers", "Layers", layers),
  panel("point", "Point", point),
  panel("numbers", "Numbers", numbers),
  panel("multiples", "Compare", multiples),
  panel("stream", "Stream", stream),
  panel("lessons", "Lessons", lessons),
  panel("take_away", "Take away", takeAway),
];

/** Every control by its id. Where classes have controls of their own, the id ends in a number. */
export const CONTROLS = {
  undo: "one step back",
  redo: "one step on",
  share: "copy the address",
  theme: "light or dark",
  tools: "what the pointer does",
  "tool-select": "look at places, move points",
  "tool-paint": "paint points",
  "tool-erase": "erase points",
  "tool-pan": "shift the window",
  fit: "show all points",
  classes: "the classes, and which to paint",
  views: "plane, line or 3-D",
  "view-plane": "the plane",
  "view-line": "one feature",
  "view-surface": "the evidence in 3-D",
  "fit-again": "fit a model by hand to the points again",
  "tab-data": "the panel of data",
  "tab-model": "the panel of the model",
  "tab-layers": "the panel of layers",
  "tab-point": "the panel of a point",
  "tab-numbers": "the panel of numbers",
  "tab-multiples": "the panel that compares",
  "tab-stream": "the panel of the stream",
  "tab-lessons": "the panel of lessons",
  "tab-take_away": "the panel of what can be kept",
  "data-preset": "which example",
  "data-n": "how many rows are drawn",
  "data-seed": "the seed of the draw",
  "data-new": "draw again",
  "data-file": "a table of one's own",
  "data-given": "the table of the command line",
  "data-target": "the column to predict",
  "data-x": "the feature across",
  "data-y": "the feature up",
  "data-swap": "the two features change places",
  "data-test": "the proportion held out",
  "data-split": "hold out other rows",
  "model-from": "automatic, fitted, by hand or neighbours",
  "model-covariance": "the shape of covariances",
  "model-shared": "how far covariances are shared",
  "model-divisor": "N or N − 1",
  "model-shrinkage": "whether covariances are shrunk",
  "model-shrinkage-amount": "how far covariances are shrunk",
  "model-priors": "the priors and their buttons",
  "model-priors-data": "priors from the data",
  "model-priors-uniform": "equal priors",
  "model-smoothing": "smoothing of categories",
  "model-unlabelled": "the weight of points without label",
  "model-k": "how many neighbours vote",
  "model-hand": "numbers of a model by hand",
  "layers-regions": "how regions are coloured",
  "layers-boundary": "boundaries",
  "layers-density": "ellipses",
  "layers-joint": "contours of the joint densities",
  "layers-evidence": "contours of the evidence",
  "layers-errors": "rings about errors",
  "layers-truth": "the Bayes boundary",
  "layers-reject": "the reject zone",
  "layers-reject-at": "its threshold",
  "layers-novelty": "the novelty zone",
  "layers-novelty-at": "its threshold",
  "point-set": "put a point in the middle",
  "point-x": "the point's first coordinate",
  "point-y": "the point's second coordinate",
  "point-clear": "take the point away",
  "point-pad": "move the point",
  "point-hide": "a coordinate that was not measured",
  "point-categories": "categories that are known of the point",
  "point-bayes": "Bayes' rule at the point",
  "point-odds": "what each feature adds to the log-odds",
  "numbers-set": "train, test or left out",
  "multiples-list": "the models side by side",
  "stream-play": "play or pause",
  "stream-back": "one point back",
  "stream-step": "one point on",
  "stream-all": "all points",
  "stream-n": "how many points were seen",
  "stream-speed": "points a second",
  "lessons-back": "the step before",
  "lessons-next": "the next step",
  "lessons-again": "set the step up again",
  "lessons-all": "the list of lessons",
  "take-png": "the figure as PNG",
  "take-svg": "the figure as SVG",
  "take-csv": "the data as CSV",
  "take-model": "the model file",
  "take-python": "the same in Python",
  "take-python-copy": "copy it",
  "take-command": "the same on the command line",
  "take-command-copy": "copy it",
  "take-address": "copy the address",
};

const sheet = new CSSStyleSheet();

/** Hide the controls that the state names, those that are made later too. */
export function hideControls(app) {
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets = [
    ...document.adoptedStyleSheets,
    sheet,
  ];
  const known = app.state.without.filter(
    (id) => typeof id === "string" && /^[a-z][\w-]*$/i.test(id),
  );
  sheet.replaceSync(
    known.map((id) => `#${id}, .control:has(> #${id}) { display: none !important; }`).join("\n"),
  );
}
