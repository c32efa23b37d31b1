// Help on a word: its meaning beside it, by pointer, by focus and by tap. Escape takes it away.

import { el } from "./panels/elements.js";

const REST = 350; // milliseconds that the pointer rests on a word before it is explained
const LEAVE = 200; // and that the explanation stays

export function mountHelp(box) {
	let timer = 0;
	const later = (wait, act) => {
		clearTimeout(timer);
		timer = setTimeout(act, wait);
	};
	const hide = () => {
		clearTimeout(timer);
		box.hidden = true;
	};
	const at = (target) => target.closest?.("[data-help]");

	function show(owner) {
		clearTimeout(timer);
		if (!owner.isConnected) return;
		box.replaceChildren(el("strong", {}, owner.textContent.trim().slice(0, 60)), " ", owner.dataset.help);
		box.hidden = false;
		const { left, top, bottom } = owner.getBoundingClientRect();
		const { offsetWidth: width, offsetHeight: height } = box;
		const x = Math.max(6, Math.min(left, innerWidth - width - 6));
		const y = bottom + 7 + height < innerHeight ? bottom + 7 : Math.max(6, top - 7 - height);
		box.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
	}

	addEventListener("pointerover", ({ target, pointerType, buttons }) => {
		if (pointerType === "touch" || buttons) return;
		const owner = at(target);
		if (owner) later(REST, () => show(owner));
		else later(LEAVE, hide);
	});
	addEventListener("focusin", ({ target }) => {
		const owner = at(target) ?? target.closest?.(".control")?.querySelector("[data-help]");
		if (owner && target.matches(":focus-visible") && target.type !== "number") show(owner);
		else hide();
	});
	addEventListener("click", ({ target }) => {
		const owner = at(target);
		if (owner) show(owner);
		else hide();
	});
	addEventListener("keydown", (event) => {
		if (event.key !== "Escape" || box.hidden) return;
		event.preventDefault();
		hide();
	}, true);
	addEventListener("scroll", hide, true);
}
