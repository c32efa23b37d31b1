// Shapley contributions of the query's features to the log-odds of two classes: a bar for each, from the log-odds at the reference to their sum.

import { ticksOf, xAxis } from "./axes.js";
import { classVariable } from "./colours.js";
import { svgEl } from "./elements.js";
import { shortNumber } from "./numbers.js";
import { contributionsOf } from "./quantities.js";

const ROW = 38;
const THICK = 20;

export class BarsView {
	constructor(figure, stage) {
		this.root = svgEl("svg", { class: "gb-areas", "aria-hidden": "true" });
		stage.append(this.root);
	}

	draw({ scene, model, query, width }) {
		if (!model?.factors || !query) return this.root.replaceChildren();
		const row = query.map((value, i) => (scene.hidden[i] ? null : value));
		const { a, b, base, contributions } = contributionsOf({ ...scene, model, row });
		const left = Math.min(210, Math.round(0.36 * width));
		const box = { left, top: 8, width: width - left - 56, height: ROW * (contributions.length + 2) };
		const lines = [{ name: "at the reference", from: 0, to: base }];
		contributions.forEach((value, i) => {
			const { to } = lines.at(-1);
			const text = row[i] === null ? "not measured" : typeof row[i] === "number" ? shortNumber(row[i], 4) : row[i];
			lines.push({ name: `${scene.names[i]} = ${text}`, from: to, to: to + value });
		});
		lines.push({ name: "log-odds", from: 0, to: lines.at(-1).to, isSum: true });
		const ends = [0, ...lines.map(({ to }) => to)];
		const margin = 0.06 * (Math.max(...ends) - Math.min(...ends)) || 1;
		const range = [Math.min(...ends) - margin, Math.max(...ends) + margin];
		const across = (value) => box.left + ((value - range[0]) / (range[1] - range[0])) * box.width;
		const title = `log-odds: right ${scene.classes[a]}, left ${scene.classes[b]}`;
		const zero = svgEl("line", { class: "gb-boundary", x1: across(0), x2: across(0), y1: box.top, y2: box.top + box.height });
		this.root.replaceChildren(zero, ...lines.flatMap((line, i) => barShapes(line, box.top + ROW * i, across, left, a, b)),
			...xAxis(box, range, title, { ticks: ticksOf(range, box.width / 80) }));
	}
}

function barShapes({ name, from, to, isSum }, top, across, left, a, b) {
	const [x1, x2] = [across(Math.min(from, to)), across(Math.max(from, to))];
	const own = { "--own": classVariable(to >= from ? a : b) };
	const middle = top + ROW / 2;
	const most = Math.floor((left - 12) / 6.6);
	return [
		svgEl("text", { class: isSum ? "gb-name gb-strong" : "gb-name", x: left - 12, y: middle + 4, "text-anchor": "end" }, name.length > most ? `${name.slice(0, most - 1)}…` : name),
		svgEl("rect", { class: isSum ? "gb-filled gb-strong" : "gb-filled", x: x1.toFixed(1), width: Math.max(1.5, x2 - x1).toFixed(1), y: middle - THICK / 2, height: THICK, rx: 2, own }),
		isSum ? "" : svgEl("line", { class: "gb-tick", x1: across(to).toFixed(1), x2: across(to).toFixed(1), y1: middle + THICK / 2, y2: middle + ROW - THICK / 2 }),
		svgEl("text", { class: "gb-note", x: (x2 + 6).toFixed(1), y: middle + 4 }, `${to >= from ? "+" : "−"}${shortNumber(Math.abs(to - from))}`),
	].filter(Boolean);
}
