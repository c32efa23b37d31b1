// The panel "Layers": what is drawn in the plane.

import { choice, slider, toggle } from "./controls.js";
import { el, section } from "./elements.js";
import { percent, short } from "./formats.js";

const SWITCHES = [
	["boundary", "Boundaries"],
	["density", "Ellipses, 1 to 3 σ"],
	["joint", "Joint density"],
	["evidence", "Evidence"],
	["errors", "Errors ringed"],
	["truth", "Bayes boundary"],
];
const REJECT = {
	label: "Reject zone",
	title: "Posterior needed",
	limits: { min: 0.5, max: 0.995, step: 0.005 },
	start: 0.9,
	format: percent,
};
const NOVELTY = {
	label: "Novelty zone",
	title: "Proportion of typical points lost",
	limits: { min: -4, max: -0.5, step: 0.05 }, // powers of ten
	start: 0.01,
	format: short,
	toValue: (power) => Number((10 ** power).toPrecision(2)),
	toPlace: Math.log10,
};

export function mount(element, app) {
	const layer = (layers, done = true) => app.change({ layers }, { dragging: !done });
	const regions = choice("layers-regions", "Regions", [
		["blend", "Posterior"],
		["hard", "Decision"],
		["none", "None"],
	], (value) => layer({ regions: value }));
	const switches = SWITCHES.map(([name, label]) => ({
		name,
		control: toggle(`layers-${name}`, label, (on) => layer({ [name]: on })),
	}));
	const reject = threshold("reject", REJECT, layer);
	const novelty = threshold("novelty", NOVELTY, layer);
	const note = el("p", { class: "hint", role: "status" });
	element.append(
		section("In the plane", regions.root, el("div", { class: "switches" }, switches.map((one) => one.control.root)), note),
		section("Zones without a decision", reject.root, novelty.root),
	);

	function refresh() {
		const { layers } = app.state;
		regions.set(layers.regions);
		for (const { name, control } of switches) control.set(layers[name]);
		reject.set(layers.reject);
		novelty.set(layers.novelty);
		const truth = app.answers.data?.head.truth ?? null;
		switches.at(-1).control.input.disabled = truth === null;
		note.textContent = bayesNote(app, truth);
	}
	app.on("state data scene", refresh);
	refresh();
}

function bayesNote(app, truth) {
	if (truth === null) return "The Bayes boundary is known only of examples drawn from Gaussians.";
	const bayes = app.answers.scene?.head.errors?.bayes;
	if (!bayes || !app.state.layers.truth) return "";
	const about = `± ${percent(bayes.standard_error)}`;
	return `No classifier errs less than ${percent(bayes.error)} on these classes (${about}).`;
}

function threshold(name, about, layer) {
	const { label, title, limits, start, format, toValue = Number, toPlace = Number } = about;
	let value = start;
	const switched = (checked) => layer({ [name]: checked ? value : null });
	const moved = (place, done) => layer({ [name]: toValue(place) }, done);
	const on = toggle(`layers-${name}`, label, switched);
	const written = (place) => format(toValue(place));
	const at = slider(`layers-${name}-at`, title, limits, moved, { format: written });
	return {
		root: el("div", { class: "threshold" }, on.root, at.root),
		set(now) {
			on.set(now !== null);
			at.root.hidden = now === null;
			value = now ?? value;
			at.set(toPlace(value));
		},
	};
}
