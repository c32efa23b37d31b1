// Handles of the one-dimensional view: mean and standard deviation of each class, set by hand.

import { svg } from "../panels/elements.js";
import { markPath } from "../panels/marks.js";

const STEP = 0.01; // of the view, for an arrow key
const LEVEL = 24; // pixels between the handles of two classes
const FACTOR = 1.05;
const FINER = 0.1;
const NARROWEST = 1e-3; // of the view
const KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 };

/** The covariance with another standard deviation of its first coordinate, the correlation kept. */
export function widened([[a, b], [, c]], deviation) {
  const cross = (b * deviation) / Math.sqrt(a);
  return [[deviation * deviation, cross], [cross, c]];
}

export class LineHandles {
  /** frame(): {x: [low, high], left, width, base, height} of the curves, in pixels of the root. */
  constructor(app, root, frame) {
    Object.assign(this, { app, root, frame, groups: [] });
  }

  update() {
    const { model } = this.app.state;
    const { classes } = this.app.data;
    const usable = model.from === "hand" && model.means?.length === classes.length;
    const count = usable ? model.means.length : 0;
    if (this.groups.length !== count || this.named !== classes) {
      this.named = classes;
      this.groups = Array.from({ length: count }, (_, c) => this.group(c));
      this.root.replaceChildren(...this.groups.map(({ element }) => element));
    }
    for (let c = 0; c < count; c++) this.place(c);
  }

  group(c) {
    const { app } = this;
    const name = app.data.classes[c];
    const shape = app.about.shapes[c % app.about.shapes.length];
    const arm = svg("line", { class: "arm" });
    const deviation = this.handle(c, true, `standard deviation of ${name}`, [
      svg("circle", { class: "reach", r: 15 }),
      svg("rect", { class: "grip", x: -5, y: -5, width: 10, height: 10, rx: 3 }),
    ]);
    const mean = this.handle(c, false, `mean of ${name}`, [
      svg("circle", { class: "reach", r: 18 }),
      svg("circle", { class: "disc", r: 11 }),
      svg("path", { class: "grip", d: markPath(shape, 5.5) }),
    ]);
    const element = svg("g", { own: { "--own": `var(--class-${c % 12})` } }, arm, deviation, mean);
    return { element, arm, mean, deviation };
  }

  handle(c, wide, label, parts) {
    const id = wide ? `line-deviation-${c}` : `line-mean-${c}`;
    const kind = wide ? "handle axis" : "handle mean";
    const element = svg("g", { class: kind, id, tabindex: 0, role: "slider", "aria-label": label }, ...parts);
    element.addEventListener("pointerdown", (event) => this.grab(event, element, c, wide));
    element.addEventListener("keydown", (event) => this.key(event, c, wide));
    element.addEventListener("keyup", (event) => event.key in KEYS && this.release());
    return element;
  }

  place(c) {
    const { x, left, width, base, height } = this.frame();
    const { means, covariances } = this.app.state.model;
    const mean = means[c][0];
    const deviation = Math.sqrt(covariances[c][0][0]);
    const across = (value) => left + ((value - x[0]) / (x[1] - x[0])) * width;
    const { arm, mean: handle, deviation: end } = this.groups[c];
    const levels = Math.max(1, Math.floor((height - 20) / LEVEL));
    const top = base - 16 - LEVEL * (c % levels); // so that two handles at one place are both seen
    handle.setAttribute("transform", `translate(${across(mean)} ${top})`);
    end.setAttribute("transform", `translate(${across(mean + deviation)} ${top})`);
    for (const [element, value] of [[handle, mean], [end, deviation]]) {
      element.setAttribute("aria-valuenow", value);
      element.setAttribute("aria-valuetext", Number(value.toPrecision(3)));
    }
    const line = { x1: across(mean), x2: across(mean + deviation), y1: top, y2: top };
    for (const [name, value] of Object.entries(line)) arm.setAttribute(name, value);
  }

  grab(event, element, c, wide) {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    element.focus({ preventScroll: true });
    element.setPointerCapture(event.pointerId);
    const start = event.clientX;
    const from = this.value(c, wide);
    const move = (moved) => {
      const { x, width } = this.frame();
      this.to(c, wide, from + ((moved.clientX - start) / width) * (x[1] - x[0]));
    };
    const end = () => {
      element.removeEventListener("pointermove", move);
      this.release();
    };
    element.addEventListener("pointermove", move);
    element.addEventListener("lostpointercapture", end, { once: true });
  }

  value(c, wide) {
    const { means, covariances } = this.app.state.model;
    return wide ? Math.sqrt(covariances[c][0][0]) : means[c][0];
  }

  to(c, wide, value) {
    const { means, covariances } = this.app.state.model;
    const { x } = this.frame();
    const put = (list, make) => list.map((old, i) => (i === c ? make(old) : old));
    const least = NARROWEST * (x[1] - x[0]);
    const patch = wide
      ? { covariances: put(covariances, (old) => widened(old, Math.max(value, least))) }
      : { means: put(means, ([, other]) => [Number(value.toPrecision(6)), other]) };
    this.app.change({ model: patch }, { record: false, dragging: true });
  }

  key(event, c, wide) {
    const direction = KEYS[event.key];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const { x } = this.frame();
    const proportion = direction * (event.shiftKey ? FINER : 1);
    const value = this.value(c, wide);
    this.to(c, wide, wide ? value * FACTOR ** proportion : value + proportion * STEP * (x[1] - x[0]));
  }

  release() {
    this.app.change({}, { record: true });
  }
}
