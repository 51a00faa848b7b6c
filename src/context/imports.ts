/** Replaces `@path` in an instruction file with that file, to a depth of four. */

import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Host } from '../host/host.js';
import { readRegularFile } from '../host/read-regular-file.js';
import type { LoadBudget, SourceRules } from './instruction-sources.js';

export type InstructionFile = { readonly path: string; readonly text: string };

export const MAX_INSTRUCTION_BYTES = 4 * 1024 * 1024;

type Importing = {
  readonly host: Host;
  readonly path: string;
  readonly text: string;
  readonly rules: SourceRules;
  readonly seen: Set<string>;
  readonly warnings: string[];
  readonly budget: LoadBudget;
};

const MAX_DEPTH = 4;
const IMPORT = /(^|\s)@((?:~\/|\.{0,2}\/)?[\w./~-]*[\w/-]\.[\w]+|(?:~\/|\.{1,2}\/|\/)[\w./-]+)/g;

export async function expandImports(importing: Importing, depth = 1): Promise<string> {
  if (!importing.text.includes('@')) return importing.text;
  const parts: string[] = [];
  for (const segment of splitCode(importing.text)) {
    const plain = segment.code || !segment.text.includes('@') || importing.budget.isSpent;
    parts.push(plain ? segment.text : await expandProse(importing, segment.text, depth));
  }
  return parts.join('');
}

async function expandProse(importing: Importing, prose: string, depth: number): Promise<string> {
  let result = '';
  let from = 0;
  for (const match of prose.matchAll(IMPORT)) {
    if (importing.budget.isSpent) break;
    const [whole, lead = '', target = ''] = match;
    const imported = await importFile(importing, target, depth);
    if (imported === undefined) continue;
    result += `${prose.slice(from, match.index)}${lead}${imported}`;
    from = match.index + whole.length;
  }
  return result + prose.slice(from);
}

/** Returns undefined if `target` is not a file: then `@…` is an address or a mention, not an import. */
async function importFile(importing: Importing, target: string, depth: number): Promise<string | undefined> {
  const { host, path, rules, seen, warnings, budget } = importing;
  const from = target.startsWith('~/') ? join(rules.home, target.slice(2)) : target;
  const absolute = isAbsolute(from) ? from : resolve(dirname(path), from);
  const skip = (reason: string) => {
    warnings.push(`${path} imports ${target}, ${reason}; it was not imported`);
    return undefined;
  };
  if (!budget.mayLook(absolute)) return undefined;
  // Not even inspected: that alone may have an effect (a file system that is mounted on access).
  if (!rules.mayRead(absolute)) return skip(OUTSIDE);
  const refuse = (real: string) => {
    if (seen.has(real)) return SEEN;
    if (rules.isRuledOut(absolute) || rules.isRuledOut(real)) return RULED_OUT;
    if (!rules.mayRead(real)) return OUTSIDE;
    return depth > MAX_DEPTH ? `more than ${MAX_DEPTH} levels deep` : undefined;
  };
  const read = await readRegularFile(host.files, absolute, { most: MAX_INSTRUCTION_BYTES, refuse });
  if (read.kind === 'absent' || (read.kind === 'refused' && read.reason === SEEN)) return undefined;
  if (read.kind === 'refused') return skip(read.reason);
  const text = read.bytes.toString('utf8');
  if (text.includes('\0') || !budget.mayKeep(absolute, read.bytes.length)) return undefined;
  seen.add(read.real);
  return expandImports({ ...importing, path: absolute, text }, depth + 1);
}

export const RULED_OUT = 'a permission rule denies reading it or asks about it';
const OUTSIDE = 'which is outside the project or not for it';
const SEEN = 'seen';

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
