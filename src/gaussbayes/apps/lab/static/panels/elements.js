// Small makers of elements. Nothing here sets a style attribute or runs text as code, so that the
// page's Content-Security-Policy can forbid both.

import { NO_CODE } from "../answer_reader.js";

export const find = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";
const MATH = "http://www.w3.org/1998/Math/MathML";

/** `on` holds listeners, `own` custom properties; null, undefined and false leave an attribute out. */
export function el(tag, attributes = {}, ...children) {
	return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
	return filled(document.createElementNS(SVG, tag), attributes, children);
}

export function math(tag, ...children) {
	return filled(document.createElementNS(MATH, tag), {}, children);
}

function filled(element, attributes, children) {
	const { on = {}, own = {}, ...plain } = attributes;
	for (const [name, value] of Object.entries(plain)) {
		if (value === null || value === undefined || value === false) continue;
		element.setAttribute(name, value === true ? "" : String(value));
	}
	for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
	for (const [name, value] of Object.entries(own)) element.style.setProperty(name, value);
	element.append(...children.flat().filter((child) => child !== null && child !== undefined));
	return element;
}

let glossary = {};

/** Take the meanings of words: {field, page}, each by the word. */
export function useGlossary({ field, page }) {
	const entries = Object.entries({ ...page, ...field });
	glossary = Object.fromEntries(entries.map(([words, meaning]) => [words.toLowerCase(), meaning]));
	const named = Object.keys(field).sort((a, b) => b.length - a.length);
	within = new RegExp(`(?<![\\w-])(${named.join("|").replace(/[()]/g, "\\$&")})(?![\\w-])`, "i");
}

let within = null; // words of the field in a text

/** Attributes of words that the glossary explains; help.js shows it by pointer, focus and tap. */
export function helped(words, focusable = true) {
	const meaning = glossary[words.toLowerCase()];
	if (!meaning) return {};
	return { class: "term", "data-help": meaning, "aria-description": meaning, tabindex: focusable ? 0 : null };
}

/** Words with their meaning, if the glossary has it; of a control they take no focus of their own. */
export function term(words, name = words, focusable = true) {
	const attributes = helped(name, focusable);
	return attributes.class ? el("span", attributes, words) : words;
}

/** A text in which each word of the field has its meaning where it comes first. */
export function explained(text, seen) {
	const [, start, word, rest] = (within && new RegExp(`^(.*?)(?:${within.source})(.*)$`, "is").exec(text)) ?? [];
	if (!word) return [text];
	const known = seen.has(word.toLowerCase());
	seen.add(word.toLowerCase());
	return [start, known ? word : term(word), ...explained(rest, seen)];
}

/** What a class is drawn in: the custom property of its colour; rows without label are grey. */
export function classColour(code) {
	return code === NO_CODE ? "var(--faint)" : `var(--class-${code % 12})`;
}

/** A sentence about what is there; an empty one is not shown. */
export const hint = (...children) => el("p", { class: "hint" }, ...children);

export const bar = (proportion) =>
	el("span", { class: "bar", "aria-hidden": "true" }, el("span", { own: { "--proportion": proportion } }));

/** Show a text in an element, which is hidden while there is none. */
export function write(element, text = "") {
	element.hidden = !text;
	element.textContent = text;
}

export function section(title, ...children) {
	return el("section", { class: "part" }, el("h3", {}, term(title)), ...children);
}

export function folded(title, open, ...children) {
	return el("details", { class: "part", open }, el("summary", {}, term(title, title, false)), ...children);
}

export function button(id, label, onClick, attributes = {}) {
	return el("button", { type: "button", id, ...attributes, on: { click: onClick } }, label);
}

/** A table of texts or elements; the first cell of each row heads it. */
export function table(caption, heads, rows, attributes = {}) {
	return el("table", attributes,
		el("caption", {}, term(caption)),
		el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, named(head))))),
		el("tbody", {},
			rows.map(([head, ...cells]) =>
				el("tr", {}, el("th", { scope: "row" }, named(head)), cells.map((cell) => asCell(cell))),
			),
		),
	);
}

const named = (head) => (typeof head === "string" ? term(head) : head);

function asCell(cell) {
	return cell instanceof HTMLTableCellElement ? cell : el("td", {}, cell);
}

export function save(blob, name) {
	const address = URL.createObjectURL(blob);
	el("a", { href: address, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Call `show` now if the element can be seen, and whenever it comes into sight. */
export function whenSeen(element, show) {
	const observer = new IntersectionObserver((entries) => {
		if (entries.at(-1).isIntersecting) show();
	});
	observer.observe(element);
}

export function isSeen(element) {
	return element.getClientRects().length > 0;
}
