// Shapley contributions of the query's features to the log-odds of two classes: bars from the reference to the sum.

import { boxAt, fittedName, lineAt, textAt, xAxis } from "./axes.js";
import { svgEl } from "./elements.js";
import { shortNumber } from "./numbers.js";
import { contributionsOf } from "./quantities.js";
import { rangeOf } from "./window.js";

const ROW = 38;
const THICK = 20;

export class BarsView {
	constructor(figure, stage) {
		this.root = svgEl("svg", { "aria-hidden": "true" });
		stage.append(this.root);
	}

	draw({ scene, model, query, width }) {
		if (!model?.factors || !query) return this.root.replaceChildren();
		const { names, classes, hidden } = scene;
		const row = query.map((value, i) => (hidden[i] ? null : value));
		const { a, b, base, contributions } = contributionsOf({ ...scene, model, row });
		const valueText = (value) => (value === null ? "not measured" : typeof value === "number" ? shortNumber(value, 4) : value);
		const lines = [{ name: "at the reference", from: 0, to: base }];
		contributions.forEach((value, i) => {
			const from = lines.at(-1).to;
			lines.push({ name: `${names[i]} = ${valueText(row[i])}`, from, to: from + value });
		});
		lines.push({ name: "log-odds", from: 0, to: lines.at(-1).to, isSum: true });
		const left = Math.min(210, Math.round(0.36 * width));
		const box = { left, top: 8, width: width - left - 56, height: ROW * lines.length };
		const range = rangeOf([0, ...lines.map(({ to }) => to)], 0.06);
		const across = (value) => left + ((value - range[0]) / (range[1] - range[0])) * box.width;
		const shapes = lines.flatMap((line, i) => barShapes(line, box.top + ROW * (i + 0.5), across, left, [a, b]));
		const zero = lineAt("boundary", [across(0), box.top], [across(0), box.top + box.height]);
		this.root.replaceChildren(zero, ...shapes, ...xAxis(box, range, `log-odds: right ${classes[a]}, left ${classes[b]}`));
	}
}

/** A bar with its name and its length; a line leads to the next one. */
function barShapes({ name, from, to, isSum }, middle, across, left, [a, b]) {
	const [start, end] = [across(Math.min(from, to)), across(Math.max(from, to))];
	const strong = isSum ? " gb-strong" : "";
	const lead = lineAt("tick", [across(to), middle + THICK / 2], [across(to), middle + ROW - THICK / 2]);
	return [
		textAt(`name${strong}`, left - 12, middle + 4, "end", fittedName(name, left - 4)),
		boxAt(`filled${strong}`, [start, middle - THICK / 2], Math.max(1.5, end - start), THICK, to >= from ? a : b),
		...(isSum ? [] : [lead]),
		textAt("note", end + 6, middle + 4, "start", `${to >= from ? "+" : "−"}${shortNumber(Math.abs(to - from))}`),
	];
}
