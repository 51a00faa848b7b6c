/** Shows an edit as diff lines. The diff library is loaded with the first edit, and the comparison is bounded. */

import { escapeControls } from '../../protocol/escape-controls.js';
import { member } from './describe/describe-call.js';

export type DiffLine = { readonly sign: '+' | '-' | ' '; readonly text: string };

const CONTEXT = 2;
/** Beyond these, all old lines show as removed and all new ones as added: a model can't make us compare for long. */
const MAX_EDIT_LENGTH = 2_000;
const MAX_CHARS = 200_000;

/** Undefined if the call is not an edit that can be shown as a diff. `clean`: how its lines are made safe to show. */
export async function editDiff(
  tool: string,
  input: unknown,
  clean: (line: string) => string = escapeControls,
): Promise<readonly DiffLine[] | undefined> {
  const texts = changedTexts(tool, input);
  if (texts === undefined) return undefined;
  const [before, after] = texts;
  const hunks = before.length + after.length > MAX_CHARS ? undefined : await compare(before, after);
  const lines = hunks ?? [...splitLines(before).map((line) => `-${line}`), ...splitLines(after).map((l) => `+${l}`)];
  return lines.map((line) => ({ sign: signOf(line), text: clean(line.slice(1)) }));
}

function changedTexts(tool: string, input: unknown): readonly [string, string] | undefined {
  const text = (key: string) => member(input, key);
  switch (tool) {
    case 'Edit': {
      const [before, after] = [text('old_string'), text('new_string')];
      return typeof before === 'string' && typeof after === 'string' ? [before, after] : undefined;
    }
    case 'Write': {
      const content = text('content');
      return typeof content === 'string' ? ['', content] : undefined;
    }
    default:
      return undefined;
  }
}

async function compare(before: string, after: string): Promise<readonly string[] | undefined> {
  const { structuredPatch } = await import('diff');
  const options = { context: CONTEXT, maxEditLength: MAX_EDIT_LENGTH };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  return patch?.hunks.flatMap((hunk, index) => {
    const lines = hunk.lines.filter((line) => !line.startsWith('\\'));
    return index === 0 ? lines : [' …', ...lines];
  });
}

function splitLines(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function signOf(line: string): DiffLine['sign'] {
  return line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ';
}
