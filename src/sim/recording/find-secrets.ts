/** Finds keys, tokens and passwords in text. What is found in doubt does little harm: it is a wildcard in a replay. Pure. */

export type Span = { readonly start: number; readonly end: number };

/** A shorter one occurs in ordinary text. */
export const SHORTEST_SECRET = 8;

/** Words of a name that say its value is secret. */
const SECRET_NAME =
  /api[_-]?key|access[_-]?key|private[_-]?key|secret|token|passw(?:or)?d|passphrase|credential|(?<![a-z])auth(?![a-z])|(?<![a-z])pass(?![a-z])|(?<![a-z])key(?![a-z])/i;
/** `authKey`, not `monkey`. */
const SECRET_CAMEL = /[a-z]Key(?![a-z])/;
/** Names of which the value is where a secret is, or no secret at all. */
const NOT_SECRET = /^key$|(?:path|file|dir|sock|url|uri|_id|tokens|keyboard|keyring|parallelism)$/i;

export function isSecretName(name: string): boolean {
  return (SECRET_NAME.test(name) || SECRET_CAMEL.test(name)) && !NOT_SECRET.test(name);
}

/** Of a whole environment. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isSecretName(name) && value.trim().length >= SHORTEST_SECRET ? [value.trim()] : [],
  );
}

/** A secret as it may stand in a text: as it is, escaped, or in base64, wherever in the encoded text it began. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].flatMap((before) => {
    // The first and last characters also depend on what stands around it.
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const core = whole.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((whole.length * 4) / 3));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('hex'),
    ...inBase64,
  ];
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
}

/**
 * Shapes that say of themselves what they are. Each has a bound, so that no text takes long. The group is the secret. One
 * that could be the end of a word stands alone, or after a line break as it is written in JSON.
 */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/dg,
  // Not whole: what came before the cut is secret all the same.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{0,20000}/dg,
  /sk-ant-[\w-]{8,400}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))sk-[A-Za-z0-9_-]{16,400}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,200}/dg,
  /gh[pousr]_[A-Za-z0-9]{16,300}/dg,
  /github_pat_\w{16,300}/dg,
  /glpat-[\w-]{16,300}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))xox[a-z]-[A-Za-z0-9-]{10,300}/dg,
  /(?<![A-Za-z0-9+/])(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9+/])/dg,
  /AIza[\w-]{30,60}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))npm_[A-Za-z0-9]{20,100}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))eyJ[\w-]{8,4000}\.[\w-]{4,8000}\.[\w-]{4,2000}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))Bearer\s{1,3}([\w.~+/-]{8,4000}={0,2})/dgi,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))Basic\s{1,3}([A-Za-z0-9+/]{12,4000}={0,2})/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:Set-)?Cookie:\s{0,3}([^\n"'\\]{8,4000})/dgi,
  /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,200}:([^\s/@"'<>]{1,300})@/dgi,
];

/** Spans may overlap. `known`: secrets in all their forms. */
export function findSecrets(text: string, known: Iterable<string>): readonly Span[] {
  const spans: Span[] = [];
  for (const form of known) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
      spans.push({ start: at, end: at + form.length });
    }
  }
  for (const shape of SHAPES) {
    for (const match of text.matchAll(shape)) {
      const [start, end] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0];
      spans.push({ start, end });
    }
  }
  spans.push(...namedValues(text));
  return spans;
}

const NAME_WORD = /key|secret|token|passw|passphrase|credential|(?<![A-Za-z])(?:pass|auth)(?![a-z])/gi;
const NAME_CHARACTER = /[A-Za-z0-9_.-]/;
const LONGEST_NAME = 64;
/** What stands between a name and its value: `=`, `: `, `": "`, also escaped as in JSON within JSON. */
const ASSIGNED =
  /(?:\\{0,3}["'])?([ \t]{0,3}(?:=>|[=:])[ \t]{0,3})(?:(\\{0,3}["'`])([^\n"'`\\]{8,2000})|([^\s"'`,;(){}<>[\]\\]{8,2000}))/dy;
/** A value that only says where the secret is. */
const REFERENCE = /^(?:\$|%|<|\{\{|process\.env|os\.environ|import\.meta|env\.|https?:\/\/[^:@]*$|\/[\w.-]+\/)/;

/** `NAME=value`, `name: value`, `"name": "value"`. The name is looked at from a word in it: names can be long. */
function namedValues(text: string): Span[] {
  const spans: Span[] = [];
  for (const word of text.matchAll(NAME_WORD)) {
    let start = word.index;
    let end = start + word[0].length;
    while (start > 0 && word.index - start < LONGEST_NAME && NAME_CHARACTER.test(text[start - 1] ?? '')) start -= 1;
    while (end < text.length && end - word.index < LONGEST_NAME && NAME_CHARACTER.test(text[end] ?? '')) end += 1;
    if (!isSecretName(text.slice(start, end))) continue;
    ASSIGNED.lastIndex = end;
    const match = ASSIGNED.exec(text);
    if (match === null) continue;
    const [, sign = '', , quoted, bare] = match;
    const value = quoted ?? bare ?? '';
    // Without quotes and with spaces around the sign it may be prose or code: a secret has digits.
    const isPlain = quoted !== undefined || sign.trim() === sign || /\d/.test(value);
    const [from, to] = match.indices?.[quoted === undefined ? 4 : 3] ?? [0, 0];
    if (isPlain && !REFERENCE.test(value)) spans.push({ start: from, end: to });
  }
  return spans;
}
