// The panel "Stream": the rows come one by one, and the model settles.

import { slider } from "./controls.js";
import { learningCurve } from "./charts.js";
import { button, el, hint, isSeen } from "./elements.js";
import { count } from "./formats.js";
import { requestWhileSeen } from "./panel_requests.js";

const SLOWEST = 0; // powers of two, in points a second
const FASTEST = 9;
const FIRST = 1;
const FRAME = 40; // the shortest pause between two figures, in milliseconds
const LONGEST = 200; // more than this is not made up for: points do not leap after a pause of the browser

export function mount(element, app) {
	let playing = false;
	let last = 0; // when the last step was made
	let owed = 0; // points that are due, in parts of one
	let waiting = false; // for the figure of the last step

	const play = button("stream-play", "Play", () => (playing ? pause() : start()), { class: "primary" });
	const back = button("stream-back", "− 1", () => step(-1), { "aria-label": "One point back" });
	const on = button("stream-step", "+ 1", () => step(1), { "aria-label": "One point on" });
	const all = button("stream-all", "All points", () => {
		pause();
		app.change({ stream: null });
	});
	const speed = slider("stream-speed", "Speed", { min: SLOWEST, max: FASTEST, step: 1 }, () => {}, {
		format: (power) => (power === 0 ? "1 point a second" : `${2 ** power} points a second`),
	});
	speed.set(3);
	const place = slider("stream-n", "Points seen", { min: 0, max: 1, step: 1 }, (n, done) => {
		pause();
		go(n, done);
	}, { format: (n) => `${count(n)} of ${count(total())}` });
	const note = el("p", { class: "hint", role: "status" });
	const curve = el("div");
	element.append(
		hint("Points arrive one by one in the order of the table; the model learns from those seen so far."),
		el("div", { class: "row transport" }, back, play, on, all), place.root, speed.root, note, curve,
	);

	const total = () => app.data?.n ?? 0;
	const now = () => app.state.stream ?? total();

	function go(n, done) {
		const next = Math.max(FIRST, Math.min(total(), n));
		app.change({ stream: next === total() && done ? null : next }, { record: false, dragging: !done });
	}
	function step(by) {
		pause();
		go(now() + by, true);
	}
	function start() {
		if (now() >= total()) app.change({ stream: FIRST });
		playing = true;
		last = performance.now();
		owed = 0;
		waiting = false;
		show();
		requestAnimationFrame(tick);
	}
	function pause() {
		if (!playing) return;
		playing = false;
		go(now(), true);
		show();
	}
	/** As many points as are due, but no faster than figures come back. */
	function tick(time) {
		if (!playing) return;
		if (!isSeen(document.body)) return pause();
		const passed = Math.max(0, time - last);
		if (!waiting && passed >= FRAME) {
			last = time;
			owed += (Math.min(passed, LONGEST) / 1000) * 2 ** speed.input.valueAsNumber;
			const due = Math.floor(owed);
			if (due > 0) {
				owed -= due;
				waiting = true;
				setTimeout(() => (waiting = false), 500); // a figure that never comes stops nothing
				go(now() + due, false);
			}
			if (now() >= total()) return pause();
		}
		requestAnimationFrame(tick);
	}
	function show() {
		play.textContent = playing ? "Pause" : "Play";
		place.limits(FIRST, Math.max(FIRST, total()));
		place.set(now());
		back.disabled = now() <= FIRST;
		on.disabled = now() >= total();
		all.disabled = app.state.stream === null;
		const { from } = app.state.model;
		const still = "The model is not fitted now: points come, but it stays as it is.";
		const rest = "While points come the plain model is shown; the automatic one is chosen when they rest.";
		note.textContent = { data: "", auto: rest }[from] ?? still;
	}
	let learnt = null; // the answer about the learning curve
	const draw = () => learnt && curve.replaceChildren(learningCurve(learnt.head, now()));
	const key = () => app.dragging ? null : JSON.stringify([app.data?.id, app.state.model]);
	requestWhileSeen(element, app, { kind: "curve", key, pause: 150 }, (answer, error) => {
		learnt = answer;
		if (error) curve.replaceChildren(error.message);
		else draw();
	});
	app.on("state", draw);
	app.on("state", show);
	app.on("data", show);
	app.on("scene line", () => (waiting = false));
	show();
}
