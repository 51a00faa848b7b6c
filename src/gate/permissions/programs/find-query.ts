/** Questions to programs that only print: their version, their help, what is installed. */

import type { Finding } from '../shell/finding.js';
import { findProgram } from './find-program.js';
import { isQuery } from './match-query.js';

const PROVEN: Finding = { reads: true, problems: [], paths: [] };
const PROJECT: Finding = { ...PROVEN, project: true, confinedOnly: true };

export function findQuery(words: readonly string[]): Finding | undefined {
  const [name = '', ...args] = words;
  const row = findProgram(name);
  if (row === undefined) return undefined;
  const { versions } = row;
  if (args.length === 1 && versions?.words.includes(args[0] ?? '') === true)
    return versions.where === 'anywhere' ? PROVEN : PROJECT;
  return isQuery(row.queries ?? [], args) ? PROJECT : undefined;
}
