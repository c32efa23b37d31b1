// Categories as filters: only points that have those chosen are shown, and the regions are theirs.

import { el, term } from "./panels/elements.js";
import { filterOf } from "./requests.js";

export function mountFilters(app, place) {
	let shown = "";
	let lists = [];
	const choose = () => {
		app.change({ filter: lists.map(({ value }) => (value === "" ? null : Number(value))) });
	};
	const refresh = () => {
		const { categories = [], features = [] } = app.data ?? {};
		place.hidden = !categories.length || !features.length;
		const now = JSON.stringify(categories);
		if (now !== shown) {
			shown = now;
			lists = categories.map(({ name, values }, i) =>
				el("select", { id: `filter-${i}`, "aria-label": `Show ${name}`, on: { change: choose } },
					el("option", { value: "" }, `${name}: all`),
					values.map((value, code) => el("option", { value: code }, `${name}: ${value}`))));
			place.replaceChildren(el("span", {}, term("Show")), ...lists);
		}
		const codes = app.data && filterOf(app.state, app.data);
		lists.forEach((list, i) => {
			list.value = String(codes?.[i] ?? "");
			list.classList.toggle("chosen", list.value !== "");
		});
	};
	app.on("state data", refresh);
}
