// Colours of the classes and of the page in the present theme, as canvases need them; figure.css defines them.

const COLOURED = 12; // classes from here on are grey
const REGION_STRENGTH = { light: 0.4, dark: 0.46 };

/** "#rrggbb" → [r, g, b]. */
export const rgbOf = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** A mixture of two colours [r, g, b], with this proportion of the second. */
export const mixColours = (a, b, proportion) => a.map((part, i) => Math.round(part + (b[i] - part) * proportion));

/** "light" or "dark": the setting of the page, or else the reader's preference. */
function themeName() {
	const { theme } = document.documentElement.dataset;
	if (theme === "light" || theme === "dark") return theme;
	return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/**
 * The palette of the present theme: theme, paper, ink, soft and faint ("#rrggbb"), and by the number of a class `classes`
 * (marks), `lines` (nearer to the ink) and `regions` ([r, g, b], nearer to the paper).
 */
export function palette(element) {
	const [theme, style] = [themeName(), getComputedStyle(element)];
	const read = (name) => style.getPropertyValue(`--gb-${name}`).trim() || "#888888";
	const [paper, ink, soft, faint] = ["plot", "ink", "soft", "faint"].map(read);
	const marks = Array.from({ length: COLOURED }, (_, code) => read(`class-${code}`));
	const mixed = (colour, other, proportion) => mixColours(rgbOf(colour), rgbOf(other), proportion);
	const lines = marks.map((colour) => `rgb(${mixed(colour, ink, theme === "dark" ? 0.25 : 0.35).join(" ")})`);
	const regions = marks.map((colour) => mixed(paper, colour, REGION_STRENGTH[theme]));
	const grey = mixed(paper, faint, 0.3);
	const of = (list, otherwise) => (code) => list[code] ?? otherwise;
	return { theme, paper, ink, soft, faint, classes: of(marks, faint), lines: of(lines, soft), regions: of(regions, grey) };
}

/** The custom property of a class's colour, which follows the theme automatically. */
export const classVariable = (code) => (code >= 0 && code < COLOURED ? `var(--gb-class-${code})` : "var(--gb-faint)");
