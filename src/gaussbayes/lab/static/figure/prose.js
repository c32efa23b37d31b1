// Numbers in the text that follow a figure, and words that set it.

import { followQuantity } from "./controls.js";
import { numberLike } from "./numbers.js";

/** Tie the text of a page to a figure: {refresh(settled), release()}. */
export function proseOf(figure, id) {
	const tied = (selector) => [...document.querySelectorAll(selector)].filter(({ dataset }) => id && dataset.figure === id);
	const formatOf = ({ dataset, textContent }) => (dataset.format ??= textContent.trim());
	const spans = tied("[data-live]").map((element) => ({ element, format: formatOf(element) }));
	const buttons = tied("button[data-set]");
	const press = ({ currentTarget }) => {
		const { press: name, ...patch } = JSON.parse(currentTarget.dataset.set);
		if (Object.keys(patch).length) figure.set(patch);
		if (name) figure.press(name);
	};
	for (const button of buttons) button.addEventListener("click", press);
	return {
		refresh: (settled) => spans.forEach(({ element, format }) =>
			followQuantity(figure, element, element.dataset.live, settled, (value) => numberLike(value, format || "0.000"))),
		release: () => buttons.forEach((button) => button.removeEventListener("click", press)),
	};
}
