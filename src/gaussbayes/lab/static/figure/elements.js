// Makers of elements. Names and labels become text nodes, never HTML.

const SVG_SPACE = "http://www.w3.org/2000/svg";

/** An HTML element: `on` holds listeners, `own` custom properties; null, undefined and false leave an attribute or child out. */
export const el = (tag, attributes, ...children) => fillElement(document.createElement(tag), attributes, children);

/** An SVG element; arguments as for `el`. */
export function svgEl(tag, attributes, ...children) {
	return fillElement(document.createElementNS(SVG_SPACE, tag), attributes, children);
}

function fillElement(element, { on = {}, own = {}, ...attributes } = {}, children) {
	putAttributes(element, attributes);
	for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
	for (const [name, value] of Object.entries(own)) element.style.setProperty(name, value);
	element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
	return element;
}

/** Set attributes that have changed: one that is set anew is painted anew. */
export function putAttributes(element, attributes) {
	for (const [name, value] of Object.entries(attributes)) {
		const text = value === true ? "" : String(value);
		if (value === null || value === undefined || value === false) element.removeAttribute(name);
		else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
	}
}

/** Show a text in an element, which is hidden while there is none. */
export function putText(element, text = "") {
	if (element.textContent !== text) element.textContent = text;
	if (element.hidden === Boolean(text)) element.hidden = !text;
}

/** How many pixels of the window a pixel of an element is: more than one where a page shows it enlarged. */
export const zoomOf = (element) => element.currentCSSZoom ?? 1;

/** The position of a pointer in an element, in the element's pixels. */
export function pointerPlace(element, { clientX, clientY }) {
	const { left, top } = element.getBoundingClientRect();
	return [(clientX - left) / zoomOf(element), (clientY - top) / zoomOf(element)];
}
