/** A server's entry as it may be printed: what looks secret in it is left out. Pure. */

import { isRecord } from '../json-values.js';
import { looksSecret } from './server-environment.js';

const MASK = '••••';

export function maskServer(raw: unknown): unknown {
  if (!isRecord(raw)) return raw === null || typeof raw !== 'object' ? MASK : [];
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, maskMember(key, value)]));
}

/** Where an entry has a secret written out, such as `headers.Authorization`. */
export function secretPaths(raw: unknown): readonly string[] {
  const masked = maskServer(raw);
  if (!isRecord(raw) || !isRecord(masked)) return [];
  return Object.entries(raw).flatMap(([key, value]) => {
    const now = masked[key];
    if (JSON.stringify(now) === JSON.stringify(value)) return [];
    if (!isRecord(value) || !isRecord(now)) return [key];
    return Object.keys(value).flatMap((name) => (now[name] === value[name] ? [] : [`${key}.${name}`]));
  });
}

function maskMember(key: string, value: unknown): unknown {
  switch (key) {
    case 'env':
    case 'headers':
      return isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskValue(name, one)]))
        : MASK;
    case 'args':
      return Array.isArray(value) ? maskArgs(value) : MASK;
    case 'url':
      return typeof value === 'string' ? maskText(value) : MASK;
    case 'oauth':
      return isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskValue(name, one)]))
        : MASK;
    default:
      return typeof value === 'string' ? maskText(value) : value;
  }
}

const REFERENCE = /^(?:(?:Bearer|Basic|Token) )?\$\{\w+\}$/i;

/** A reference to a variable is no secret. */
function maskValue(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return looksSecret(name) ? MASK : value;
  if (REFERENCE.test(value)) return value;
  return looksSecret(name) || isBareSecret(value) ? MASK : maskText(value);
}

/** Words of a command line: `--token x`, `--header "Authorization: x"`, `KEY=x`. */
export function maskArgs(args: readonly unknown[]): readonly unknown[] {
  return args.map((arg, index) => {
    if (typeof arg !== 'string') return arg;
    const before = args[index - 1];
    const flag = typeof before === 'string' && /^--?[\w.-]+$/.test(before) ? before : undefined;
    // What follows the flag is its value, also if it begins with a dash.
    if (flag !== undefined && looksSecret(flag) && !/^--[a-z]/.test(arg)) return maskValue(flag, arg);
    return isBareSecret(arg) && !REFERENCE.test(arg) ? MASK : maskText(arg);
  });
}

/** A name with what ties a value to it: `TOKEN=`, `X-Api-Key: `, `"key": `, `--api-key `, as lines for the shell have them, too. */
const NAMED = /(?<![\w$.-])(?:(-{0,2}[A-Za-z_][\w.-]*)(\\?["']?\s*[:=]\s*)|(--?[A-Za-z][\w.-]*)(\s+)(?!-))/g;
const VALUE = /\\?"(?:[^"\\]|\\[^"])*\\?"|'[^']*'|[^\s"'&;|,)}]+/y;
/** A value that stands for another, or that is masked already. */
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

/** What is secret anywhere in it: a shell command, a URL, an argument. */
export function maskText(text: string): string {
  return maskNamed(maskKnown(text));
}

/** Where what stands around it tells. */
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

/** The beginnings that well-known services give their keys. */
function isBareSecret(value: string): boolean {
  return /^(?:(?:Bearer|Basic|Token) +\S|sk-|gh[pousr]_|github_pat_|xox[a-z]-|glpat-|AKIA|eyJ[\w-]{20})/i.test(value);
}
