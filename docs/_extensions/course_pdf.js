// Prepares the joined chapters for print: names are made different in each chapter, links lead within
// the document, solutions move to its end. Whatever is wider than the text is scaled down; what is
// still wider is reported.
() => {
  /** The right answer and, where the exercise says it, why. */
  const reason = (exercise) => {
    const { choice, answer, percent } = exercise.querySelector("form").dataset;
    const isPercentage = percent !== undefined;
    const number = isPercentage ? `${Number((100 * answer).toPrecision(6))} %` : String(Number(answer));
    const line = document.createElement("p");
    line.append(`Answer: ${choice ?? number.replace("-", "−")}. `);
    const why = exercise.querySelector("template.exercise-why");
    if (why) line.append(why.content.cloneNode(true));
    return line;
  };
  const solutions = document.querySelector("#solutions");
  for (const chapter of document.querySelectorAll("article.chapter")) {
    const page = chapter.dataset.page;
    for (const element of chapter.querySelectorAll("[id]")) element.id = `${page}--${element.id}`;
    for (const link of chapter.querySelectorAll("a[href]")) {
      const address = link.getAttribute("href");
      const [, target, anchor] = /^([\w-]+)?(?:\.html)?(?:#(.*))?$/.exec(address) ?? [];
      const goal = anchor ? `${target ?? page}--${decodeURIComponent(anchor)}` : target;
      if (goal && document.getElementById(goal)) link.setAttribute("href", `#${goal}`);
      else if (!/^https?:/.test(address)) link.removeAttribute("href");
    }
    let answers = null;
    for (const element of [...chapter.querySelectorAll(".exercise, .cell.tag_solution")]) {
      if (element.matches(".exercise")) {
        answers = document.createElement("section");
        const heading = document.createElement("h3");
        heading.textContent = element.querySelector(".exercise-title").textContent;
        answers.append(heading, reason(element));
        solutions.append(answers);
      } else if (answers) {
        for (const fold of element.querySelectorAll("details")) {
          fold.querySelector("summary").remove();
          fold.replaceWith(...fold.childNodes);
        }
        answers.append(element);
      }
    }
  }
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const tooWide = [];
  for (const box of document.querySelectorAll(".formula, table, pre, .cell_output")) {
    const room = box.parentElement.clientWidth;
    const wide = Math.max(box.scrollWidth, box.firstElementChild?.scrollWidth ?? 0,
      ...[...box.querySelectorAll("math")].map((math) => math.getBoundingClientRect().width));
    if (room && wide > room + 1) box.style.zoom = String(Math.max(0.55, room / wide));
    if (box.getBoundingClientRect().width > room + 2) tooWide.push(box.textContent.trim().slice(0, 60));
  }
  return tooWide;
}
