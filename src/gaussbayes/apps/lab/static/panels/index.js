// The tabs in their order; and how controls are hidden that `hide=` in the address names, see docs/lab.md.

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

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);

export function hideControls(app) {
	const known = app.state.without.filter((id) => /^[a-z][\w-]*$/i.test(id));
	sheet.replaceSync(known.map((id) => `#${id}, .control:has(> #${id}) { display: none !important; }`).join("\n"));
}
