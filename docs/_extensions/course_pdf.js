// Prepares the joined chapters for print: names are made different in each chapter, links lead within
// the document, solutions move to its end. Whatever is wider than the text is scaled down; what is
// still wider is reported.
() => {
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
    let title = null;
    const list = document.createElement("section");
    for (const element of chapter.querySelectorAll(".exercise-title, .cell.tag_solution")) {
      if (element.matches(".exercise-title")) { title = element.textContent; continue; }
      const heading = document.createElement("h3");
      heading.textContent = title;
      element.querySelector("summary")?.remove();
      for (const fold of element.querySelectorAll("details")) fold.open = true;
      list.append(heading, element);
    }
    solutions.append(list);
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
