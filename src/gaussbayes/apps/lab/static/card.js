// The card at the point that is looked at: prior × likelihood → posterior of each class, as bars.

import { find } from "./panels/elements.js";
import { exact } from "./panels/formats.js";
import { bayesLines, voteProportions } from "./panels/formula.js";

const AWAY = 24; // pixels between the point and the card
const NARROW = 520;

export function mountCard(app, plot) {
	const card = find("card");
	const hides = [0, 1].map((which) => find(`card-hide-${which}`));
	const close = () => {
		app.change({ at: null }, { record: false });
		if (plot.plane) plot.inner.focus({ preventScroll: true });
	};
	find("card-close").addEventListener("click", close);
	find("card-more").addEventListener("click", () => app.openPanel("point"));
	hides.forEach((button, which) => button.addEventListener("click", () =>
		app.change({ hide: app.state.hide === which ? null : which })));
	addEventListener("keydown", (event) => {
		const typing = event.target.closest?.("input, textarea, select, summary");
		if (event.key === "Escape" && app.state.at && !typing && !event.defaultPrevented) close();
	});

	function refresh() {
		const { at, hide } = app.state;
		const { data } = app;
		const { units, width, height } = plot.view;
		const [left, top] = at && data ? plot.view.toPixel(...at) : [NaN, NaN];
		const seen = plot.plane ? left >= 0 && left <= width && top >= 0 && top <= height : app.flat && at;
		card.hidden = !seen || app.tool.name !== "select" || app.answers.point?.request.data !== data.id;
		if (card.hidden) return;
		const names = data.pair.slice(0, app.flat ? 1 : 2).map((feature) => data.features[feature]);
		const unit = (i) => (app.flat ? Math.abs(at[0]) / 1e4 : units[i]);
		find("card-place").textContent = names
			.map((name, i) => `${name} ${hide === i ? "not measured" : `= ${exact(at[i], unit(i))}`}`).join(" · ");
		hides.forEach((button, i) => {
			button.hidden = app.flat;
			button.setAttribute("aria-pressed", hide === i);
			button.textContent = hide === i ? `Measure ${names[i]}` : `Hide ${names[i]}`;
		});
		move(left, top);
	}

	/** Put the card beside the point, where there is room, and never over it. */
	function move(left, top) {
		const { margin, stage } = plot;
		const [x, y] = [left + margin.left, top + margin.top];
		const { clientWidth, clientHeight } = stage;
		const narrow = clientWidth < NARROW;
		card.classList.toggle("wide", narrow);
		const low = y > clientHeight / 2; // the card has the larger part, and scrolls if that is too small
		const room = (low ? y : clientHeight - y) - AWAY - 6;
		card.style.setProperty("--room", `${Math.round(plot.plane ? room : clientHeight - 40)}px`);
		const { offsetWidth, offsetHeight } = card;
		const within = (at, size, of) => Math.max(6, Math.min(at, of - size - 6));
		const level = within(y - offsetHeight / 2, offsetHeight, clientHeight);
		let place;
		if (!plot.plane) place = [clientWidth - offsetWidth - 24, 24];
		else if (!narrow && x + AWAY + offsetWidth < clientWidth) place = [x + AWAY, level];
		else if (!narrow && x - AWAY - offsetWidth > 0) place = [x - AWAY - offsetWidth, level];
		else place = [within(x - offsetWidth / 2, offsetWidth, clientWidth), low ? y - AWAY - offsetHeight : y + AWAY];
		card.style.transform = `translate(${Math.round(place[0])}px, ${Math.round(place[1])}px)`;
	}

	function show({ head: { explanation, posterior, classes, problem } }) {
		const rule = explanation ? bayesLines(app, explanation, classes) : posterior ? voteProportions(app, classes, posterior) : "";
		find("card-rule").replaceChildren(problem ?? "", rule);
		refresh();
	}

	app.on("point", show);
	app.on("state data tool", refresh);
	new ResizeObserver(refresh).observe(plot.stage);
}
