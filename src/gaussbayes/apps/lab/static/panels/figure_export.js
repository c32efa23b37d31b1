// The plot as a figure to keep, SVG or PNG.
//
// The plane is one list of shapes, written as SVG, which is painted as PNG: regions are an image;
// lines, points, rings and axes are paths and texts. The line is SVG already, the surface an image.

import { ticks } from "../drawing/axes.js";
import { colourOf } from "../drawing/colours.js";
import { radiusOf } from "../drawing/points.js";
import { NO_CODE } from "../answer_reader.js";
import { svg } from "./elements.js";
import { classPath, markPath, NO_LABEL } from "./marks.js";

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const FINER = 2; // pixels of a PNG for each of the page
const STYLES = [
  ...["fill", "fill-opacity", "opacity", "paint-order"],
  ...["stroke", "stroke-width", "stroke-opacity", "stroke-dasharray"],
  ...["stroke-linejoin", "stroke-linecap"],
  ...["font-size", "font-family", "font-weight", "text-anchor"],
];
const at = (value) => Number(value.toFixed(2));

/** Everything that the plane shows now: {width, height, paper, frame, image, shapes, texts}. */
export function planeFigure(app) {
  const { view, margin, image, paths } = app.plot.vector();
  const { left, top, right, bottom } = margin;
  const frame = { x: left, y: top, width: view.width, height: view.height };
  const shapes = [
    ...paths.map(({ colour, ...own }) => ({ ...own, stroke: colour })),
    ...points(app, view, left, top),
    ...rings(app, view, left, top),
  ];
  return {
    width: left + view.width + right,
    height: top + view.height + bottom + legendHeight(app),
    paper: app.colours.paper,
    ink: app.colours.ink,
    frame,
    image,
    shapes,
    ...axes(app, view, frame),
    legend: legend(app, frame),
  };
}

/** The classes by code and name; rows without label are the last. */
function drawn(app) {
  const { classes, unlabelled } = app.data;
  const named = classes.map((label, code) => [code, String(label)]);
  return unlabelled ? [...named, [NO_CODE, NO_LABEL]] : named;
}

const within = ({ width, height }, x, y) => x >= 0 && x <= width && y >= 0 && y <= height;

function points(app, view, left, top) {
  const { codes, test, n } = app.data;
  const radius = radiusOf(n);
  const found = new Map(drawn(app).map(([code]) => [code, ["", ""]]));
  for (let row = 0; row < app.plot.points.count; row++) {
    const [x, y] = view.toPixel(...app.plot.points.place(row));
    if (!within(view, x, y)) continue;
    found.get(codes[row])[test[row]] += classPath(app, codes[row], radius, left + x, top + y);
  }
  const below = ([code]) => Number(code !== NO_CODE); // points without label are under the others
  return drawn(app).sort((a, b) => below(a) - below(b)).flatMap(([code, label]) => {
    const [train, held] = found.get(code);
    const colour = colourOf(app.colours, code);
    return [
      {
        d: train,
        fill: colour,
        stroke: app.colours.paper,
        width: 0.8,
        label,
      },
      {
        d: held,
        fill: app.colours.paper,
        stroke: colour,
        width: 1.7,
        label: `${label}, held out`,
      },
    ];
  }).filter(({ d }) => d);
}

function rings(app, view, left, top) {
  const wrong = app.answers.scene?.arrays.wrong?.data;
  if (!wrong || !app.state.layers.errors) return [];
  const radius = radiusOf(app.data.n) + 3.4;
  let d = "";
  for (let row = 0; row < app.plot.points.count; row++) {
    if (!wrong[row]) continue;
    const [x, y] = view.toPixel(...app.plot.points.place(row));
    if (!within(view, x, y)) continue;
    d += markPath("circle", radius, left + x, top + y);
  }
  const { paper, ring } = app.colours;
  return d ? [{ d, stroke: paper, width: 3.2 }, { d, stroke: ring, width: 1.5, label: "errors" }] : [];
}

function axes(app, view, { x: left, y: top, width, height }) {
  const [across, up] = app.data.pair.map((feature) => app.data.features[feature]);
  const foot = top + height;
  const placed = ({ marks: found }, to) => found.map(({ value, text }) => ({ place: to(value), text }));
  const numbers = [ticks(view.x, width / 90), ticks(view.y, height / 70)];
  const xs = placed(numbers[0], (value) => left + view.pixelX(value));
  const ys = placed(numbers[1], (value) => top + view.pixelY(value));
  const marks = [
    ...xs.map(({ place }) => `M${at(place)} ${foot}v5`),
    ...ys.map(({ place }) => `M${left} ${at(place)}h-5`),
  ].join("");
  const box = `M${left} ${top}h${width}v${height}h${-width}Z`;
  return {
    outline: { d: marks + box, stroke: app.colours.ink, width: 1 },
    texts: [
      ...xs.map(({ place, text }) => ({ x: place, y: foot + 18, text, anchor: "middle" })),
      ...ys.map(({ place, text }) => ({ x: left - 9, y: place + 4, text, anchor: "end" })),
      { x: left + width / 2, y: foot + 37, text: across + numbers[0].note, anchor: "middle" },
      { x: 14, y: top + height / 2, text: up + numbers[1].note, anchor: "middle", turned: true },
    ],
  };
}

const LEGEND_WIDTH = 130;
const LEGEND_LINE = 20;
const perLine = (app) => Math.max(1, Math.floor(app.plot.vector().view.width / LEGEND_WIDTH));
const legendHeight = (app) => LEGEND_LINE * Math.ceil(drawn(app).length / perLine(app)) + 4;

function legend(app, { x, y, height }) {
  const line = perLine(app);
  return drawn(app).map(([code, label], i) => {
    const left = x + LEGEND_WIDTH * (i % line) + 8;
    const top = y + height + 56 + LEGEND_LINE * Math.floor(i / line);
    return {
      d: classPath(app, code, 5, left, top),
      fill: colourOf(app.colours, code),
      text: { x: left + 11, y: top + 4, text: label.slice(0, 18), anchor: "start" },
    };
  });
}

/** The figure as the text of an SVG file. */
export function toSvg(figure) {
  const { width, height, frame, image, shapes, outline, texts, legend: keys } = figure;
  const path = ({ d, fill = "none", stroke = null, width: thick, opacity, dash, label }) =>
    svg(
      "path",
      {
        d,
        fill,
        stroke,
        "stroke-width": thick,
        "stroke-opacity": opacity,
        "stroke-dasharray": dash?.length ? dash.join(" ") : null,
        "stroke-linejoin": "round",
      },
      label ? svg("title", {}, label) : null,
    );
  const words = ({ x, y, text, anchor, turned }) =>
    svg(
      "text",
      {
        x: at(x),
        y: at(y),
        "text-anchor": anchor,
        transform: turned ? `rotate(-90 ${at(x)} ${at(y)})` : null,
      },
      text,
    );
  const root = svg(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      "font-family": FONT,
      "font-size": 12,
      fill: figure.ink,
    },
    svg("rect", { width, height, fill: figure.paper }),
    svg("clipPath", { id: "plot" }, svg("rect", frame)),
    svg("image", { ...frame, href: image.toDataURL("image/png"), preserveAspectRatio: "none" }),
    svg("g", { "clip-path": "url(#plot)" }, shapes.map(path)),
    path(outline),
    texts.map(words),
    keys.map((key) => svg("g", {}, path(key), words(key.text))),
  );
  return new XMLSerializer().serializeToString(root);
}

/** The figure as PNG. */
export const toPng = (figure) => asPng(toSvg(figure));

/** An SVG of the page as the text of a file: what the page's style says becomes attributes. */
export function lineSvg(root, paper) {
  const { width, height } = root.getBoundingClientRect();
  const copy = root.cloneNode(true);
  const originals = [root, ...root.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
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
