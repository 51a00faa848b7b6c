/** Parses a scenario from YAML or JSON. Every mistake is reported with file, line and path. */

import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import type { Scenario } from './scenario.js';
import { scenarioSchema } from './scenario-schema.js';

export type ParsedScenario =
  | { readonly ok: true; readonly scenario: Scenario }
  /** One line per mistake: `file:line: path: what is wrong`. */
  | { readonly ok: false; readonly mistakes: readonly string[] };

export function parseScenario(text: string, file: string): ParsedScenario {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    const mistakes = document.errors.map(
      (error) => `${file}:${lines.linePos(error.pos[0]).line}: ${error.message.split('\n')[0]}`,
    );
    return { ok: false, mistakes };
  }
  const parsed = scenarioSchema.safeParse(document.toJS());
  if (parsed.success) return { ok: true, scenario: parsed.data };
  const mistakes = parsed.error.issues
    .flatMap((issue) => telling(issue, []))
    .map(({ path, message }) => {
      const subject = path.length > 0 ? `${path.join('.')}: ` : '';
      return `${file}:${lineOf(document, path, lines)}: ${subject}${message}`;
    });
  return { ok: false, mistakes: [...new Set(mistakes)] };
}

type Mistake = { readonly path: readonly PropertyKey[]; readonly message: string };

/** For a union, returns the mistakes of the most likely alternative. */
function telling(issue: z.core.$ZodIssue, before: readonly PropertyKey[]): readonly Mistake[] {
  const path = [...before, ...issue.path];
  if (issue.code !== 'invalid_union') return [{ path, message: issue.message }];
  const deeper = issue.errors
    .map((branch) => branch.flatMap((inner) => telling(inner, path)))
    .filter((mistakes) => mistakes.length > 0 && mistakes.every((mistake) => mistake.path.length > path.length))
    .sort((a, b) => a.length - b.length)[0];
  return deeper ?? [{ path, message: issue.message }];
}

function lineOf(document: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
