// Small figures of numbers: a matrix as heat, and how well probabilities are calibrated.

import { el, hint, svg, table, term } from "./elements.js";
import { count, percent, short } from "./formats.js";

const MOST_LETTERS = 16; // of the names that head the columns together; where they are longer, marks do

export function confusion(labels, matrix, names) {
	const heads = ["is\u00a0↓ predicted\u00a0→", ...labels.map((_, code) => names(code))];
	const rows = matrix.map((row, code) => {
		const total = row.reduce((sum, n) => sum + n, 0) || 1;
		return [
			names(code),
			...row.map((n, j) => heat(n / total, count(n), j === code ? "right" : "misclassified",
				`${labels[code]} taken for ${labels[j]}: ${percent(n / total)}`)),
		];
	});
	return el("div", { class: "scroll" },
		table("Confusion matrix: rows are true classes", heads, rows, {
			class: labels.join("").length > MOST_LETTERS ? "matrix confusion marked" : "matrix confusion",
		}),
	);
}

export function matrix(caption, features, values, correlations) {
	const rows = values.map((row, i) => [
		features[i],
		...row.map((value, j) => {
			const r = correlations?.[i]?.[j] ?? 0;
			return heat(Math.abs(r), short(value), r < 0 ? "below" : "above", null);
		}),
	]);
	return el("div", { class: "scroll" }, table(caption, ["", ...features], rows, { class: "matrix" }));
}

function heat(proportion, text, kind, title) {
	return el("td", { class: `heat ${kind}`, title, own: { "--proportion": proportion } }, text);
}

/** Predicted probability against how often it came true; a dot's size is how many rows it has. */
export function calibration(bins) {
	const there = bins.filter((bin) => bin.n > 0);
	const most = Math.max(1, ...there.map((bin) => bin.n));
	const at = (proportion) => 8 + 104 * proportion;
	const up = (proportion) => 112 - 104 * proportion;
	const said = there.map((bin) => `${percent(bin.mean)} came true in ${percent(bin.proportion)} of ${count(bin.n)}`).join("; ");
	return el("figure", { class: "calibration" },
		svg("svg", { viewBox: "-16 0 136 132", role: "img", "aria-label": `Calibration: ${said}` },
			svg("rect", { x: 8, y: 8, width: 104, height: 104, class: "frame" }),
			svg("line", { x1: 8, y1: 112, x2: 112, y2: 8, class: "ideal" }),
			svg("polyline", { points: there.map((bin) => `${at(bin.mean)},${up(bin.proportion)}`).join(" "), class: "curve" }),
			there.map(({ mean, proportion, n }) =>
				svg("circle", { cx: at(mean), cy: up(proportion), r: 1.6 + 3 * Math.sqrt(n / most), class: "dot" },
					svg("title", {}, `${percent(mean)} said, ${percent(proportion)} came true, ${count(n)} rows`))),
			[0, 0.5, 1].flatMap((proportion) => [
				svg("text", { x: at(proportion), y: 121, class: "across" }, String(proportion)),
				svg("text", { x: 5, y: up(proportion) + 2.5, class: "up" }, String(proportion)),
			]),
			svg("text", { x: 60, y: 130, class: "across" }, "predicted probability"),
		),
		el("figcaption", {}, term("Calibration"), ": how often it came true. On the dashed line probabilities mean what they say."),
	);
}

/** Errors by the number of points learnt from, on a logarithmic scale; `seen` points are marked. */
export function learningCurve({ n, train, test, of, tested, bayes, sampled, problem }, seen) {
	if (problem) return hint(problem);
	const [first, last] = [n[0], n.at(-1)];
	const top = Math.min(1, 1.1 * Math.max(0.05, ...train, ...test)); // null is none
	const across = (points) => 22 + 170 * (Math.log(points / first) / Math.log(last / first || 2) || 0);
	const up = (error) => 96 - (88 * error) / top;
	const line = (values, kind) =>
		svg("polyline", {
			class: `curve ${kind}`,
			points: n.flatMap((points, i) => (values[i] === null ? [] : [`${across(points)},${up(values[i])}`])).join(" "),
		});
	const across0 = { x1: 22, x2: 192 };
	const at = across(Math.min(last, Math.max(first, seen)));
	const lowest = bayes && svg("line", { ...across0, y1: up(bayes.error), y2: up(bayes.error), class: "ideal" });
	return el("figure", { class: "calibration learning" },
		svg(
			"svg",
			{ viewBox: "0 0 200 116", role: "img", "aria-label": `Learning curve ${of}: training error ${percent(train.at(-1))} of ${count(last)} points` },
			svg("rect", { x: 22, y: 8, width: 170, height: 88, class: "frame" }),
			...(lowest ? [lowest] : []),
			svg("line", { x1: at, x2: at, y1: 8, y2: 96, class: "frame" }),
			line(train, ""),
			line(test, "test"),
			[0, top / 2, top].map((error) => svg("text", { x: 20, y: up(error) + 2.5, class: "up" }, percent(error))),
			[first, last].map((points) => svg("text", { x: across(points), y: 105, class: "across" }, count(points))),
			svg("text", { x: 107, y: 114, class: "across" }, "points learnt from"),
		),
		el("figcaption", {}, term("Learning curve"), `: errors ${of}. Line: training. Dashes: ${tested}.${bayes ? " Level: Bayes error." : ""} ${sampled ?? ""}`),
	);
}
