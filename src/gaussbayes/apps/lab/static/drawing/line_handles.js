// Handles of the one-dimensional view: mean and standard deviation of each class.

import { exact, round } from "../panels/formats.js";
import { widened } from "./ellipse.js";
import { Handles, pixels } from "./handles.js";

const STEP = 0.01; // of the view, for an arrow key
const LEVEL = 24;
const FACTOR = 1.05;
const NARROWEST = 1e-3; // of the view

/** frame(): {x: [low, high], left, width, base, height} of the curves, in pixels of the root. */
export class LineHandles extends Handles {
	meanId = "line-mean";
	ends = [[(c) => `line-deviation-${c}`, "standard deviation"]];

	place(c, { means, covariances }) {
		const { x, left, width, base, height } = this.frame();
		const [mean, deviation] = [means[c][0], Math.sqrt(covariances[c][0][0])];
		const across = (value) => left + ((value - x[0]) / (x[1] - x[0])) * width;
		const { arms: [arm], mean: handle, ends: [end] } = this.groups[c];
		const levels = Math.max(1, Math.floor((height - 20) / LEVEL));
		const top = base - 16 - LEVEL * (c % levels); // so that two handles at one place are both seen
		this.show(handle, across(mean), top, mean, exact(mean, this.unit));
		this.show(end, across(mean + deviation), top, deviation, exact(deviation, this.unit));
		const line = { x1: across(mean), x2: across(mean + deviation), y1: top, y2: top };
		for (const [name, value] of Object.entries(line)) arm.setAttribute(name, pixels(value));
	}

	get unit() {
		const { x, width } = this.frame();
		return (x[1] - x[0]) / width;
	}

	value(c, which) {
		const { means, covariances } = this.app.gaussians;
		return which === null ? means[c][0] : Math.sqrt(covariances[c][0][0]);
	}

	to(c, which, value) {
		const { means, covariances } = this.app.gaussians;
		if (which === null) return this.put("means", c, [round(value, this.unit), means[c][1]]);
		const least = NARROWEST * this.unit * this.frame().width;
		return this.put("covariances", c, widened(covariances[c], 0, Math.max(value, least)));
	}

	dragged(c, which) {
		const from = this.value(c, which);
		return ([across]) => this.to(c, which, from + across * this.unit);
	}

	stepped(c, which, [across, up]) {
		const value = this.value(c, which);
		const step = across + up;
		return this.to(c, which, which === null ? value + step * STEP * this.unit * this.frame().width : value * FACTOR ** step);
	}

	clicked() {}
}
