// The controls of the panels: each has an id, a label, and a `set` that shows a value without
// telling anybody.

import { el, helped, term, write } from "./elements.js";
import { round } from "./formats.js";

/** A drop-down list of `[value, label]`. */
export function select(id, label, onChange) {
	const input = el("select", { id, on: { change: () => onChange(input.value) } });
	const root = el("div", { class: "control" }, el("label", { for: id }, term(label, label, false)), input);
	let shown = "";
	return {
		root,
		input,
		options(options) {
			const now = JSON.stringify(options);
			if (now === shown) return;
			shown = now;
			const value = input.value;
			input.replaceChildren(...options.map(([own, text]) => el("option", { value: own }, text)));
			input.value = value;
		},
		set(value) {
			input.value = String(value ?? "");
		},
	};
}

/** Two or more choices side by side, of which one holds: `[value, label]`. */
export function choice(id, label, options, onChange) {
	const inputs = new Map();
	const items = options.map(([value, text]) => {
		const input = el("input", { type: "radio", name: id, value, id: `${id}-is-${value}`, on: { change: () => onChange(value) } });
		inputs.set(value, input);
		return el("label", { ...helped(text, false), class: null }, input, el("span", {}, text));
	});
	const root = el("fieldset", { class: "control choice", id },
		el("legend", {}, term(label)),
		el("div", { class: "segments" }, items),
	);
	return {
		root,
		set(value) {
			for (const [own, input] of inputs) input.checked = own === value;
		},
		enable(value, on) {
			inputs.get(value).disabled = !on;
		},
	};
}

export function toggle(id, label, onChange) {
	const input = el("input", { type: "checkbox", role: "switch", id, on: { change: () => onChange(input.checked) } });
	const root = el("label", { class: "control toggle" },
		input,
		el("span", { class: "knob", "aria-hidden": "true" }),
		el("span", {}, term(label, label, false)),
	);
	return {
		root,
		input,
		set(on) {
			input.checked = Boolean(on);
		},
	};
}

/**
 * Listeners of an input that is moved: `onMove(done)` is called while it moves with done false, and on release
 * with done true; also where it is let go at the value that it had before, of which no "change" tells.
 */
export function moves(onMove) {
	let moving = false;
	const tell = (done) => () => {
		if (done && !moving) return;
		moving = !done;
		onMove(done);
	};
	const ends = ["change", "pointerup", "pointercancel", "blur"].map((name) => [name, tell(true)]);
	return { input: tell(false), ...Object.fromEntries(ends) };
}

/** `onMove(value, done)` is called as `moves` has it. */
export function slider(id, label, limits, onMove, { ends = null, format = String } = {}) {
	const on = moves((done) => {
		show();
		onMove(input.valueAsNumber, done);
	});
	const input = el("input", { type: "range", id, ...limits, on });
	const value = el("output", { for: id });
	const name = el("label", { for: id }, term(label, label, false));
	const root = el("div", { class: "control slider" },
		el("div", { class: "head" }, name, value),
		input,
		ends && el("div", { class: "ends", "aria-hidden": "true" }, ends.map((end) => el("span", {}, end))),
	);
	function show() {
		const text = format(input.valueAsNumber);
		value.textContent = text;
		input.setAttribute("aria-valuetext", text);
	}
	return {
		root,
		input,
		limits: (min, max) => Object.assign(input, { min, max }),
		set(now) {
			input.value = String(now);
			show();
		},
	};
}

/** `onNumber(value)` may throw an Error, whose message is then shown, and the last good number comes back. */
export function number(id, label, limits, onNumber, { dense = false, digits = 6 } = {}) {
	let good = null;
	let typing = false; // what is half typed is not written over by an answer that comes meanwhile
	const said = el("p", { class: "wrong", role: "alert", id: `${id}-wrong`, hidden: true });
	const input = el("input", {
		type: "number",
		id,
		step: "any",
		...limits,
		"aria-label": dense ? label : null,
		on: {
			input: () => (typing = true),
			change: take,
			blur: () => (typing = false),
			keydown: (event) => event.key === "Escape" && giveUp(),
		},
	});
	const root = el("div", { class: dense ? "control dense" : "control" },
		dense ? null : el("label", { for: id }, term(label, label, false)),
		input,
		said,
	);
	function take() {
		typing = false;
		try {
			const value = input.value.trim() === "" ? NaN : Number(input.value);
			onNumber(checked(value, limits, label));
			complain("");
		} catch (error) {
			complain(`${error.message} Kept ${rounded(good, digits)}.`);
			input.value = rounded(good, digits);
		}
	}
	function complain(text) {
		write(said, text);
		input.classList.toggle("refused", Boolean(text));
		if (text) input.setAttribute("aria-describedby", said.id);
		else input.removeAttribute("aria-describedby");
	}
	/** Show a value; so that it is told from another a `unit` away, if that is said. */
	function set(value, unit = null) {
		if (value !== good) complain("");
		good = value;
		const stands = typing || (document.activeElement === input && Number(input.value) === value);
		if (!stands) input.value = unit ? String(round(value, unit)) : rounded(value, digits);
	}
	function giveUp() {
		typing = false;
		set(good);
	}
	return { root, input, set };
}

function checked(value, { min = -Infinity, max = Infinity }, label) {
	if (!Number.isFinite(value)) throw new Error(`${label}: a number is needed.`);
	if (value < min || value > max) {
		const limits = max === Infinity ? `at least ${min}` : `from ${min} to ${max}`;
		throw new Error(`${label} is ${limits}, not ${value}.`);
	}
	return value;
}

function rounded(value, digits) {
	return value === null || value === undefined ? "" : String(Number(value.toPrecision(digits)));
}
