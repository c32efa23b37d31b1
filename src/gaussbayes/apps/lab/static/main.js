// The beginning: what the server says about itself, then the parts of the page around one app.

import { App } from "./app.js";
import { mountCard } from "./card.js";
import { watchTheme } from "./drawing/colours.js";
import { mountCategoryBars } from "./drawing/category_bars.js";
import { mountKey } from "./drawing/key.js";
import { LineView } from "./drawing/line.js";
import { Plot } from "./drawing/plot.js";
import { Pointer } from "./drawing/pointer.js";
import { mountKeyboard } from "./keyboard.js";
import { mountFilters } from "./filters.js";
import { mountHelp } from "./help.js";
import { find, useGlossary } from "./panels/elements.js";
import { hideControls } from "./panels/index.js";
import { mountStatusMessages } from "./status_messages.js";
import { mountTabs } from "./tabs.js";
import { mountToolbar } from "./toolbar.js";

window.labFrames = []; // milliseconds from a pointer's event to the painted regions, during drags


async function start() {
	const base = new URL(".", location.href.split("#")[0]);
	const response = await fetch(new URL("about.json", base));
	if (!response.ok) throw new Error(await response.text());
	const about = await response.json();
	const address = new URL("socket", base);
	address.protocol = "ws:";
	useGlossary(about.glossary);
	const app = new App(about, address.href);
	watchTheme(app, () => app.emit("theme", app.theme));
	const plot = new Plot(app, find("stage"));
	app.plot = plot;
	new LineView(app, plot, find("line"));
	mountCategoryBars(app, find("stage"));
	new Pointer(app, plot);
	mountToolbar(app);
	mountFilters(app, find("filters"));
	mountTabs(app, find("side"), find("tabs"), find("panels"));
	mountKeyboard(app, plot);
	mountKey(app, find("key"));
	mountCard(app, plot);
	mountStatusMessages(app, plot);
	mountHelp(find("help"));
	hideWithout(app);
	loadSurface(app);
	if (about.given && !location.hash) app.change({ data: { given: true } }, { record: false });
	app.refresh();
	const shared = new BroadcastChannel("gaussbayes lab"); // an address without key asks where the lab is
	shared.onmessage = ({ data }) => data === "where" && app.connection.isOpen && shared.postMessage(location.pathname);
	window.lab = app; // for tests and the curious
}

/** Hide the controls that the address names, and show them again when it no longer does. */
function hideWithout(app) {
	let hidden = null;
	const apply = () => {
		if (app.state.without === hidden) return; // every rule of style would be looked at anew
		hidden = app.state.without;
		hideControls(app);
	};
	app.on("state", apply);
	apply();
}

/** The 3-D view is fetched when it is first looked at. */
function loadSurface(app) {
	let loaded = false;
	const load = async () => {
		if (loaded || app.state.view !== "surface") return;
		loaded = true;
		const { mount } = await import("./surface_view.js");
		mount(find("surface"), app);
	};
	app.on("state", load);
	load();
}

start().catch((error) => {
	const problem = find("problem");
	problem.textContent = `The lab could not start: ${error.message}`;
	problem.hidden = false;
});
