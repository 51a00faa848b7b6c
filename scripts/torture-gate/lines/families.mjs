/**
 * Lines that are put together on purpose, where the grammar alone would hardly come by: git steps that store and then
 * read, paths that are computed under a rule, file commands, and short lines for an environment.
 */

import { pickOddEnvironment } from '../environments.mjs';
import { readCommands } from '../programs.mjs';
import { editLine } from './edits.mjs';
import { gitRuleLine, storeLine } from './git.mjs';
import { optionLine } from './options.mjs';
import { computedLine, deniedProgramLine, runnerLine } from './rules.mjs';

/** Mostly what is said to run without a question. */
const SHORT = readCommands('lines/short.txt');
/** What an environment leads astray. */
const LED = {
  cdpath: SHORT.filter((text) => text.startsWith('cd ')),
  shims: SHORT.filter((text) => / --?version/.test(text)),
};

/** Each: how often, the name, and the line with what it needs around it. */
const FAMILIES = [
  [12, 'options', (random) => ({ ...optionLine(random), ...(random.chance(0.1) ? { allow: ['Bash'] } : {}) })],
  [6, 'store', storeLine],
  [9, 'computed', computedLine],
  [9, 'git rule', gitRuleLine],
  [4, 'runner', runnerLine],
  [2, 'denied program', deniedProgramLine],
  [8, 'edit', editLine],
  [12, 'short', shortLine],
];

export const FAMILY_NAMES = FAMILIES.map(([, name]) => name);

/** Undefined: a line of the grammar. */
export function familyLine(random) {
  if (random.chance(0.5)) return undefined;
  const family = random.weigh(FAMILIES.map(([weight, ...rest]) => [weight, rest]));
  const [name, make] = family;
  const made = make(random);
  return { ...made, tags: [`line: ${name}`, ...(made.tag === undefined ? [] : [made.tag])] };
}

function shortLine(random) {
  const environment = random.chance(0.4) ? pickOddEnvironment(random) : 'plain';
  const pick = () => random.pick(random.chance(0.8) ? (LED[environment] ?? SHORT) : SHORT);
  const text = random.chance(0.7) ? pick() : `${pick()}${random.pick([' && ', '; ', ' | '])}${pick()}`;
  return {
    text,
    environment,
    mode: text.includes('touch') ? 'acceptEdits' : random.pick(['default', 'plan', 'default']),
    hardLink: random.chance(text.includes('docs') ? 0.5 : 0.02),
  };
}
