// Colours of the classes and of the page in the present theme, as the canvas needs them.

import { NO_CODE } from "../answer_reader.js";

const REGION = { light: 0.38, dark: 0.4 }; // how much of a class's colour its region has
const dark = matchMedia("(prefers-color-scheme: dark)");

/** "#rrggbb" → [r, g, b]. */
export function rgb(hex) {
	const value = parseInt(hex.slice(1), 16);
	return [value >> 16, (value >> 8) & 255, value & 255];
}

const mix = (a, b, proportion) => a.map((part, i) => Math.round(part + (b[i] - part) * proportion));

const hex = (parts) => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

function applyTheme(app) {
	const { theme } = app.state;
	const name = theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
	if (name === app.theme) return false;
	const root = document.documentElement;
	root.dataset.theme = app.theme = name;
	const classes = app.about.colours[name];
	classes.forEach((colour, i) => root.style.setProperty(`--class-${i}`, colour));
	const found = getComputedStyle(root);
	const paper = found.getPropertyValue("--plot").trim();
	const ink = found.getPropertyValue("--ink").trim();
	app.colours = {
		paper,
		ink,
		ring: found.getPropertyValue("--ring").trim(),
		faint: found.getPropertyValue("--faint").trim(),
		classes,
		lines: classes.map((colour) => hex(mix(rgb(colour), rgb(ink), 0.38))),
		regions: classes.map((colour) => mix(rgb(paper), rgb(colour), REGION[name])),
	};
	return true;
}

export const colourOf = (colours, code) =>
	code === NO_CODE ? colours.faint : colours.classes[code % colours.classes.length];

export function watchTheme(app, changed) {
	const update = () => applyTheme(app) && changed();
	dark.addEventListener("change", update);
	app.on("state", update);
	applyTheme(app);
}
