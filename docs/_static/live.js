// Under each live figure: save it as it is shown.

/** Offers data to the reader as a file. */
function download(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A button that saves a figure in one format. */
function saveButton(label, save) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "live-set", textContent: label });
  button.addEventListener("click", save);
  return button;
}

for (const [id, figure] of globalThis.gaussbayes?.figures ?? []) {
  const line = Object.assign(document.createElement("div"), { className: "live-save" });
  const svg = () => download(new Blob([figure.svg()], { type: "image/svg+xml" }), `${id}.svg`);
  const png = async () => download(await figure.png(), `${id}.png`);
  line.append("Save this figure: ", saveButton("SVG", svg), " · ", saveButton("PNG", png));
  document.getElementById(id).append(line);
}
