// Names for controls whose own ones are missing, or are not what is seen.
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll(".search-button-field")) {
    button.setAttribute("aria-label", button.textContent.replace(/\s+/g, " ").trim());
  }
  for (const summary of document.querySelectorAll("details > summary")) {
    const link = summary.parentElement.parentElement.querySelector(":scope > a");
    if (summary.textContent.trim()) summary.removeAttribute("aria-label");
    else if (link) summary.setAttribute("aria-label", `Pages of ${link.textContent.trim()}`);
  }
  // The corner of a table has no heading.
  for (const heading of document.querySelectorAll("th")) {
    if (!heading.textContent.trim()) heading.replaceWith(document.createElement("td"));
  }
  for (const box of document.querySelectorAll(".sphx-glr-thumbcontainer")) {
    const title = box.querySelector(".sphx-glr-thumbnail-title");
    for (const link of box.querySelectorAll("a")) {
      link.setAttribute("aria-label", (title || link).textContent);
    }
  }
});
