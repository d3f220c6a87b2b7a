// Elements by name: what every part of the page is made of. Text stays text.

// A true attribute stands without a value, a false one is left out; `onclick` is what a click does.
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") node.addEventListener("click", value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// The same for pictures.
export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

// Names and values as a list; without a value there is no line.
export function facts(rows) {
  const filled = rows.filter(([, value]) => value !== "" && value !== undefined && value !== null);
  return element("dl", {}, ...filled.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, `${value}`)]));
}
