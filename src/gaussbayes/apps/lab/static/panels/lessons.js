// The panel "Lessons": guided steps; each sets the page up and says what to look at.

import { DEFAULT, merge } from "../state.js";
import { select } from "./controls.js";
import { button, el } from "./elements.js";

export function mount(element, app) {
  const steps = new Map(); // name → {title, steps}
  const choose = select(
    "lessons-name",
    "Lesson",
    (name) => (name ? go(name, 0) : app.change({ lesson: null }, { record: true })),
  );
  choose.options([
    ["", "— choose a lesson"],
    ...app.about.lessons.map(({ name, title }) => [name, title]),
  ]);
  const progress = el("progress", { max: 1, value: 0, "aria-label": "Progress of the lesson" });
  const where = el("p", { class: "count" });
  const text = el("div", { class: "lesson", "aria-live": "polite", id: "lessons-text" });
  const back = button(
    "lessons-back",
    "Back",
    () => go(app.state.lesson[0], app.state.lesson[1] - 1),
  );
  const next = button(
    "lessons-next",
    "Next",
    () => go(app.state.lesson[0], app.state.lesson[1] + 1),
    { class: "primary" },
  );
  const again = button(
    "lessons-again",
    "Set up again",
    () => go(...app.state.lesson),
    { title: "Put everything back as this step needs it" },
  );
  const wrong = el("p", { class: "wrong", role: "alert", hidden: true });
  const body = el(
    "div",
    { hidden: true },
    el("div", { class: "row" }, progress, where),
    text,
    el("div", { class: "row" }, back, next, again),
  );
  const offered = el("div", { class: "offered" }, app.about.lessons.map(({ name, title }, i) =>
    button(`lessons-start-${i}`, title, () => go(name, 0))));
  element.append(choose.root, offered, wrong, body);

  async function load(name) {
    if (!steps.has(name)) {
      const { head } = await app.ask("lesson", { name });
      steps.set(name, head);
    }
    return steps.get(name);
  }
  /** Show a step, and set the page up for it. */
  async function go(name, wanted) {
    try {
      const lesson = await load(name);
      const step = Math.max(0, Math.min(lesson.steps.length - 1, wanted));
      app.change(
        { ...setUp(lesson.steps[step], app.state), lesson: [name, step] },
        { record: true },
      );
    } catch (error) {
      complain(error);
    }
  }
  async function refresh() {
    const { lesson } = app.state;
    choose.set(lesson?.[0]);
    body.hidden = lesson === null;
    offered.hidden = lesson !== null;
    if (lesson === null) return;
    try {
      const found = await load(lesson[0]);
      if (app.state.lesson?.[0] !== lesson[0]) return;
      show(found, app.state.lesson[1]);
    } catch (error) {
      complain(error);
    }
  }
  let shown = null;
  function show(lesson, step) {
    const { length } = lesson.steps;
    wrong.hidden = true;
    progress.value = (step + 1) / length;
    where.textContent = `Step ${step + 1} of ${length}`;
    back.disabled = step <= 0;
    next.disabled = step >= length - 1;
    const now = `${lesson.title} ${step}`;
    if (now === shown) return;
    shown = now;
    text.replaceChildren(el("h3", {}, lesson.title), ...paragraphs(lesson.steps[step]?.text ?? ""));
  }
  function complain(error) {
    wrong.hidden = false;
    wrong.textContent = error.message;
  }
  app.on("state", refresh);
  refresh();
}

/** The state of a step: what it does not name is as the page begins, but the reader's own stays. */
export function setUp(step, { theme, without }) {
  const { pair, ...others } = DEFAULT; // data bring a pair of their own
  const { data = DEFAULT.data, ...patch } = step.state;
  return { ...merge({ ...others, theme, without }, patch), data };
}

/** Paragraphs; what stands between backquotes is code. */
function paragraphs(text) {
  return text.split(/\n\s*\n/).map((part) =>
    el("p", {}, part.split("`").map((piece, i) => (i % 2 ? el("code", {}, piece) : piece))));
}
