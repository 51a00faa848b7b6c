/** A server's entry as it may be printed: what looks secret in it is left out. Pure. */

import { isRecord } from './read-server-file.js';
import { looksSecret } from './server-environment.js';

const MASK = '••••';

export function maskServer(raw: unknown): unknown {
  if (!isRecord(raw)) return raw === null || typeof raw !== 'object' ? MASK : [];
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, maskMember(key, value)]));
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
      return typeof value === 'string' ? maskUrl(value) : MASK;
    case 'oauth':
      return isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskValue(name, one)]))
        : MASK;
    default:
      return typeof value === 'string' ? maskText(value) : value;
  }
}

/** A reference to a variable is no secret. */
function maskValue(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return looksSecret(name) ? MASK : value;
  if (/^(?:(?:Bearer|Basic|Token) )?\$\{\w+\}$/i.test(value)) return value;
  return looksSecret(name) || isBareSecret(value) ? MASK : maskText(value);
}

/** `--token x`, `--api-key=x`, `KEY=x`. */
function maskArgs(args: readonly unknown[]): readonly unknown[] {
  return args.map((arg, index) => {
    if (typeof arg !== 'string') return arg;
    const before = args[index - 1];
    const flag = typeof before === 'string' && /^--?[\w-]+$/.test(before) ? before : undefined;
    if (flag !== undefined && !arg.startsWith('-') && looksSecret(flag)) return maskValue(flag, arg);
    const [, name, value] = /^(-{0,2}[\w.-]+)=([\s\S]*)$/.exec(arg) ?? [];
    if (name !== undefined && value !== undefined) return `${name}=${String(maskValue(name, value))}`;
    return isBareSecret(arg) ? MASK : maskText(arg);
  });
}

/** Credentials before the host, and secret parameters. */
function maskUrl(url: string): string {
  return maskText(url).replace(/([?&])([^=&#]+)=([^&#]*)/g, (whole, mark: string, name: string, value: string) =>
    looksSecret(name) && !/^\$\{\w+\}$/.test(value) ? `${mark}${name}=${MASK}` : whole,
  );
}

function maskText(text: string): string {
  return text.replace(/(\w:\/\/)[^/@\s]+@/g, `$1${MASK}@`);
}

/** The beginnings that well-known services give their keys. */
function isBareSecret(value: string): boolean {
  return /^(?:(?:Bearer|Basic|Token) +\S|sk-|gh[pousr]_|github_pat_|xox[a-z]-|glpat-|AKIA|eyJ[\w-]{20})/i.test(value);
}
