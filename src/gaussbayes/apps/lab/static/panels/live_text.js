// Texts whose numbers come from the latest answers, so that they cannot differ from the figure.
//
// {scene.errors.train:percent} stands for a member of an answer's head and how it is written; "figure"
// is the scene or the line, whichever is shown.

import { modelOf } from "../requests.js";
import { same } from "../state.js";
import { el, explained } from "./elements.js";
import { percent, probability, short } from "./formats.js";

const FORMATS = { percent, probability, root: (square) => short(Math.sqrt(square)) };
const PIECES = /(`[^`]*`|\{[^}]*\})/;

/** The value of a path such as "point.posterior.0"; undefined while it is not there. */
export function valueAt(app, path, { fresh = false } = {}) {
	const [kind, ...members] = path.split(".");
	const answer = app.answers[kind === "figure" ? app.figureKind : kind];
	if (!answer || answer.request.data !== app.data?.id) return undefined;
	if (fresh && !same(answer.request.model, modelOf(app.asked))) return undefined;
	return members.reduce((value, name) => value?.[name], answer.head) ?? undefined;
}

export const names = (step, kind) => JSON.stringify(step).includes(`${kind}.`);

/** Elements of a text, `code` among them, and a function that writes its numbers anew. */
export function liveText(text) {
	const live = [];
	const seen = new Set();
	const pieces = text.split(PIECES).flatMap((piece) => {
		if (piece.startsWith("`")) return el("code", {}, piece.slice(1, -1));
		if (!piece.startsWith("{")) return explained(piece, seen);
		const [path, format = "3"] = piece.slice(1, -1).split(":");
		const element = el("output", { class: "live", "aria-live": "off" });
		live.push({ element, path, write: FORMATS[format] ?? ((value) => short(value, Number(format))) });
		return element;
	});
	const refresh = (app) => {
		for (const { element, path, write } of live) {
			const value = valueAt(app, path);
			const now = value === undefined ? "…" : write(value);
			if (element.textContent !== now) element.textContent = now;
		}
	};
	return { pieces, refresh };
}
