/** Converts HTML to Markdown: the readable content, without scripts, styles and navigation. */

import type TurndownService from 'turndown';
import { bareText, deepestNesting } from './html-text.js';

/** The conversion runs on the main thread and takes about half a second for this size. The rest of a page is cut. */
const MAX_HTML_CHARS = 1_000_000;
/** The converter's time is quadratic in the depth, and its stack overflows at a few thousand levels. */
const MAX_DEPTH = 500;
const UNREAD = ['script', 'style', 'noscript', 'template', 'iframe', 'object', 'canvas', 'head', 'title'] as const;

export async function htmlToMarkdown(html: string, url: string): Promise<string> {
  const cut = html.length > MAX_HTML_CHARS;
  const source = cut ? html.slice(0, MAX_HTML_CHARS) : html;
  const body = tidy(absoluteLinks(await convert(source), url));
  const title = findTitle(source);
  const note = cut ? `\n\n(the page continues; only the first ${MAX_HTML_CHARS} characters of its HTML were read)` : '';
  return `${title === '' ? '' : `# ${title}\n\n`}${body}${note}`;
}

async function convert(source: string): Promise<string> {
  if (deepestNesting(source) > MAX_DEPTH) return bareText(source);
  const service = await converter();
  try {
    return service.turndown(source);
  } catch {
    // Plain text is better than nothing.
    return bareText(source);
  }
}

let service: TurndownService | undefined;

async function converter(): Promise<TurndownService> {
  if (service !== undefined) return service;
  const { default: Turndown } = await import('turndown');
  const made = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', hr: '---' });
  made.remove([...UNREAD]);
  // Inline images are long and have no value as text.
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
