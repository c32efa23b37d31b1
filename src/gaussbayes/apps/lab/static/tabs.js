// The panels beside the plot, one at a time; on a narrow screen a drawer that opens and closes.

import { el, find, svg } from "./panels/elements.js";
import { throttled } from "./event_throttle.js";
import { PANELS } from "./panels/index.js";

const narrow = matchMedia("(max-width: 820px)");
const KEYS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

export function mountTabs(app, side, list, place) {
	const tabs = PANELS.map(({ name, title }) =>
		el(
			"button",
			{
				type: "button",
				role: "tab",
				id: `tab-${name}`,
				"aria-controls": `panel-${name}`,
				on: { click: () => choose(name, true) },
			},
			svg("svg", { "aria-hidden": "true" }, svg("use", { href: `#icon-${name}` })),
			el("span", {}, title)
		)
	);
	const panels = PANELS.map(({ name, title }) =>
		el("section", { class: "panel", id: `panel-${name}`, role: "tabpanel", "aria-labelledby": `tab-${name}`, tabindex: -1 }, el("h2", {}, title))
	);
	list.append(...tabs);
	place.append(...panels);
	let chosen = null;

	function choose(name, byHand = false) {
		const again = name === chosen;
		const open = narrow.matches ? !(again && byHand && side.dataset.open === "true") : true;
		side.dataset.open = open;
		chosen = name;
		PANELS.forEach((panel, i) => {
			const own = panel.name === name;
			tabs[i].setAttribute("aria-selected", own);
			tabs[i].tabIndex = own ? 0 : -1;
			panels[i].hidden = !own;
		});
		if (!again) {
			place.scrollTop = 0;
			app.emit("panel", name);
		}
		reveal(tabs[PANELS.findIndex((panel) => panel.name === name)]);
		if (open && byHand) scrollTo(0, list.getBoundingClientRect().top + scrollY); // of a low window
	}

	/** Scroll the list as little as shows a tab; scrollIntoView would also move where Tab starts. */
	function reveal(tab) {
		const [outer, inner] = [list.getBoundingClientRect(), tab.getBoundingClientRect()];
		list.scrollLeft += Math.min(0, inner.left - outer.left) + Math.max(0, inner.right - outer.right);
		list.scrollTop += Math.min(0, inner.top - outer.top) + Math.max(0, inner.bottom - outer.bottom);
	}

	list.addEventListener("keydown", (event) => {
		const shown = PANELS.filter((_, i) => tabs[i].getClientRects().length > 0);
		const at = shown.findIndex((panel) => panel.name === chosen);
		const ends = { Home: 0, End: shown.length - 1 };
		const to = event.key in KEYS ? (at + KEYS[event.key] + shown.length) % shown.length : ends[event.key];
		if (to === undefined) return;
		event.preventDefault();
		choose(shown[to].name);
		find(`tab-${shown[to].name}`).focus();
	});

	const orient = () => {
		list.setAttribute("aria-orientation", narrow.matches ? "horizontal" : "vertical");
		side.dataset.open = !narrow.matches || side.dataset.open === "true";
	};
	narrow.addEventListener("change", orient);
	orient();

	PANELS.forEach(({ mount }, i) => {
		try {
			mount(panels[i], throttled(app, panels[i]));
		} catch (error) {
			console.error(error); // a panel that fails leaves the others alone
			panels[i].append(el("p", {}, "This panel could not be shown."));
		}
	});
	const opened = app.state.lesson ? "lessons" : app.state.at ? "point" : "data";
	const wide = !narrow.matches;
	choose(opened);
	side.dataset.open = wide;
	app.openPanel = (name) => choose(name);
}
