/** What a person can have done with the code that is selected, as questions in the language of the editor. */

import type { Question } from "./client.js";

export type Action = "explain" | "refactor" | "problems" | "document";

/** The most characters of the file that go along: the engine takes 131,072 bytes. */
const MOST = 32_000;

const QUESTIONS: Record<"en" | "es", Record<Action, string>> = {
  en: {
    explain: "Explain the selected code.",
    refactor: "Refactor the selected code without changing what it does, and give the whole result as code.",
    problems: "Find problems in the selected code.",
    document: "Document the selected code with comments, and give the whole result as code.",
  },
  es: {
    explain: "Explica el código seleccionado.",
    refactor: "Refactoriza el código seleccionado sin cambiar lo que hace y da el resultado completo como código.",
    problems: "Busca problemas en el código seleccionado.",
    document: "Documenta el código seleccionado con comentarios y da el resultado completo como código.",
  },
};

/** Whether the answer's code may replace what is selected. */
export function changesCode(action: Action): boolean {
  return action === "refactor" || action === "document";
}

/** The question of an action about a selection in a file. `language` is the editor's, such as "es" or "pt-br". */
export function questionOf(action: Action, selected: string, file: string, language: string): Question {
  const texts = language.toLowerCase().startsWith("es") ? QUESTIONS.es : QUESTIONS.en;
  return { query: texts[action], selected_text: selected, editor_content: around(file, selected) };
}

/** The file, or as much around the selection as may go along. */
export function around(file: string, selected: string): string {
  if (file.length <= MOST) return file;
  const middle = Math.max(0, file.indexOf(selected)) + selected.length / 2;
  const start = Math.min(Math.max(0, Math.floor(middle - MOST / 2)), file.length - MOST);
  return file.slice(start, start + MOST);
}

/**
 * The code of an answer: its longest fenced block; nothing where there is none, or where the block is quoted from the
 * documents. A citation behind a block says that it is a quotation, which must not replace a person's own code.
 */
export function codeOf(text: string): string | undefined {
  const blocks = [...text.matchAll(/^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^\1[ \t]*$(\n\s*\[\d+\])?/gm)];
  const own = blocks.filter((block) => block[3] === undefined).map((block) => block[2] ?? "");
  return own.reduce<string | undefined>((best, code) => (code.length > (best?.length ?? 0) ? code : best), undefined);
}
