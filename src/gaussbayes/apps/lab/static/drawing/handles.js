// Handles of a model set by hand: a mean and two half axes for each class, by pointer or keyboard.

import { svg } from "../panels/elements.js";
import { markPath } from "../panels/marks.js";
import { endOf, fromCovariance, pulled, stretched, toCovariance } from "./ellipse.js";

const STEP = 0.02; // of the view, for an arrow key
const FACTOR = 1.06; // longer or shorter by an arrow key
const TURN = Math.PI / 60;
const FINER = 0.1; // what Shift makes of a step
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

const shown = (value) => Number(value.toPrecision(3)).toString().replace("-", "−");

export class Handles {
  constructor(app, root, frame) {
    this.app = app;
    this.root = root;
    this.frame = frame; // () → the present View
    this.ellipses = []; // kept through a drag, so that the axes do not change places
    this.groups = [];
  }

  /** Draw the handles anew where the model has changed; elements stay, so that focus stays. */
  update() {
    const { model } = this.app.state;
    const data = this.app.data;
    const usable = model.from === "hand" && data && model.means?.length === data.classes.length;
    const count = usable ? model.means.length : 0;
    if (this.groups.length !== count || this.named !== data?.classes) {
      this.build(count);
    }
    this.named = data?.classes;
    for (let c = 0; c < count; c++) this.place(c);
  }

  build(count) {
    this.ellipses = [];
    this.groups = Array.from({ length: count }, (_, c) => this.group(c));
    this.root.replaceChildren(...this.groups.map(({ element }) => element));
  }

  group(c) {
    const { app } = this;
    const name = app.data.classes[c];
    const own = { "--own": `var(--class-${c % 12})` };
    const arms = [0, 1].map(() => svg("line", { class: "arm" }));
    const axes = [0, 1].map((which) =>
      this.handle(c, which, `${which ? "second" : "first"} axis of ${name}`, [
        svg("circle", { class: "reach", r: 17 }),
        svg("rect", { class: "grip", x: -6, y: -6, width: 12, height: 12, rx: 3 }),
      ])
    );
    const shape = app.about.shapes[c % app.about.shapes.length];
    const mean = this.handle(c, null, `mean of ${name}`, [
      svg("circle", { class: "reach", r: 20 }),
      svg("circle", { class: "disc", r: 12 }),
      svg("path", { class: "grip", d: markPath(shape, 6) }),
    ]);
    const element = svg("g", { class: "handles", own }, ...arms, ...axes, mean);
    return { element, mean, axes, arms };
  }

  handle(c, which, label, parts) {
    const element = svg(
      "g",
      {
        class: which === null ? "handle mean" : "handle axis",
        id: which === null ? `handle-mean-${c}` : `handle-axis-${c}-${which}`,
        tabindex: 0,
        role: "slider",
        "aria-label": label,
        "aria-roledescription": which === null ? "movable mean" : "movable axis",
      },
      ...parts
    );
    element.addEventListener("pointerdown", (event) => this.grab(event, element, c, which));
    element.addEventListener("keydown", (event) => this.key(event, c, which));
    element.addEventListener("keyup", (event) => {
      if (event.key in KEYS) this.release();
    });
    return element;
  }

  /** The ellipse of a class; the one being dragged is remembered as long as it fits. */
  ellipse(c) {
    const covariance = this.app.state.model.covariances[c];
    const known = this.ellipses[c];
    const key = JSON.stringify(covariance);
    if (known?.key === key) return known.ellipse;
    const ellipse = fromCovariance(covariance);
    this.ellipses[c] = { key, ellipse };
    return ellipse;
  }

  place(c) {
    const view = this.frame();
    const mean = this.app.state.model.means[c];
    const ellipse = this.ellipse(c);
    const key = JSON.stringify([mean, ellipse, view]);
    if (this.groups[c].key === key) return; // an attribute set anew is painted anew
    this.groups[c].key = key;
    const { mean: handle, axes, arms } = this.groups[c];
    const [left, top] = view.toPixel(...mean);
    put(handle, left, top);
    say(handle, mean[0], `${shown(mean[0])}, ${shown(mean[1])}`);
    const degrees = ((ellipse.angle * 180) / Math.PI + 360) % 180;
    for (const which of [0, 1]) {
      const [x, y] = endOf(ellipse, which);
      const end = view.toPixel(mean[0] + x, mean[1] + y);
      put(axes[which], ...end);
      const length = ellipse.axes[which];
      say(axes[which], length, `half length ${shown(length)}, turned ${Math.round(degrees)} degrees`);
      const line = { x1: left, y1: top, x2: end[0], y2: end[1] };
      for (const [name, value] of Object.entries(line)) arms[which].setAttribute(name, value);
    }
  }

  grab(event, element, c, which) {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    element.focus({ preventScroll: true });
    element.setPointerCapture(event.pointerId);
    element.classList.add("held");
    this.app.hover(null);
    const start = this.inside(event);
    const mean = this.app.state.model.means[c];
    const [dx, dy] = which === null ? [0, 0] : endOf(this.ellipse(c), which);
    const at = this.frame().toPixel(mean[0] + dx, mean[1] + dy);
    const off = [at[0] - start[0], at[1] - start[1]];
    const move = (moved) => {
      const [left, top] = this.inside(moved);
      this.app.pointer = moved.timeStamp;
      this.to(c, which, this.frame().toPlace(left + off[0], top + off[1]));
    };
    const end = () => {
      element.classList.remove("held");
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", end);
      element.removeEventListener("pointercancel", end);
      this.release();
    };
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", end);
    element.addEventListener("pointercancel", end);
  }

  inside(event) {
    const box = this.root.ownerSVGElement.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** Move a mean, or the end of an axis, to a place. */
  to(c, which, place) {
    const view = this.frame();
    if (which === null) {
      this.change("means", c, view.rounded(place));
      return;
    }
    const mean = this.app.state.model.means[c];
    const arm = [place[0] - mean[0], place[1] - mean[1]];
    this.reshape(c, pulled(this.ellipse(c), which, arm, view.x[1] - view.x[0]));
  }

  reshape(c, ellipse) {
    const covariance = toCovariance(ellipse);
    this.ellipses[c] = { key: JSON.stringify(covariance), ellipse };
    this.change("covariances", c, covariance);
  }

  change(name, c, value) {
    const values = this.app.state.model[name].map((old, i) => (i === c ? value : old));
    this.app.change({ model: { [name]: values } }, { record: false, dragging: true });
  }

  release() {
    this.app.pointer = null;
    this.app.change({}, { record: true });
  }

  key(event, c, which) {
    const direction = KEYS[event.key];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const view = this.frame();
    const proportion = event.shiftKey ? FINER : 1;
    const width = view.x[1] - view.x[0];
    if (which !== null) {
      const factor = FACTOR ** (proportion * direction[1]);
      const turn = -TURN * proportion * direction[0];
      this.reshape(c, stretched(this.ellipse(c), which, factor, turn, width));
      return;
    }
    const mean = this.app.state.model.means[c];
    const height = view.y[1] - view.y[0];
    const step = [direction[0] * STEP * proportion * width, direction[1] * STEP * proportion * height];
    this.to(c, null, [mean[0] + step[0], mean[1] + step[1]]);
  }
}

function put(element, left, top) {
  element.setAttribute("transform", `translate(${left.toFixed(2)} ${top.toFixed(2)})`);
}

function say(element, value, text) {
  element.setAttribute("aria-valuenow", value);
  element.setAttribute("aria-valuetext", text);
}
