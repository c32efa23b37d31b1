// The axes: round numbers along two sides, and the names of the features.

import { svg } from "../panels/elements.js";

/** About `count` round numbers within [low, high], and how they are written. */
export function ticks([low, high], count) {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((of) => of * power).find((of) => of >= rough * 0.99);
  const digits = Math.min(20, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const large = Math.max(Math.abs(low), Math.abs(high));
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
    const value = i * step;
    const text = large >= 1e6 || large < 1e-4 ? value.toPrecision(3) : value.toFixed(digits);
    found.push({ value, text: text.replace("-", "−") });
  }
  return found;
}

/** Draw both axes into an SVG whose plot begins at (left, top). */
export function drawAxes(root, view, names, { left, top }) {
  const bottom = top + view.height;
  const lines = [];
  for (const { value, text } of ticks(view.x, view.width / 90)) {
    const x = left + view.pixelX(value);
    lines.push(svg("line", { class: "tick", x1: x, x2: x, y1: bottom, y2: bottom + 5 }));
    lines.push(svg("text", { class: "number", x, y: bottom + 18, "text-anchor": "middle" }, text));
  }
  for (const { value, text } of names[1] === null ? [] : ticks(view.y, view.height / 70)) {
    const y = top + view.pixelY(value);
    lines.push(svg("line", { class: "tick", x1: left - 5, x2: left, y1: y, y2: y }));
    lines.push(svg("text", { class: "number", x: left - 9, y: y + 4, "text-anchor": "end" }, text));
  }
  const middle = left + view.width / 2;
  lines.push(svg("text", { class: "name", x: middle, y: bottom + 37, "text-anchor": "middle" }, fitted(names[0], view.width)));
  if (names[1] !== null) {
    const turned = `translate(14 ${top + view.height / 2}) rotate(-90)`;
    lines.push(svg("text", { class: "name", transform: turned, "text-anchor": "middle" }, fitted(names[1], view.height)));
  }
  const frame = { class: "frame", x: left, y: top, width: view.width, height: view.height };
  root.replaceChildren(svg("rect", frame), ...lines);
}

const LETTER = 7.5; // pixels

/** A name that is no longer than so many pixels, about. */
export function fitted(name, width) {
  const most = Math.max(6, Math.floor(width / LETTER));
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}
