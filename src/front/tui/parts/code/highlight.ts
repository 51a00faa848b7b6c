/**
 * Code in colours, by highlight.js. Of its two ways out, the tree of its emitter is internal and the HTML is documented:
 * the HTML is read here. It is a small closed language, because all text in it is escaped: opening spans with a class,
 * closing spans, and text with five entities.
 */

import { stripUnsafe } from '../../../../gate/permissions/strip-unsafe.js';
import type { TokenKind } from '../../theme/theme.js';
import { expandTabs } from '../spans.js';

export type CodeToken = { readonly kind: TokenKind | undefined; readonly text: string };

type Highlighter = typeof import('./languages.js').default;

/** Beyond these code stands without colours: nobody waits for them. */
const MOST_CHARS = 60_000;
const LONGEST_LINE = 2_000;

let highlighter: Highlighter | undefined;

/** Loads the languages, once. Until then, and if it fails, code stands without colours. */
export async function loadHighlighter(): Promise<void> {
  try {
    highlighter ??= (await import('./languages.js')).default;
  } catch {
    // Code without colours is still code.
  }
}

/** The tokens of each line. Never fails: what can't be read is text. */
export function codeLines(code: string, language: string): readonly (readonly CodeToken[])[] {
  const text = expandTabs(stripUnsafe(code));
  const plain = () => text.split('\n').map((line): readonly CodeToken[] => [{ kind: undefined, text: line }]);
  if (highlighter === undefined || text.length > MOST_CHARS || isTooWide(text)) return plain();
  const name = language.toLowerCase();
  if (highlighter.getLanguage(name) === undefined) return plain();
  try {
    const { value } = highlighter.highlight(text, { language: name, ignoreIllegals: true });
    return readHtml(value);
  } catch {
    return plain();
  }
}

/**
 * The same for code that is still coming and shown again and again. Each line stands by itself, and has its colours from
 * the second time on: in a fast stream most are gone by then. What reaches over several lines, like a long comment, has
 * its colours when the code is whole.
 */
export function comingCodeLines(code: string, language: string): readonly (readonly CodeToken[])[] {
  return codeLines(code, '');
}

const MOST_COMING = 200;
const comingLines = new Map<string, readonly CodeToken[] | 'seen'>();

function isTooWide(text: string): boolean {
  for (let from = 0; ; ) {
    const end = text.indexOf('\n', from);
    if ((end === -1 ? text.length : end) - from > LONGEST_LINE) return true;
    if (end === -1) return false;
    from = end + 1;
  }
}

function readHtml(html: string): readonly (readonly CodeToken[])[] {
  const lines: CodeToken[][] = [[]];
  const open: (TokenKind | undefined)[] = [];
  for (const [, classes, closing, text] of html.matchAll(/<span class="([^"]*)">|(<\/span>)|([^<]+)/g)) {
    if (classes !== undefined) open.push(kindOf(classes) ?? open.at(-1));
    else if (closing !== undefined) open.pop();
    else if (text !== undefined) {
      unescapeHtml(text)
        .split('\n')
        .forEach((piece, index) => {
          if (index > 0) lines.push([]);
          if (piece !== '') lines.at(-1)?.push({ kind: open.at(-1), text: piece });
        });
    }
  }
  return lines;
}

function unescapeHtml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, entity: string) => ENTITIES[entity] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/** `hljs-title function_`: the first that means something here. */
function kindOf(classes: string): TokenKind | undefined {
  for (const name of classes.split(' ')) {
    const kind = KINDS[name.replace(/^hljs-/, '')];
    if (kind !== undefined) return kind;
  }
  return undefined;
}

const KINDS: Readonly<Record<string, TokenKind>> = {
  keyword: 'keyword',
  literal: 'keyword',
  'selector-tag': 'keyword',
  operator: 'keyword',
  'template-tag': 'keyword',
  string: 'string',
  regexp: 'string',
  addition: 'string',
  char: 'string',
  symbol: 'string',
  comment: 'comment',
  quote: 'comment',
  meta: 'comment',
  deletion: 'comment',
  number: 'number',
  bullet: 'number',
  type: 'type',
  class_: 'type',
  built_in: 'type',
  'selector-class': 'type',
  'selector-id': 'type',
  tag: 'type',
  function_: 'function',
  title: 'function',
  section: 'function',
  attr: 'name',
  attribute: 'name',
  property: 'name',
  variable: 'name',
  name: 'name',
  'template-variable': 'name',
};
