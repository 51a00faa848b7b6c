/** Finds keys, tokens and passwords in text. A false positive does little harm: it is a wildcard in a replay. Pure. */

export type Span = { readonly start: number; readonly end: number };

/** Shorter strings occur in ordinary text. */
export const SHORTEST_SECRET = 8;

/** Parts of a name that indicate a secret value. */
const SECRET_NAME =
  /api[_-]?key|access[_-]?key|private[_-]?key|secret|token|passw(?:or)?d|(?<=_)pat$|passphrase|credential|(?<![a-z])auth(?![a-z])|(?<![a-z])pass(?![a-z])|(?<![a-z])key(?![a-z])/i;
/** `authKey`, not `monkey`. */
const SECRET_CAMEL = /[a-z]Key(?![a-z])/;
/** Names whose value only locates a secret, or is not secret at all. */
const NOT_SECRET = /^key$|(?:path|file|dir|sock|url|uri|_id|tokens|keyboard|keyring|parallelism)$/i;

export function isSecretName(name: string): boolean {
  return (SECRET_NAME.test(name) || SECRET_CAMEL.test(name)) && !NOT_SECRET.test(name);
}

/** Returns the secrets of an environment. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isSecretName(name) && value.trim().length >= SHORTEST_SECRET ? [value.trim()] : [],
  );
}

/** The forms in which a secret may occur in text: plain, escaped, or in base64 at any offset. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].flatMap((before) => {
    // The first and last characters also depend on the surrounding bytes.
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
    bytes.toString('hex').toUpperCase(),
    ...inBase64,
  ];
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
}

/**
 * Self-describing shapes of secrets. Each is bounded, so that no text takes long. The group is the secret. A shape that
 * could be the end of a word must be separate, or follow an escaped line break as in JSON.
 */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,20000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/dg,
  // Cut off: the part before the cut is still secret.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\]{0,20000}/dg,
  /sk-ant-[\w-]{8,400}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))sk-[A-Za-z0-9_-]{16,400}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,200}/dg,
  /gh[pousr]_[A-Za-z0-9]{16,300}/dg,
  /github_pat_\w{16,300}/dg,
  /glpat-[\w-]{16,300}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))xox[a-z]-[A-Za-z0-9-]{10,300}/dg,
  /(?<![A-Za-z0-9+/])(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9+/])/dg,
  /AIza[\w-]{30,60}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:hf|gsk|shpat|shpss|dop_v1)_[A-Za-z0-9]{24,200}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:xai|GOCSPX|pypi|AGE-SECRET-KEY)-[\w-]{20,400}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:SG\.[\w-]{16,64}\.|ya29\.|hv[sb]\.)[\w-]{16,1000}/dg,
  /hooks\.slack\.com\/(?:services|workflows)\/([\w/-]{8,200})/dg,
  /\/api\/webhooks\/\d{6,30}\/([\w-]{16,200})/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))npm_[A-Za-z0-9]{20,100}/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))eyJ[\w-]{8,4000}\.[\w-]{4,8000}\.[\w-]{4,2000}/dg,
  // A lower-case word is prose: `Basic authentication`.
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))Bearer\s{1,3}(?![A-Z]?[a-z]{0,40}\.?(?![\w.~+/-]))([\w.~+/-]{8,4000}={0,2})/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))bearer\s{1,3}(?![a-z]{0,40}\.?(?![\w.~+/-]))([\w.~+/-]{8,4000}={0,2})/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))Basic\s{1,3}(?![a-z]{0,40}(?![A-Za-z0-9+/=]))([A-Za-z0-9+/]{12,4000}={0,2})/dg,
  /Authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[A-Za-z]{2,20}\s{1,3})?([^\s"',;<>$\\]{12,4000})/dgi,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))login\s{1,3}[^\s"']{1,100}\s{1,3}password\s{1,3}([^\s"'\\]{4,300})/dg,
  /(?<=\s)--?(?:[a-z-]{0,30}(?:password|passwd|token|secret|api-?key))\s{1,3}["']?([^\s"'<>$`\\-][^\s"'<>$`\\]{7,400})/dg,
  /(?<=\s)(?:-u|--user)[ =]["']?[^\s:"'$]{1,100}:([^\s"'$\\]{8,300})/dg,
  /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:Set-)?Cookie["']?:\s{0,3}["']?([^\n"'\\]{8,4000})/dgi,
  /x-api-key["']?\s{0,3}[:=,]\s{0,3}["']?([^\s"',;<>$\\]{8,4000})/dgi,
  /<(?:password|passwd|secret|token|api-?key)>\s{0,20}([^\s<>]{4,400})/dgi,
  // Environment variables of a container.
  /name["']?:\s{0,3}["']?[A-Z0-9_]{0,40}(?:KEY|TOKEN|SECRET|PASSWORD)["']?\s{0,3},?\s{0,40}["']?value["']?:\s{0,3}["']?([^\s"',{}<>$\\]{4,400})/dg,
  /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,200}:([^\s/@"'<>]{1,300})@/dgi,
  // A token instead of a user name.
  /https?:\/\/([^\s/:@"'<>]{16,300})@/dgi,
  /[?&](?:sig|signature|x-amz-signature|x-goog-signature|access_token|token|api_?key|client_secret)=([^\s&"'<>\\]{12,2000})/dgi,
];

/** Spans may overlap. `known`: secrets in all their forms. */
export function findSecrets(text: string, known: Iterable<string>): readonly Span[] {
  const forms = [...known];
  const spans: Span[] = forms.flatMap((form) => occurrences(text, form));
  for (const shape of SHAPES) {
    for (const match of text.matchAll(shape)) {
      const [start, end] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0];
      spans.push({ start, end });
    }
  }
  return [...spans, ...wrapped(text, forms), ...namedValues(text)];
}

function occurrences(text: string, form: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
    spans.push({ start: at, end: at + form.length });
  }
  return spans;
}

/** `base64` breaks lines, and a file is read with a number before each. */
const WRAP = /(?<=[A-Za-z0-9+/]{40})(?:\r?\n|\\n)(?: {0,8}\d{1,6}\t)?(?=[A-Za-z0-9+/])/g;

function wrapped(text: string, forms: readonly string[]): Span[] {
  const breaks = [...text.matchAll(WRAP)];
  if (breaks.length === 0) return [];
  let joined = '';
  let at = 0;
  // The start of each line, in the joined text and in the original.
  const lines: (readonly [from: number, start: number])[] = [];
  for (const { index, 0: sign } of [...breaks, { index: text.length, 0: '' }]) {
    lines.push([joined.length, at]);
    joined += text.slice(at, index);
    at = index + sign.length;
  }
  const place = (offset: number) => {
    const [from, start] = lines.findLast(([begin]) => begin <= offset) ?? [0, 0];
    return start + offset - from;
  };
  return forms
    .flatMap((form) => occurrences(joined, form))
    .map(({ start, end }) => ({ start: place(start), end: place(end - 1) + 1 }));
}

const NAME_WORD =
  /key|secret|token|passw|passphrase|credential|(?<![A-Za-z])(?:pass|auth)(?![a-z])|(?<=_)pat(?![a-z])/gi;
const NAME_CHARACTER = /[A-Za-z0-9_.-]/;
const LONGEST_NAME = 64;
/** The text between a name and its value: `=`, `: `, `": "`, also escaped as in JSON within JSON. */
const ASSIGNED =
  /(?:\\{0,3}["'])?([ \t]{0,3}(?:=>|[=:])[ \t]{0,3})(?:(\\{0,3}["'`])((?:(?!\2)(?:\\.|[^\n\\])){8,2000})|([^\s"'`,;(){}<>[\]\\]{8,2000}))/dy;
/** A line of an environment file: the value extends to its end. */
const VARIABLE = /=([^\s"'`\\]{4,2000})/dy;
/** A value that only refers to the secret, or is computed at run time. */
const REFERENCE =
  /^(?:\$|%|<|\{\{|process\.env|os\.environ|import\.meta|env\.|https?:\/\/[^:@]*$|\/[\w.-]+\/)|\$\{|^(?:true|false|null|none)$/i;
/** Other names are also common for ordinary things, such as `sortKey` and `tokenType`: their values must look secret. */
const SURE_NAME =
  /(?:api|access|private|auth|encryption|signing|master|account|shared|service)[_-]?key|secret|token(?![a-z])|passw(?:or)?d|passphrase|credential|(?<=_)pat$|(?<![a-z])(?:auth|pass)(?![a-z])/i;
const LIKELY = /^(?=.*\d)\S{12,}$/;

/** Finds `NAME=value`, `name: value`, `"name": "value"`. Starts from a word within the name, because names can be long. */
function namedValues(text: string): Span[] {
  const spans: Span[] = [];
  for (const word of text.matchAll(NAME_WORD)) {
    let start = word.index;
    let end = start + word[0].length;
    while (start > 0 && word.index - start < LONGEST_NAME && NAME_CHARACTER.test(text[start - 1] ?? '')) start -= 1;
    while (end < text.length && end - word.index < LONGEST_NAME && NAME_CHARACTER.test(text[end] ?? '')) end += 1;
    const name = text.slice(start, end);
    if (!isSecretName(name)) continue;
    const span = variableAt(text, name, end) ?? valueAt(text, name, start, end);
    if (span !== undefined && isSecretValue(name, text.slice(span.start, span.end))) spans.push(span);
  }
  return spans;
}

/** For a field or an assignment. */
export function isSecretValue(name: string, value: string): boolean {
  return !REFERENCE.test(value) && (SURE_NAME.test(name) || LIKELY.test(value));
}

function variableAt(text: string, name: string, end: number): Span | undefined {
  if (!/^[A-Z][A-Z0-9_]+$/.test(name)) return undefined;
  VARIABLE.lastIndex = end;
  const [start, to] = VARIABLE.exec(text)?.indices?.[1] ?? [];
  return start === undefined || to === undefined ? undefined : { start, end: to };
}

function valueAt(text: string, name: string, start: number, end: number): Span | undefined {
  ASSIGNED.lastIndex = end;
  const match = ASSIGNED.exec(text);
  if (match === null) return undefined;
  const [, sign = '', , quoted, bare = ''] = match;
  const [from, to] = match.indices?.[quoted === undefined ? 4 : 3] ?? [0, 0];
  // Without quotes and with spaces around the sign it may be prose or code: a secret has digits, or its own line.
  const isLine =
    /(?:^|\n)[ \t-]*$/.test(text.slice(Math.max(0, start - 40), start)) && /^\r?(?:\n|$)/.test(text.slice(to, to + 2));
  const isSetting = isLine && (/^[A-Z][A-Z0-9_]+$/.test(name) || /passw(?:or)?d$/i.test(name));
  const isPlain = quoted !== undefined || sign.trim() === sign || /\d/.test(bare) || isSetting;
  return isPlain ? { start: from, end: to } : undefined;
}
