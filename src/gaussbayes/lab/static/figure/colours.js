// Colours of the classes and of the page in the present theme, as canvases need them.

// Petroff's ten and two darker ones, as gaussbayes.plots draws them. On dark ground those too dark to be seen are mixed with
// white until their contrast with the paper is 4.5.
const LIGHT_CLASSES = "3f90da ffa90e bd1f01 832db6 92dadd a96b59 e76300 b9ac70 717581 94a4a2 234f78 8c5d08".split(" ");
const DARK_CLASSES = "4c98dd ffa90e d9674f b07ad3 92dadd b98371 f07a24 b9ac70 8f939d 94a4a2 7d9cb8 bd9550".split(" ");
const REGION_STRENGTH = { light: 0.4, dark: 0.46 };
const GREY = 12; // classes from here on are grey

/** "#rrggbb" → [r, g, b]. */
export function rgbOf(hex) {
	const value = parseInt(hex.slice(1), 16);
	return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A colour a proportion of the way to another one, both [r, g, b]. */
export const mixColours = (a, b, proportion) => a.map((part, i) => Math.round(part + (b[i] - part) * proportion));

const hexOf = (parts) => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** "light" or "dark": what the page says, or else what the reader prefers. */
export function themeName() {
	const { theme } = document.documentElement.dataset;
	if (theme === "light" || theme === "dark") return theme;
	return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/**
 * The palette of the present theme: theme, paper, ink, soft, faint ("#rrggbb"), `classes` (marks), `lines` (darker or lighter
 * than marks) and `regions` ([r, g, b]), each a function of the class's number.
 */
export function palette(element) {
	const theme = themeName();
	const found = getComputedStyle(element);
	const read = (name, otherwise) => found.getPropertyValue(`--gb-${name}`).trim() || otherwise;
	const paper = read("plot", theme === "dark" ? "#15181d" : "#ffffff");
	const ink = read("ink", theme === "dark" ? "#e8eaee" : "#1c2430");
	const soft = read("soft", theme === "dark" ? "#aab2bf" : "#586273");
	const faint = read("faint", theme === "dark" ? "#7d8794" : "#8b95a3");
	const marks = (theme === "dark" ? DARK_CLASSES : LIGHT_CLASSES).map((hex) => `#${hex}`);
	const lines = marks.map((colour) => hexOf(mixColours(rgbOf(colour), rgbOf(ink), theme === "dark" ? 0.25 : 0.35)));
	const regions = marks.map((colour) => mixColours(rgbOf(paper), rgbOf(colour), REGION_STRENGTH[theme]));
	const grey = mixColours(rgbOf(paper), rgbOf(faint), 0.3);
	const isGrey = (code) => !(code >= 0 && code < GREY);
	return {
		theme, paper, ink, soft, faint,
		classes: (code) => (isGrey(code) ? faint : marks[code]),
		lines: (code) => (isGrey(code) ? soft : lines[code]),
		regions: (code) => (isGrey(code) ? grey : regions[code]),
	};
}

/** The custom property of a class's colour; it must follow the theme without being drawn anew. */
export const classVariable = (code) => (code >= 0 && code < GREY ? `var(--gb-class-${code})` : "var(--gb-faint)");
