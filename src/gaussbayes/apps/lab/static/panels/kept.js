// Pictures of the views that are not the plane: the line is SVG already, the surface an image.

const KEPT = [
  ...["fill", "fill-opacity", "opacity", "paint-order"],
  ...["stroke", "stroke-width", "stroke-opacity", "stroke-dasharray"],
  ...["stroke-linejoin", "stroke-linecap"],
  ...["font-size", "font-family", "font-weight", "text-anchor"],
];
const FINER = 2;

/** An SVG of the page as the text of a file: what the page's style says becomes attributes. */
export function lineSvg(root, paper) {
  const { width, height } = root.getBoundingClientRect();
  const copy = root.cloneNode(true);
  const originals = [root, ...root.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of KEPT) element.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "role", "tabindex", "id"]) element.removeAttribute(name);
  });
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({
    width: "100%",
    height: "100%",
    fill: paper,
  })) ground.setAttribute(name, value);
  copy.prepend(ground);
  for (const [name, value] of Object.entries({
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
  })) copy.setAttribute(name, value);
  return new XMLSerializer().serializeToString(copy);
}

/** The text of an SVG file as PNG. */
export async function asPng(text) {
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * FINER;
    canvas.height = image.naturalHeight * FINER;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** The surface as PNG. */
export async function surfacePng(drawing, paper) {
  if (!window.Plotly || !drawing?.layout) throw new Error("The 3-D view is not drawn yet.");
  const { width, height } = drawing.getBoundingClientRect();
  const figure = { data: drawing.data, layout: { ...drawing.layout, paper_bgcolor: paper } };
  const address = await window.Plotly.toImage(
    figure,
    { format: "png", width, height, scale: FINER },
  );
  const bytes = Uint8Array.from(atob(address.split(",")[1]), (letter) => letter.charCodeAt(0));
  return new Blob([bytes], { type: "image/png" });
}
