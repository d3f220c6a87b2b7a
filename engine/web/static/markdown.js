// Answers as elements: paragraphs, headings, lists, code and emphasis of Markdown, and citations such as [2].
// Everything becomes text nodes: nothing that an answer says is read as HTML.

const FENCE = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,4}[.)])\s+(.*)$/;
const INLINE = /(`+)(.+?)\1|\*\*(.+?)\*\*|\[(\d{1,3})\]/g;

// Elements for `text`. `cite(number)` makes the element of a citation, or nothing where it leads nowhere.
export function rendered(text, cite) {
  const blocks = document.createDocumentFragment();
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; ) {
    const fence = FENCE.exec(lines[at]);
    if (fence) {
      const code = [];
      for (at += 1; at < lines.length && !closes(lines[at], fence[1]); at += 1) code.push(lines[at]);
      at += 1;
      blocks.append(codeBlock(code.join("\n"), fence[2]));
    } else if (/^#{1,6}\s/.test(lines[at])) {
      blocks.append(inline(element("h4"), lines[at].replace(/^#+\s+/, ""), cite));
      at += 1;
    } else if (ITEM.test(lines[at])) {
      at = list(blocks, lines, at, cite);
    } else if (!lines[at].trim()) {
      at += 1;
    } else {
      const held = [];
      while (at < lines.length && lines[at].trim() && !starts(lines[at])) held.push(lines[at++]);
      blocks.append(inline(element("p"), held.join("\n"), cite));
    }
  }
  return blocks;
}

function closes(line, fence) {
  const trimmed = line.trim();
  return trimmed.length >= fence.length && trimmed === fence[0].repeat(trimmed.length);
}

function starts(line) {
  return FENCE.test(line) || ITEM.test(line) || /^#{1,6}\s/.test(line);
}

function list(blocks, lines, at, cite) {
  const first = ITEM.exec(lines[at]);
  const ordered = /\d/.test(first[2]);
  const items = element(ordered ? "ol" : "ul");
  if (ordered) items.start = parseInt(first[2], 10);
  while (at < lines.length) {
    const item = ITEM.exec(lines[at]);
    if (!item || /\d/.test(item[2]) !== ordered) break;
    const held = [item[3]];
    for (at += 1; at < lines.length && /^\s+\S/.test(lines[at]) && !starts(lines[at]); at += 1) held.push(lines[at]);
    items.append(inline(element("li"), held.join("\n"), cite));
  }
  blocks.append(items);
  return at;
}

function codeBlock(code, language) {
  const block = element("pre");
  block.tabIndex = 0; // it scrolls, so the keyboard has to reach it
  if (language) block.dataset.language = language;
  const inner = element("code");
  inner.textContent = code;
  block.append(inner);
  if (language) import("./highlight.js").then(({ highlight }) => highlight(inner, code, language.toLowerCase()), () => {});
  return block;
}

function inline(into, text, cite) {
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    const made = piece(found, cite);
    if (!made) continue;
    into.append(text.slice(from, found.index), made);
    from = found.index + found[0].length;
  }
  into.append(text.slice(from));
  return into;
}

function piece(found, cite) {
  if (found[4]) return cite(Number(found[4]));
  const made = element(found[1] ? "code" : "strong");
  if (found[1]) made.textContent = found[2];
  else inline(made, found[3], cite);
  return made;
}

function element(name) {
  return document.createElement(name);
}
