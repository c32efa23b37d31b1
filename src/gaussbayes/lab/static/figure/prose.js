// Numbers in the text that follow a figure, and words that set it.

import { followQuantity } from "./controls.js";
import { numberLike } from "./numbers.js";

const PENDING = "…";

/** Tie the text of a page to a figure: {refresh(settled), release()}. */
export function proseOf(figure, id) {
	if (!id) return { refresh() {}, release() {} };
	const named = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.dataset.figure === id);
	const spans = named("[data-live]").map((element) => {
		const format = (element.dataset.format ??= element.textContent.trim());
		return { element, quantity: element.dataset.live, format: format && format !== PENDING ? format : "0.000" };
	});
	const buttons = named("button[data-set]");
	const press = ({ currentTarget }) => {
		const patch = parsedPatch(currentTarget.dataset.set);
		if (patch?.press) figure.press(patch.press);
		else if (patch) figure.set(patch);
	};
	for (const button of buttons) button.addEventListener("click", press);
	return {
		refresh: (settled) => {
			for (const { element, quantity, format } of spans) followQuantity(figure, element, quantity, settled, (value) => numberLike(value, format));
		},
		release: () => buttons.forEach((button) => button.removeEventListener("click", press)),
	};
}

function parsedPatch(text) {
	try {
		const patch = JSON.parse(text);
		return patch && typeof patch === "object" ? patch : null;
	} catch {
		return null;
	}
}
