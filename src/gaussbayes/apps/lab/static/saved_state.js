// The state as a file that any lab opens: what the requests hold, and the table where it was a file.
// The server checks it by the types of its messages.

import { upload } from "./panels/upload.js";
import { dataBody, modelOf } from "./requests.js";
import { DEFAULT, merge } from "./state.js";

const FORMAT = { format: "gaussbayes-lab", version: 1 };
const PLAIN = ["pair", "neighbours", "layers", "view", "bounds", "hide", "at", "categories", "filter", "stream", "lesson", "without"];
const OWN_TABLE = ["upload", "given"];

export async function savedText(app) {
	const { state } = app;
	const { source, target, split } = dataBody(state);
	const saved = { source, target, split, model: modelOf(state) };
	for (const name of PLAIN) saved[name] = state[name];
	saved.pair = app.data.pair;
	let table = null;
	if (OWN_TABLE.includes(source.from)) {
		const { head } = await app.ask("take_away", { what: "csv" });
		table = { name: app.data.name.replace(/\.\w+$/, ".csv"), csv: head.text };
		saved.source = { from: "upload", upload: "table" };
		saved.target = app.data.target;
	}
	return JSON.stringify({ ...FORMAT, state: saved, table });
}

/** Whether a file's text is such a state rather than a table. */
export const isSaved = (text) => /^\s*\{\s*"format"\s*:\s*"gaussbayes-lab"/.test(text);

export async function openSaved(app, text, onProgress) {
	const { table, ...body } = JSON.parse(text);
	if (table && OWN_TABLE.includes(body.state?.source?.from)) {
		const file = new File([String(table.csv)], `${String(table.name).replace(/\.csv$/, "")}.csv`);
		body.state.source = { from: "upload", upload: (await upload(file, app.about, onProgress)).upload };
	}
	const { source, target, model, ...plain } = (await app.ask("open", body)).head.state;
	const { from, ...data } = source;
	if (from === "given") data.given = true;
	if (target) data.target = target;
	const { first, k, ...settings } = model;
	const { theme } = app.state;
	app.replace({ ...merge({ ...DEFAULT, theme }, { ...plain, model: settings }), data });
}
