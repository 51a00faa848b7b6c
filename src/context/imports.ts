/** Replaces `@path` in an instruction file with that file, to a depth of four. */

import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Host } from '../host/host.js';
import { reasonOf } from '../protocol/reason-of.js';
import { isInside } from './folders.js';

export type InstructionFile = { readonly path: string; readonly text: string };

export const MAX_INSTRUCTION_BYTES = 4 * 1024 * 1024;

export type ImportRules = {
  /** Folders that imports may come from, links resolved. Undefined: any (for the user's own files). */
  readonly within: readonly string[] | undefined;
  readonly home: string;
};

type Importing = {
  readonly host: Host;
  readonly path: string;
  readonly text: string;
  readonly rules: ImportRules;
  readonly seen: Set<string>;
  readonly warnings: string[];
};

const MAX_DEPTH = 4;
const IMPORT = /(^|\s)@((?:~\/|\.{0,2}\/)?[\w./~-]*[\w/-]\.[\w]+|(?:~\/|\.{1,2}\/|\/)[\w./-]+)/g;

export async function expandImports(importing: Importing, depth = 1): Promise<string> {
  const parts: string[] = [];
  for (const segment of splitCode(importing.text)) {
    parts.push(segment.code ? segment.text : await expandProse(importing, segment.text, depth));
  }
  return parts.join('');
}

async function expandProse(importing: Importing, prose: string, depth: number): Promise<string> {
  let result = '';
  let from = 0;
  for (const match of prose.matchAll(IMPORT)) {
    const [whole, lead = '', target = ''] = match;
    const taken = await takeIn(importing, target, depth);
    if (taken === undefined) continue;
    result += `${prose.slice(from, match.index)}${lead}${taken}`;
    from = match.index + whole.length;
  }
  return result + prose.slice(from);
}

/** Returns undefined if `target` is not a file: then `@…` is an address or a mention, not an import. */
async function takeIn(importing: Importing, target: string, depth: number): Promise<string | undefined> {
  const { host, path, rules, seen, warnings } = importing;
  const from = target.startsWith('~/') ? join(rules.home, target.slice(2)) : target;
  const absolute = isAbsolute(from) ? from : resolve(dirname(path), from);
  try {
    const stat = await host.files.stat(absolute);
    if (stat?.kind !== 'file') return undefined;
    const real = await host.files.realpath(absolute);
    if (rules.within && !rules.within.some((folder) => isInside(folder, real))) {
      warnings.push(`${path} imports ${target}, which is outside the project; it was not imported`);
      return undefined;
    }
    if (seen.has(real)) return undefined;
    if (depth > MAX_DEPTH) {
      warnings.push(`${path} imports ${target} more than ${MAX_DEPTH} levels deep; it was not imported`);
      return undefined;
    }
    if (stat.size > MAX_INSTRUCTION_BYTES) {
      warnings.push(`${path} imports ${target}, which is larger than 4 MiB; it was not imported`);
      return undefined;
    }
    seen.add(real);
    const text = (await host.files.read(absolute)).toString('utf8');
    if (text.includes('\0')) return undefined;
    return await expandImports({ ...importing, path: absolute, text }, depth + 1);
  } catch (error) {
    warnings.push(`${path} imports ${target}, which cannot be read: ${reasonOf(error)}`);
    return undefined;
  }
}

/** Separates code spans and fenced blocks, in which nothing is imported. */
function splitCode(text: string): { readonly code: boolean; readonly text: string }[] {
  const parts: { code: boolean; text: string }[] = [];
  let from = 0;
  for (const match of text.matchAll(/^(```+|~~~+)[^\n]*\n[\s\S]*?(?:^\1[^\n]*$|(?![\s\S]))|`[^`\n]+`/gm)) {
    parts.push({ code: false, text: text.slice(from, match.index) }, { code: true, text: match[0] });
    from = match.index + match[0].length;
  }
  parts.push({ code: false, text: text.slice(from) });
  return parts;
}
