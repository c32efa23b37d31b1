// The state and who listens to it: changes, history, and the address that holds it all.

import { bringsTable, DEFAULT, fromHash, History, patched, same, toHash } from "./state.js";

/** An address that opens the state in any lab: without the key of this one. Null for a file, which no address holds. */
export const sharedAddress = ({ state: { data } }) =>
	data.upload || data.given ? null : `${location.origin}/${location.hash || "#"}`;

export class Store {
	constructor(sizeOf) {
		this.sizeOf = sizeOf;
		this.listeners = new Map();
		this.dragging = false;
		this.data = null;
		this.state = this.read(location.hash);
		this.history = new History(this.state);
		addEventListener("paste", (event) => {
			const [, shared] = /^http:\/\/[\w.:]+\/(#\S*)\s*$/.exec(event.clipboardData?.getData("text") ?? "") ?? [];
			if (shared !== undefined && !event.target.closest?.("input, textarea")) this.replace(this.read(shared));
		});
		addEventListener("hashchange", () => {
			if (location.hash.slice(1) !== this.written) this.replace(this.read(location.hash));
		});
	}

	read(hash) {
		this.written = hash.slice(1);
		try {
			const { state, named, unknown } = fromHash(hash, this.sizeOf);
			this.followsPair = !named.includes("pair"); // the data say which two features to show
			const of = unknown.map((name) => `“${name.slice(0, 30)}”`).join(", ");
			if (of) this.sayLater(`This address is of another version of the lab: ${of} is left out.`);
			return state;
		} catch (error) {
			this.followsPair = true;
			const why = error instanceof SyntaxError || error instanceof DOMException ? "a part of it may be missing" : error.message;
			this.sayLater(`This address could not be read: ${why}. The page starts afresh.`);
			return DEFAULT;
		}
	}

	sayLater(text) {
		setTimeout(() => this.say(text), 300);
	}

	/** Listen to one event or to several, "state data". */
	on(events, listener) {
		for (const event of events.split(" ")) {
			if (!this.listeners.has(event)) this.listeners.set(event, new Set());
			this.listeners.get(event).add(listener);
		}
	}

	say(text) {
		this.emit("said", text);
	}

	emit(event, ...values) {
		for (const listener of this.listeners.get(event) ?? []) {
			try {
				listener(...values);
			} catch (error) {
				console.error(error); // one part that fails does not stop the others
			}
		}
	}

	change(patch, { record = true, dragging = false } = {}) {
		const before = this.state;
		this.state = patched(before, patch, this.sizeOf);
		if (patch.pair) this.followsPair = false;
		else if (bringsTable(before, patch)) this.followsPair = true;
		const released = this.dragging && !dragging;
		this.dragging = dragging;
		if (!dragging) {
			if (record) this.history.record(this.state);
			else if (same(this.history.recorded, before)) this.history.amend(this.state);
			this.write();
		}
		if (released || !same(before, this.state)) this.changed();
	}

	undo() {
		this.step(this.history.undo());
	}

	redo() {
		this.step(this.history.redo());
	}

	/** Go to a state of the history; where one looks and how it is lit stay as they are. */
	step(state) {
		if (!state) return;
		const { theme, at, categories, bounds, pair, data } = this.state;
		const sameTable = same(pair, state.pair) && same(data.preset, state.data.preset);
		const kept = sameTable ? { ...state, theme, at, categories, bounds } : { ...state, theme };
		this.history.amend(kept);
		this.restore(kept);
	}

	replace(state) {
		const { followsPair } = this;
		this.history.record(state);
		this.restore(state);
		this.followsPair = followsPair;
	}

	restore(state) {
		this.state = state;
		this.dragging = false;
		this.followsPair = false;
		this.write();
		this.changed();
	}

	write() {
		const own = this.data && !same(this.data.own, DEFAULT.pair);
		this.written = toHash(this.state, own ? ["pair"] : []);
		const address = this.written ? `#${this.written}` : location.pathname + location.search;
		if (location.hash.slice(1) !== this.written) history.replaceState(null, "", address);
	}
}
