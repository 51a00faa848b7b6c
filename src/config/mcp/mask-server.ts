/** Masks a server's entry for printing: everything in it that looks secret. Pure. */

import { isObject } from '../../protocol/json/json-values.js';
import { looksSecret } from './server-environment.js';

const MASK = '••••';

export function maskServer(raw: unknown): unknown {
  if (!isObject(raw)) return raw === null || typeof raw !== 'object' ? MASK : [];
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, maskMember(key, value)]));
}

/** The paths of secrets that are written out in an entry, such as `headers.Authorization`. */
export function secretPaths(raw: unknown): readonly string[] {
  const masked = maskServer(raw);
  if (!isObject(raw) || !isObject(masked)) return [];
  return Object.entries(raw).flatMap(([key, value]) => {
    const now = masked[key];
    if (JSON.stringify(now) === JSON.stringify(value)) return [];
    if (!isObject(value) || !isObject(now)) return [key];
    return Object.keys(value).flatMap((name) => (now[name] === value[name] ? [] : [`${key}.${name}`]));
  });
}

function maskMember(key: string, value: unknown): unknown {
  switch (key) {
    case 'env':
    case 'headers':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskValue(name, one)]))
        : MASK;
    case 'args':
      return Array.isArray(value) ? maskArgs(value) : MASK;
    case 'url':
      return typeof value === 'string' ? maskText(value) : MASK;
    case 'oauth':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskValue(name, one)]))
        : MASK;
    default:
      return typeof value === 'string' ? maskText(value) : value;
  }
}

const REFERENCE = /^(?:(?:Bearer|Basic|Token) )?\$\{\w+\}$/i;

/** A reference to a variable is not a secret. */
function maskValue(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return looksSecret(name) ? MASK : value;
  if (REFERENCE.test(value)) return value;
  return looksSecret(name) || isBareSecret(value) ? MASK : maskText(value);
}

/** Masks words of a command line: `--token x`, `--header "Authorization: x"`, `KEY=x`. */
export function maskArgs(args: readonly unknown[]): readonly unknown[] {
  return args.map((arg, index) => {
    if (typeof arg !== 'string') return arg;
    const before = args[index - 1];
    const flag = typeof before === 'string' && /^--?[\w.-]+$/.test(before) ? before : undefined;
    // The word after the flag is its value, even if it begins with a dash.
    if (flag !== undefined && looksSecret(flag) && !/^--[a-z]/.test(arg)) return maskValue(flag, arg);
    return isBareSecret(arg) && !REFERENCE.test(arg) ? MASK : maskText(arg);
  });
}

/** A name and the separator before its value: `TOKEN=`, `X-Api-Key: `, `"key": `, `--api-key `; also in shell lines. */
const NAMED = /(?<![\w$.-])(?:(-{0,2}[A-Za-z_][\w.-]*)(\\?["']?\s*[:=]\s*)|(--?[A-Za-z][\w.-]*)(\s+)(?!-))/g;
const VALUE = /\\?"(?:[^"\\]|\\[^"])*\\?"|'[^']*'|[^\s"'&;|,)}]+/y;
/** A value that refers to another, or that is already masked. */
const SHOWN = /^\\?["']?(?:\$\{?\w+(?::-)?\}?\\?["']?$|(?:Bearer|Basic|Token)\b|•)/i;

function maskNamed(text: string): string {
  let masked = '';
  let at = 0;
  for (const match of text.matchAll(NAMED)) {
    const end = match.index + match[0].length;
    if (match.index < at || !looksSecret(match[1] ?? match[3] ?? '')) continue;
    VALUE.lastIndex = end;
    const [value] = VALUE.exec(text) ?? [];
    if (value === undefined || SHOWN.test(value)) continue;
    masked += `${text.slice(at, end)}${MASK}`;
    at = end + value.length;
  }
  return masked + text.slice(at);
}

/** Masks secrets anywhere in a text: a shell command, a URL, an argument. */
export function maskText(text: string): string {
  return maskNamed(maskKnown(text));
}

/** Masks values that are recognisable by their context or prefix. */
function maskKnown(text: string): string {
  return text
    .replace(/(\w:\/\/)[^/@\s]+@/g, `$1${MASK}@`)
    .replace(/\b(Bearer|Basic|Token)(\s+)(?!\$)[^\s"'`]+/gi, `$1$2${MASK}`)
    .replace(/(Authorization|Cookie)(\s*[:=])(?!\s*(?:(?:Bearer|Basic|Token)\s|["'$]))[^\r\n"'`]+/gi, `$1$2 ${MASK}`)
    .replace(/([?&])([^=&#\s]+)=([^&#\s"']*)/g, (whole, mark: string, name: string, value: string) =>
      looksSecret(name) && !REFERENCE.test(value) ? `${mark}${name}=${MASK}` : whole,
    )
    .replace(/(?<![\w-])(?:sk-|gh[pousr]_|github_pat_|xox[a-z]-|glpat-|AKIA|eyJ[\w-]{20})[\w.-]+/g, MASK);
}

/** Recognises the prefixes that well-known services give their keys. */
function isBareSecret(value: string): boolean {
  return /^(?:(?:Bearer|Basic|Token) +\S|sk-|gh[pousr]_|github_pat_|xox[a-z]-|glpat-|AKIA|eyJ[\w-]{20})/i.test(value);
}
