/** Converts HTML to Markdown: the readable content, without scripts, styles and navigation. */

import type TurndownService from 'turndown';
import { type Job, runApart } from '../../host/apart/run-apart.js';
import { bareText } from './html-text.js';

/** The conversion takes about half a second for this size. The rest of a page is cut. */
const MAX_HTML_CHARS = 1_000_000;
/** A page can be made so that parsing it takes minutes. */
const DEADLINE_MS = 5_000;
/** Nested lists are indented again at each level, so a page can become a thousand times as long. */
const MAX_MARKDOWN_CHARS = 2_000_000;

export type ConvertOptions = { readonly deadlineMs?: number; readonly signal?: AbortSignal };

export async function htmlToMarkdown(
  html: string,
  url: string,
  { deadlineMs = DEADLINE_MS, signal }: ConvertOptions = {},
): Promise<string> {
  const source = html.slice(0, MAX_HTML_CHARS);
  const done = await runApart(convert, source, { deadlineMs, ...(signal === undefined ? {} : { signal }) });
  const markdown = done.kind === 'done' ? done.value : bareText(source);
  const notes = [
    ...(done.kind === 'done' ? [] : ['the page is too intricate to convert; this is its plain text']),
    ...(html.length > MAX_HTML_CHARS
      ? [`the page continues; only the first ${MAX_HTML_CHARS} characters of its HTML were read`]
      : []),
    ...(markdown.length > MAX_MARKDOWN_CHARS
      ? [`only the first ${MAX_MARKDOWN_CHARS} of ${markdown.length} characters are shown`]
      : []),
  ];
  const title = findTitle(source);
  const body = tidy(absoluteLinks(markdown.slice(0, MAX_MARKDOWN_CHARS), url));
  return `${title === '' ? '' : `# ${title}\n\n`}${body}${notes.map((note) => `\n\n(${note})`).join('')}`;
}

const convert: Job<string, string> = (html, load) => {
  const Turndown = load('turndown') as typeof TurndownService;
  const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', hr: '---' });
  service.remove(['script', 'style', 'noscript', 'template', 'iframe', 'object', 'canvas', 'head', 'title']);
  // Inline images are long and have no value as text.
  service.addRule('inline-picture', {
    filter: (node) => node.nodeName.toLowerCase() === 'svg' || (node.getAttribute?.('src') ?? '').startsWith('data:'),
    replacement: () => '',
  });
  return service.turndown(html);
};

function findTitle(source: string): string {
  const head = source.slice(0, 50_000);
  return bareText(/<title[^>]{0,200}>([^<]{1,500})/i.exec(head)?.[1] ?? '').trim();
}

/** Makes relative links absolute: they have no meaning outside the page. */
function absoluteLinks(markdown: string, url: string): string {
  return markdown.replace(/\]\((\/[^)\s]*|\.{1,2}\/[^)\s]*)/g, (whole, target: string) => {
    return URL.canParse(target, url) ? `](${new URL(target, url).href}` : whole;
  });
}

function tidy(markdown: string): string {
  const lines = markdown.split('\n').map((line) => line.trimEnd());
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
