/**
 * Checks every command of a line on its own (GT-35): it is proven to only read, edits as the mode allows, or is covered by
 * an allow rule. Names those that are not, with the objection to each.
 */

import type { LineAssessment, LineInput } from './line-assessment.js';
import { findChangedRepo } from './repository-objections.js';
import { PartsWalk } from './walk-parts.js';

export function assessParts(input: LineInput): LineAssessment {
  const walk = new PartsWalk(input);
  const { reading } = input;
  if (!reading.parsed || reading.commands.length === 0) {
    const reason = reading.parsed ? 'there is no command in it' : (reading.doubts[0] ?? 'it could not be read in full');
    walk.object({ part: reading.text, reason: `the command is not plain: ${reason}`, changes: true });
    return walk.result();
  }
  for (const command of reading.commands) walk.assess(command, 0);
  // With nothing but proof to go by, the shell around the commands must be plain too.
  const everything = input.rules.find(({ matches }) => matches.kind === 'every');
  if (everything !== undefined && (walk.around.length > 0 || reading.doubts.length > 0)) walk.rules.add(everything);
  const isProofOnly = walk.rules.size === 0 && !walk.edits && walk.uncovered.length === 0;
  const [around] = isProofOnly ? walk.around : [];
  if (around !== undefined) walk.object(around);
  const [doubt] = isProofOnly ? reading.doubts : reading.evaluates;
  if (doubt !== undefined)
    walk.object({ part: reading.text, reason: `the command is not plain: ${doubt}`, changes: !isProofOnly });
  // Without a sandbox the shell around the rest would have to be plain as well.
  const isAlone = walk.rules.size === 0 && !walk.edits && walk.uncovered.length > 0;
  const [more] = isAlone && input.policy.box === undefined ? reading.doubts : [];
  if (more !== undefined && doubt === undefined)
    walk.object({ part: reading.text, reason: `the command is not plain: ${more}`, changes: false });
  const changed = isProofOnly ? undefined : findChangedRepo(input);
  if (changed !== undefined) walk.object({ part: reading.text, reason: changed, changes: true });
  return walk.result();
}
