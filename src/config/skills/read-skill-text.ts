/** Splits the text of a skill into front matter fields and body. Pure; executes nothing from the file. */

import type { RawField } from '../definitions/definition-fields.js';
import type { Note } from '../definitions/note.js';
import { readFields } from '../definitions/read-fields.js';
import { type FrontMatter, splitFrontMatter } from '../definitions/split-front-matter.js';
import { SKILL_FIELDS, skillFieldNamed } from './skill-fields.js';

export type SkillText = {
  readonly fields: readonly RawField[];
  readonly body: string;
  readonly notes: readonly Note[];
  /** Set if fields, such as `disable-model-invocation`, may have been lost, with the reason. */
  readonly doubt?: Note;
  /** The file has no front matter. */
  readonly isBare?: true;
};

/** Parsing YAML takes much longer than reading text. */
const MAX_FRONT_MATTER = 64 * 1024;
const MAX_LINES = 10_000;

export function readSkillText(text: string): SkillText {
  const all = text.replace(/^\uFEFF+/, '').split(/\r\n|\n|\r/);
  const whole = { fields: [], body: all.join('\n').trim(), notes: [] };
  const split = splitFrontMatter(text, SKILL_FIELDS);
  switch (split.kind) {
    case 'none':
      return { ...whole, isBare: true };
    case 'refused':
      return { ...whole, doubt: warning(split.line, split.reason) };
    case 'found': {
      const before = all.slice(0, Math.max(0, split.firstLine - 2)).join('\n');
      const lead = withoutComments(before).trim();
      if (/^(```|~~~)/.test(lead))
        return {
          ...whole,
          doubt: warning(1, 'the file begins with a code fence: remove it if the file is meant as a skill'),
        };
      // Front matter after other text is only an example.
      if (lead !== '') return { ...whole, isBare: true };
      return readFound(split);
    }
    default:
      return split satisfies never;
  }
}

function readFound({ lines, firstLine, body, notes: misplaced }: FrontMatter & { kind: 'found' }): SkillText {
  const front = lines.join('\n');
  if (lines.length > MAX_LINES || front.length > MAX_FRONT_MATTER) {
    const doubt = warning(firstLine, `the front matter has more than ${MAX_FRONT_MATTER} characters: shorten it`);
    return { fields: [], body, notes: [], doubt };
  }
  const { fields, notes, isLoose } = readFields(lines.map(quoteHint), firstLine, SKILL_FIELDS);
  const has = (name: string) => fields.some(({ key }) => skillFieldNamed(key) === name);
  const [first] = misplaced;
  if (first !== undefined) return { fields, body, notes, doubt: first };
  if (isLoose && !fields.some(({ key }) => skillFieldNamed(key) !== undefined)) {
    const [why = warning(firstLine, NO_FIELDS), ...rest] = notes;
    return { fields, body, notes: rest, doubt: why };
  }
  if (isLoose && /disable[-_ ]?model[-_ ]?invocation/i.test(front) && !has('disableModelInvocation')) {
    return { fields, body, notes, doubt: warning(firstLine, 'disable-model-invocation is inside another field') };
  }
  return { fields, body, notes };
}

const NO_FIELDS = 'the front matter has no "field: value" lines';

/** Hints are written as `argument-hint: [a] [b]`, which is not valid YAML; `[a]` alone would be a list. */
function quoteHint(line: string): string {
  const [, key = '', hint = ''] = /^(argument[-_ ]?hint\s*:\s*)([[{].*?)\s*$/i.exec(line) ?? [];
  return hint === '' ? line : `${key}'${hint.replaceAll("'", "''")}'`;
}

/** Keeps an unclosed comment as text. Not a regex, which would search to the end of the file for each of them. */
export function withoutComments(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let open = text.indexOf('<!--'); open >= 0; open = text.indexOf('<!--', at)) {
    const close = text.indexOf('-->', open + 4);
    if (close < 0) break;
    parts.push(text.slice(at, open));
    at = close + 3;
  }
  return parts.join('') + text.slice(at);
}

function warning(line: number, message: string): Note {
  return { severity: 'warning', line, message };
}
