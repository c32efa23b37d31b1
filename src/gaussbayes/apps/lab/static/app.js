// What every part of the page works with: the state, the latest answers, and who listens.
//
//   app.change(patch, options)  {record: false} makes no step of undo, {dragging: true} asks for coarse figures
//   app.on(event, listener)     "state" (state, {dragging}), "problem" (text or null, remedies), "settled" (nothing is
//                               dragged), "fitted" (other parameters), "hover" (answer or null), "panel", "theme",
//                               "tool", "status" (open), "busy", "said" (a sentence), and every kind of answer
//   app.answers[kind]           the latest: {head, arrays: {name: {data, shape}}, request}

import { Connection } from "./connection.js";
import { manualModel } from "./manual_model.js";
import { GridResolution } from "./grid_resolution.js";
import * as requests from "./requests.js";
import { fittedAgain, isFitted, merge, same } from "./state.js";
import { Store } from "./store.js";

const POINT_PAUSE = 120; // milliseconds between two looks at the point during a drag

export class App extends Store {
	constructor(about, address) {
		super((name) => about.presets.find((preset) => preset.name === name)?.n ?? 200);
		this.about = about;
		this.answers = {};
		this.data = null;
		this.view = null; // the window onto the plane; set by the plot
		this.tool = { name: "select", class: 0 };
		this.gridResolution = new GridResolution(requests.COARSE.length);
		this.pointer = null; // time of the pointer event that is being answered
		this.connection = new Connection(address, (open, again) => this.status(open, again));
	}

	/** Whether the state's pair is one of the data: a feature twice only where there is no other. */
	get hasPair() {
		const { features } = this.data;
		const [x, y] = this.state.pair;
		return Math.max(x, y) < features.length && (x !== y || features.length === 1);
	}

	changed() {
		const { data, state } = this;
		if (data && !this.followsPair && this.hasPair) data.pair = state.pair; // before anybody draws it
		this.emit("state", this.state, { dragging: this.dragging });
		this.refresh();
	}

	status(open, again) {
		this.emit("status", open);
		if (open && again) {
			this.dataKey = this.sceneKey = null; // a new server knows none of our tables
			this.refresh();
		}
	}

	refresh() {
		const body = requests.dataBody(this.state);
		const key = JSON.stringify(body);
		if (key !== this.dataKey) {
			this.dataKey = key;
			this.loadData(body);
		} else if (this.data && !this.loading) {
			if (this.takePair()) this.emit("state", this.state, { dragging: this.dragging });
			this.refreshFigures();
		}
	}

	async loadData(body) {
		this.loading = body;
		this.failed = null; // why there are no such data; until there are, the old ones stay
		this.emit("busy", true);
		let answer;
		try {
			answer = await this.connection.ask("data", body);
		} catch (error) {
			if (this.loading !== body) return;
			this.loading = null;
			this.emit("busy", false);
			this.failed = error.message;
			this.emit("problem", error.message);
			return;
		}
		if (this.loading !== body) return;
		this.loading = null;
		this.emit("busy", false);
		const { head, arrays } = answer;
		const columns = arrays.points.shape[1];
		this.data = {
			...head,
			own: head.pair,
			columns,
			names: head.columns,
			points: arrays.points.data,
			codes: arrays.codes.data, // NO_CODE for a row without label
			categoryCodes: arrays.categories.data, // NO_CODE for a missing one
			test: arrays.test?.data ?? new Uint8Array(head.n),
		};
		this.sceneKey = this.pointKey = null;
		if (!this.dragging) this.fitted = null;
		const other = this.takePair();
		this.answers.data = answer;
		this.refreshFigures(); // the server works while the points are drawn
		if (other) this.emit("state", this.state, { dragging: this.dragging });
		this.emit("data", answer);
	}

	/** Agree with the data about the pair of features; whether the state is another one now. */
	takePair() {
		const { data, state } = this;
		if (this.hasPair && !this.followsPair) {
			data.pair = state.pair;
			return false;
		}
		this.followsPair = false;
		data.pair = data.own;
		if (same(state.pair, data.own)) return false;
		const amend = same(this.history.recorded, state);
		this.state = { ...state, pair: data.own };
		if (amend) this.history.amend(this.state);
		if (!this.dragging) this.write();
		return true;
	}

	get drawn() {
		const { pair, features } = this.data;
		return [...new Set(this.state.view === "line" ? pair.slice(0, 1) : pair)].slice(0, features.length);
	}

	/** The place that is looked at; where no feature holds numbers, every one is as good. */
	get place() {
		return this.state.at ?? (this.data && !this.data.features.length ? [0, 0] : null);
	}

	/** Whether the data have one number at most, so that there is no plane. */
	get flat() {
		return this.data !== null && this.data.features.length < 2;
	}

	get figureKind() {
		return this.flat || this.state.view === "line" ? "line" : "scene";
	}

	/** The state that is asked about: an automatic model is chosen anew only when nothing is dragged. */
	get asked() {
		const { state, data } = this;
		const rows = JSON.stringify([data?.id, state.stream]);
		if (!this.dragging) this.chosenBy = rows;
		const plain = this.dragging && state.model.from === "auto" && rows !== this.chosenBy;
		return plain ? merge(state, { model: { from: "data" } }) : state;
	}

	refreshFigures() {
		if (!this.view) return;
		const { asked: state, data, dragging } = this;
		const kind = this.figureKind;
		const body =
			kind === "line"
				? requests.lineBody(state, data, state.bounds && (this.flat ? state.bounds : this.view()))
				: requests.sceneBody(state, data, this.view(), { dragging, coarseness: this.gridResolution.step });
		const key = kind + JSON.stringify(body);
		if (key !== this.sceneKey) {
			this.sceneKey = key;
			this.figure(kind, body);
		}
		if (this.place) this.look(this.place);
		if (!dragging) this.emit("settled");
	}

	async figure(kind, body) {
		const started = this.pointer;
		if (body.model.from === "auto") this.emit("busy", true);
		try {
			const answer = await this.connection.ask(kind, body);
			if (answer.request !== body) return;
			this.emit("busy", false); // the newest request brings the same answer
			if (kind !== this.figureKind) return; // another view is shown by now
			this.retried = false;
			answer.started = started;
			this.answers[kind] = answer;
			this.takeFitted(kind, answer).catch(() => {});
			if (this.failed) this.emit("problem", this.failed);
			else this.emit("problem", answer.head.problem ?? null, answer.head.remedies);
			this.emit(kind, answer);
		} catch (error) {
			this.emit("busy", false);
			this.emit("problem", error.message);
			if (this.retried) return;
			this.retried = true; // the server may have let go of the table: show it once more
			this.dataKey = null;
			this.refresh();
		}
	}

	look(at) {
		if (!this.data || this.loading) return;
		const body = requests.pointBody(this.asked, this.data, at, requests.categoriesOf(this.state, this.data));
		const key = JSON.stringify(body);
		const now = performance.now();
		if (key === this.pointKey || (this.dragging && now - this.looked < POINT_PAUSE)) return;
		this.pointKey = key;
		this.looked = now;
		this.connection.ask("point", body).then(
			(answer) => {
				if (answer.request !== body) return;
				this.answers.point = answer;
				this.emit("point", answer);
			},
			() => {} // the scene says what is wrong with the model
		);
	}

	/**
   * Ask what the model says under the pointer, when nothing else waits; null: it has left.
   *
   * As in the regions there, categories are integrated out unless points are chosen by them.
   */
	hover(at) {
		this.hovered = at;
		if (at === null) this.emit("hover", null);
		if (at === null || !this.data || this.loading || this.connection.busy("point")) return;
		const body = requests.pointBody(this.asked, this.data, at, requests.filterOf(this.state, this.data));
		this.connection.ask("point", body).then(
			(answer) => {
				if (this.hovered === null) return;
				if (answer.request === body) this.emit("hover", answer);
				if (this.hovered !== at) this.hover(this.hovered);
			},
			() => {}
		);
	}

	async ask(kind, extra = {}) {
		const alone = ["lesson", "open"].includes(kind); // about no model
		if (!this.data && !alone) throw new Error("the data are not there yet");
		const body = alone ? extra : { ...requests.common(this.asked, this.data), ...extra };
		const answer = await this.connection.ask(kind, body);
		if (this.answers[kind] !== answer) {
			this.answers[kind] = answer;
			this.emit(kind, answer);
		}
		return answer;
	}

	/** The Gaussians that the plot shows and that can be dragged: those of the state, or the fitted ones. */
	get gaussians() {
		const { state: { model }, data, fitted } = this;
		const shown = model.from === "hand" ? model : isFitted(model) && fitted?.of === this.pairKey ? fitted.model : null;
		return data?.features.length && shown?.means?.length === data.classes.length ? shown : null;
	}

	get pairKey() {
		return JSON.stringify([this.data?.features, this.data?.pair]);
	}

	/** Keep the parameters that were fitted: handles are there, and a model by hand starts from them. */
	async takeFitted(kind, { head, request }) {
		if (!isFitted(request.model) || kind !== this.figureKind) return;
		let found = head.parameters;
		const of = this.pairKey;
		if (kind === "line" && !this.flat && found && !this.dragging) {
			const { data, pair, model } = request; // those of the other feature, too
			const whole = { data, pair, model, layers: [], view: { width: 2, height: 2 } };
			found = (await this.connection.ask("scene", whole)).head.parameters;
		}
		const model = found && manualModel(found);
		this.fitted = model && { of, model };
		this.emit("fitted");
	}

	fitAgain() {
		if (this.state.model.from === "hand") this.change({ model: fittedAgain(this.state) });
	}

	setTool(name, code = this.tool.class) {
		this.tool = { name, class: code };
		this.emit("tool", this.tool);
	}
}
