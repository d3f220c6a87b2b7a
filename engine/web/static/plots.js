// Pictures of figures: a matrix of counts, a curve between 0 and 1, and bars. Their colours are those of the page.

import { svg } from "./elements.js";

const SIDE = 320;
const FRAME = 56;
const SPAN = SIDE - FRAME - 16;

function blank(label) {
  return svg("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, role: "img", "aria-label": label, class: "plot" });
}

function words(text, x, y, attributes = {}) {
  return svg("text", { x, y, ...attributes }, text);
}

// Counts, rows by what is right and columns by what was found, each shaded by its share of the row.
export function matrix(counts, names, label, sides) {
  const picture = blank(label);
  const side = SPAN / names.length;
  const short = names.map((name) => name.split("_")[0].toLowerCase()).map((name) => (name.length > 9 ? `${name.slice(0, 7)}.` : name));
  counts.forEach((line, row) => {
    const total = Math.max(1, line.reduce((sum, count) => sum + count, 0));
    const y = 8 + row * side;
    picture.append(
      words(short[row], FRAME - 4, y + side / 2 + 3, { "text-anchor": "end" }),
      words(short[row], FRAME + (row + 0.5) * side, SPAN + 20, { "text-anchor": "middle" }),
    );
    line.forEach((count, column) => {
      const x = FRAME + column * side;
      picture.append(
        svg("rect", { x, y, width: side, height: side, class: "cell", "fill-opacity": (count / total).toFixed(3) }),
        words(`${count}`, x + side / 2, y + side / 2 + 3, { "text-anchor": "middle", class: count / total > 0.6 ? "on" : "" }),
      );
    });
  });
  picture.append(words(sides, FRAME + SPAN / 2, SIDE - 8, { "text-anchor": "middle" }));
  return picture;
}

// `points` of [x, y] between 0 and 1, the scale of y from `low`; `sizes` are those of its marks, `chosen` is one more.
export function curve(points, label, { x, y, low = 0, diagonal = false, sizes = [], chosen = null }) {
  const picture = blank(label);
  const place = ([right, up]) => [FRAME + right * SPAN, 8 + (1 - Math.max(0, (up - low) / (1 - low))) * SPAN];
  const line = (all, name) => svg("polyline", { points: all.map((one) => place(one).map((at) => at.toFixed(1)).join(",")).join(" "), class: name });
  picture.append(svg("rect", { x: FRAME, y: 8, width: SPAN, height: SPAN, class: "frame" }));
  for (const share of [0, 0.5, 1]) {
    const value = low + share * (1 - low);
    picture.append(
      words(`${value}`, FRAME - 4, place([0, value])[1] + 3, { "text-anchor": "end" }),
      words(`${share}`, place([share, 0])[0], SPAN + 20, { "text-anchor": "middle" }),
    );
  }
  if (diagonal) picture.append(line([[0, 0], [1, 1]], "diagonal"));
  picture.append(line(points, "line"));
  const dot = (one, radius, name) => svg("circle", { cx: place(one)[0], cy: place(one)[1], r: radius.toFixed(1), class: name });
  const most = Math.max(1, ...sizes);
  sizes.forEach((size, index) => picture.append(dot(points[index], 2 + 7 * Math.sqrt(size / most), "mark")));
  if (chosen) picture.append(dot(chosen, 5, "chosen"));
  picture.append(
    words(x, FRAME + SPAN / 2, SIDE - 8, { "text-anchor": "middle" }),
    words(y, 10, 8 + SPAN / 2, { "text-anchor": "middle", transform: `rotate(-90 10 ${8 + SPAN / 2})` }),
  );
  return picture;
}

// Milliseconds of stages as bars, one below the other.
export function bars(stages, label) {
  const row = 16;
  const most = Math.max(...stages.map(([, spent]) => spent), 1e-9);
  const told = stages.map(([name, spent]) => `${name} ${spent.toFixed(1)}`);
  const picture = svg("svg", { viewBox: `0 0 ${SIDE} ${stages.length * row}`, role: "img", "aria-label": `${label}: ${told.join(", ")}`, class: "plot bars" });
  stages.forEach(([name, spent], place) => {
    const width = Math.max(1, (spent / most) * (SIDE - 140));
    picture.append(
      words(name, 84, place * row + 12, { "text-anchor": "end" }),
      svg("rect", { x: 90, y: place * row + 3, width, height: row - 6, class: "bar" }),
      words(spent.toFixed(1), 94 + width, place * row + 12),
    );
  });
  return picture;
}
