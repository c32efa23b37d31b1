// Questions that only a panel needs: asked while it can be seen, and once what it shows is stale.

import { isSeen, whenSeen } from "./elements.js";

/** What an answer about the model depends on, as a text to compare. */
export function modelKey(app, ...others) {
	const { model, neighbours, pair, stream, hide, filter } = app.state;
	return JSON.stringify([app.answers.data?.head.id, model, neighbours, pair, stream, hide, filter, ...others]);
}

/** Ask whenever `key()` has changed, after `pause` milliseconds of rest; a null key asks nothing. */
export function requestWhileSeen(element, app, { kind, key, extra = () => ({}), pause = 0 }, show) {
	let asked = null;
	let timer = 0;
	async function ask() {
		const now = key();
		if (now === asked || now === null || !isSeen(element) || !app.answers.data) return;
		asked = now;
		element.setAttribute("aria-busy", "true");
		try {
			const answer = await app.ask(kind, extra());
			if (asked === now) show(answer, null);
		} catch (error) {
			if (asked === now) show(null, error);
		} finally {
			if (asked === now) element.removeAttribute("aria-busy");
		}
	}
	function soon() {
		clearTimeout(timer);
		timer = setTimeout(ask, pause);
	}
	app.on("state", soon);
	app.on("data", soon);
	whenSeen(element, ask);
}
