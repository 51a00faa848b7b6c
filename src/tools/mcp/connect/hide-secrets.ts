/** Removes secrets from a server's text, in the forms in which servers echo them. */

const HIDDEN = '(hidden)';
/** Shorter ones would match ordinary words. */
const SHORTEST = 8;

/** The first `most` characters of `text`. A secret that begins before the cut is hidden completely. */
export function hideSecrets(text: string, secrets: readonly string[], most: number): string {
  const forms = new Set(secrets.flatMap(partsOf).flatMap(formsOf));
  let shown = '';
  let at = 0;
  for (const { start, end } of join([...forms].flatMap((form) => occurrences(text, form, most)))) {
    shown += `${text.slice(at, start)}${HIDDEN}`;
    at = end;
  }
  return shown + text.slice(at, most);
}

type Span = { readonly start: number; readonly end: number };

function occurrences(text: string, form: string, most: number): readonly Span[] {
  const found: Span[] = [];
  const within = text.slice(0, most + form.length);
  for (let start = within.indexOf(form); start !== -1 && start < most; start = within.indexOf(form, start + 1)) {
    found.push({ start, end: start + form.length });
  }
  return found;
}

/** Merges adjacent spans. */
function join(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || span.start > last.end) joined.push(span);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return joined;
}

/** A header's value may have several parts: `Bearer …`, `key=…; other=…`, or a name and a password. */
function partsOf(value: string): readonly string[] {
  const content = [value, ...value.split(/\s+/), ...value.split(/[\s,;="]+/)];
  const basic = /^basic +(\S+)$/i.exec(value)?.[1];
  if (basic === undefined) return content;
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  return [...content, pair, pair.slice(pair.indexOf(':') + 1)];
}

function formsOf(secret: string): readonly string[] {
  if (secret.length < SHORTEST) return [];
  const bytes = Buffer.from(secret, 'utf8');
  // Text after the secret is encoded together with its end.
  const whole = Math.floor((bytes.length * 4) / 3);
  const encoded = (['base64', 'base64url'] as const).map((form) => bytes.toString(form).slice(0, whole));
  const escaped = [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
  return [secret, ...escaped, ...encoded];
}
