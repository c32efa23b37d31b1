// The tabs in their order, and the ids that `state.without` and `hide=` in the address may list; see docs/lab.md.

import * as data from "./data.js";
import * as layers from "./layers.js";
import * as lessons from "./lessons.js";
import * as model from "./model.js";
import * as multiples from "./multiples.js";
import * as numbers from "./numbers.js";
import * as point from "./point.js";
import * as stream from "./stream.js";
import * as takeAway from "./take_away.js";

export const PANELS = [
  ["data", "Data", data],
  ["model", "Model", model],
  ["layers", "Layers", layers],
  ["point", "Point", point],
  ["numbers", "Numbers", numbers],
  ["multiples", "Compare", multiples],
  ["stream", "Stream", stream],
  ["lessons", "Lessons", lessons],
  ["take_away", "Export", takeAway],
].map(([name, title, { mount }]) => ({ name, title, mount }));

/** The ids of all controls. Where classes have controls of their own, theirs end in a number. */
export const CONTROLS = `
  undo redo share theme tools tool-select tool-paint tool-erase tool-pan fit classes views
  view-plane view-line view-surface fit-again
  tab-data tab-model tab-layers tab-point tab-numbers tab-multiples tab-stream tab-lessons
  tab-take_away
  data-preset data-n data-seed data-new data-file data-given data-target data-x data-y data-swap
  data-test data-split
  model-from model-covariance model-shared model-divisor model-shrinkage model-shrinkage-amount
  model-priors model-priors-data model-priors-uniform model-smoothing model-unlabelled model-k
  model-hand
  layers-regions layers-boundary layers-density layers-joint layers-evidence layers-errors
  layers-truth layers-reject layers-reject-at layers-novelty layers-novelty-at
  point-set point-x point-y point-clear point-hide point-categories point-bayes point-odds
  numbers-set
  multiples-list
  stream-play stream-back stream-step stream-all stream-n stream-speed
  lessons-back lessons-next lessons-again lessons-all
  take-png take-svg take-csv take-model take-python take-python-copy take-command
  take-command-copy take-address take-state take-escape
`.trim().split(/\s+/);

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);

export function hideControls(app) {
  const known = app.state.without.filter((id) => /^[a-z][\w-]*$/i.test(id));
  sheet.replaceSync(known.map((id) => `#${id}, .control:has(> #${id}) { display: none !important; }`).join("\n"));
}
