/** Scans HTML in one linear pass, for pages that a real parser can't handle. */

/** The text content, without scripts and styles. */
export function bareText(html: string): string {
  const parts: string[] = [];
  let from = 0;
  let unread: string | undefined;
  for (const tag of tagsOf(html)) {
    if (unread === undefined) parts.push(html.slice(from, tag.start));
    from = tag.end;
    if (unread === undefined && !tag.closing && (tag.name === 'script' || tag.name === 'style')) unread = tag.name;
    else if (tag.closing && tag.name === unread) unread = undefined;
  }
  if (unread === undefined) parts.push(html.slice(from));
  const content = parts.map((part) => part.replace(/\s+/g, ' ')).filter((part) => part.trim() !== '');
  return decodeEntities(content.join('\n'));
}

type Tag = { readonly name: string; readonly closing: boolean; readonly start: number; readonly end: number };

function* tagsOf(html: string): Generator<Tag> {
  for (let start = html.indexOf('<'); start !== -1; ) {
    const match = /^<(\/?)([a-zA-Z][a-zA-Z0-9-]{0,30})/.exec(html.slice(start, start + 34));
    // Looked for from a tag only: a page of `<` would be read to its end from each.
    if (match?.[2] !== undefined) {
      const close = html.indexOf('>', start);
      // Without a closing bracket, there are no more tags.
      if (close === -1) return;
      yield { name: match[2].toLowerCase(), closing: match[1] === '/', start, end: close + 1 };
      start = html.indexOf('<', close);
    } else start = html.indexOf('<', start + 1);
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };

function decodeEntities(text: string): string {
  return text.replace(/&(#39|amp|lt|gt|quot|nbsp);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
