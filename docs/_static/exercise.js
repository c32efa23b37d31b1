// Checks the answers of exercises. Nothing is stored or sent.

/** The number that a reader typed: "0.25", "0,25", "1/4", "25 %" or "2e-3"; NaN for anything else. */
function readNumber(text) {
  const written = text.replace(/[−–]/g, "-").replace(/\s/g, "").replace(",", ".");
  const match = /^([-+]?[\d.]+(?:e[-+]?\d+)?)(?:\/([-+]?[\d.]+))?(%?)$/i.exec(written);
  if (!match) return NaN;
  return Number(match[1]) / Number(match[2] || 1) / (match[3] ? 100 : 1);
}

/** True, false, or null where there is nothing to check. */
function isRight(form) {
  if ("choice" in form.dataset) {
    const chosen = [...form.elements].find((field) => field.type === "radio" && field.checked);
    return chosen ? chosen.value === form.dataset.choice : null;
  }
  const typed = form.querySelector("input").value;
  const value = readNumber(typed);
  if (!Number.isFinite(value)) return null;
  const answer = Number(form.dataset.answer);
  // A boundary case such as 0.0835 for 0.083 ± 0.0005 must not depend on the last bit.
  const allowed = Number(form.dataset.tolerance) * 1.0001 + Math.abs(answer) * 1e-12;
  const readings = "percent" in form.dataset && !typed.includes("%") ? [value, value / 100] : [value];
  return readings.some((reading) => Math.abs(reading - answer) <= allowed);
}

/** Writes a word and, after it, the contents of a template of the exercise, if there is one. */
function report(form, state, words, kind) {
  const result = form.querySelector(".exercise-result");
  const template = form.parentElement.querySelector(`template.exercise-${kind}`);
  result.dataset.state = state;
  result.replaceChildren(words);
  if (template) result.append(" ", template.content.cloneNode(true));
}

for (const form of document.querySelectorAll(".exercise-form")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const right = isRight(form);
    if (right === null) {
      const words = "choice" in form.dataset ? "Choose one." : "Type a number, such as 0.25, 1/4 or 25 %.";
      report(form, "unread", words, "none");
    } else if (right) report(form, "right", "✓ Right.", "why");
    else report(form, "wrong", "Not yet.", "hint");
  });
  // Radio buttons stand before their form and belong to it by name only: their events do not reach it.
  form.parentElement.addEventListener("input", () => form.querySelector(".exercise-result").replaceChildren());
}
