/** HTML as Markdown: what a reader would read, without scripts, styles and page furniture. */

import type TurndownService from 'turndown';
import { bareText, deepestNesting } from './html-text.js';

/** Conversion is done on the main thread, about half a second for this much; the rest of a page is left out. */
const MAX_HTML_CHARS = 1_000_000;
/** The converter's time grows with the square of the depth, and its stack ends at a few thousand. */
const MAX_DEPTH = 500;
const UNREAD = ['script', 'style', 'noscript', 'template', 'iframe', 'object', 'canvas', 'head', 'title'] as const;

export async function htmlToMarkdown(html: string, url: string): Promise<string> {
  const cut = html.length > MAX_HTML_CHARS;
  const source = cut ? html.slice(0, MAX_HTML_CHARS) : html;
  const body = tidy(absoluteLinks(await convert(source), url));
  const title = findTitle(source);
  const note = cut ? `\n\n(the page goes on; only the first ${MAX_HTML_CHARS} characters of its HTML were read)` : '';
  return `${title === '' ? '' : `# ${title}\n\n`}${body}${note}`;
}

async function convert(source: string): Promise<string> {
  if (deepestNesting(source) > MAX_DEPTH) return bareText(source);
  const service = await converter();
  try {
    return service.turndown(source);
  } catch {
    // The bare text is better than nothing.
    return bareText(source);
  }
}

let service: TurndownService | undefined;

async function converter(): Promise<TurndownService> {
  if (service !== undefined) return service;
  const { default: Turndown } = await import('turndown');
  const made = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', hr: '---' });
  made.remove([...UNREAD]);
  // Drawings and pictures inside the page itself are long and say nothing here.
  made.addRule('inline-picture', {
    filter: (node) => node.nodeName.toLowerCase() === 'svg' || (node.getAttribute?.('src') ?? '').startsWith('data:'),
    replacement: () => '',
  });
  service = made;
  return made;
}

function findTitle(source: string): string {
  const head = source.slice(0, 50_000);
  return bareText(/<title[^>]{0,200}>([^<]{1,500})/i.exec(head)?.[1] ?? '').trim();
}

/** A link relative to the page means nothing without the page. */
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
