/**
 * Lines of people and models who build, test, commit and tidy up, under ordinary rules (GT-35, GT-36): few are asked about,
 * and a question names what is not covered: without the named parts, or with the named rules, the line runs (GT-13).
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCoveringRules } from '../../../../src/gate/ask/make-offers.js';
import type { Decision } from '../../../../src/protocol/permission.js';
import { readLines } from '../../../support/read-lines.js';
import { makePlayground, type Playground } from '../permissions/playground.js';
import { makeRepository } from './repository.js';

const WORKING = readLines(new URL('working.txt', import.meta.url));
/** Each has one part or more that these rules don't cover. */
const MIXED = readLines(new URL('mixed.txt', import.meta.url));
const PROGRAMS = 'npm npx node git python3 pytest make cargo go curl'.split(' ');
const RULES = [...PROGRAMS, 'docker compose'].map((name) => `Bash(${name}:*)`);

const FILES = 'script.js server.js script.sh tools/check.py tests/test_main.py Makefile dist/old/a.js src/main.test.ts';

let place: Playground;

beforeAll(async () => {
  place = await makePlayground();
  await makeRepository(place.root, place.home);
  for (const name of FILES.split(' ')) await place.write(name);
  for (const name of ['vitest', 'tsc', 'eslint', 'prettier']) await place.write(`node_modules/.bin/${name}`);
});
afterAll(() => place.remove());

const BOX = { deniedInGit: false, gitIsWhole: true };
type Setting = {
  readonly allow: readonly string[];
  readonly mode: 'acceptEdits' | 'default';
  readonly box?: typeof BOX;
};
const ORDINARY: Setting = { allow: RULES, mode: 'acceptEdits', box: BOX };

/** Takes the place of a removed part. With a rule it also shows that the shell around it is fine once the part is covered. */
const SETTINGS: readonly (readonly [name: string, setting: Setting, standIn: string])[] = [
  ['ordinary rules', ORDINARY, 'true'],
  ['no rules', { allow: [], mode: 'default', box: BOX }, 'true'],
  ['no rules, no sandbox', { allow: ['Bash(stand-in:*)'], mode: 'default' }, 'stand-in'],
];

const judge = (line: string, setting = ORDINARY): Decision => place.bash(line, setting);
const runs = (line: string, setting: Setting) => judge(line, setting).behavior === 'allow';

const asked = (lines: readonly string[], setting = ORDINARY) =>
  lines.flatMap((line) => {
    const decision = judge(line, setting);
    return decision.behavior === 'allow' ? [] : [{ line, decision }];
  });

/** The line with the stand-in for each part. A longer part goes first: it may contain another. */
function without(line: string, parts: readonly string[], standIn: string): string {
  const longestFirst = [...parts].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((text, part) => {
    if (part === line.trim()) return standIn;
    // A redirection of a loop is a part of its own; the text of a heredoc stays behind.
    const heredoc = part.includes('\n') ? undefined : /<<'?\w+'?/.exec(part)?.[0];
    const put = /^[<>]/.test(part) ? '' : `${standIn} ${heredoc ?? ''}`.trim();
    return text.replaceAll(part, () => put);
  }, line);
}

/** What is wrong with a question about a line; empty if its parts are those that matter. */
function checkParts(line: string, decision: Decision, setting: Setting, standIn: string): readonly string[] {
  if (decision.behavior !== 'ask') return [`${line}: ${decision.behavior}`];
  const parts = (decision.uncovered ?? []).map(({ part }) => part.trim());
  if (parts.length === 0) return [`${line}: no part is named (${decision.reason})`];
  const wrong = parts.filter((part) => !line.includes(part)).map((part) => `${line}: ${part} is not in it`);
  const rest = without(line, parts, standIn);
  const left = judge(rest, setting);
  if (left.behavior !== 'allow') wrong.push(`${line}: still asks as ${rest} (${left.reason})`);
  for (const part of parts) {
    // What lies within a part, or around it, goes with it.
    const others = parts.filter((other) => !other.includes(part) && !part.includes(other));
    const fewer = without(line, others, standIn);
    if (runs(fewer, setting)) wrong.push(`${line}: ${part} is named, but it is no objection (${fewer})`);
  }
  return wrong;
}

describe('everyday lines that change something, under ordinary rules', () => {
  it('GT-35, GT-36: of 100 at most 5 are asked about', () => {
    expect(new Set(WORKING).size).toBe(100);
    const lines = asked(WORKING).map(({ line, decision }) => `${line} (${(decision as { reason?: string }).reason})`);
    process.stdout.write(
      `\n${lines.length} of 100 working lines asked\n${lines.map((line) => `  ${line}\n`).join('')}`,
    );
    expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(5);
  });

  it('GT-34, GT-35: nothing of that runs with more than a rule or the mode gives', () => {
    const kinds = WORKING.flatMap((line) => {
      const decision = judge(line);
      return decision.behavior === 'allow' ? [decision.run?.kind ?? 'free'] : [];
    });
    expect([...new Set(kinds)].sort()).toEqual(['reading', 'ruled', 'working']);
  });

  it('GT-13: a line with something that no rule covers is asked about', () => {
    expect(new Set(MIXED).size).toBeGreaterThanOrEqual(60);
    expect(MIXED.filter((line) => judge(line).behavior !== 'ask')).toEqual([]);
  });

  it.each(SETTINGS)(
    'GT-13: the named parts are those whose removal turns the decision: %s',
    (_name, setting, standIn) => {
      const lines = asked([...WORKING, ...MIXED], setting);
      const wrong = lines.flatMap(({ line, decision }) => checkParts(line, decision, setting, standIn));
      expect(lines.length).toBeGreaterThanOrEqual(60);
      expect(wrong).toEqual([]);
    },
  );

  it.each(SETTINGS)('GT-13: the named rules turn the decision, and each is needed: %s', async (_name, setting) => {
    const policy = place.policy(setting);
    const requester = { cwd: place.root, roots: [place.root], files: policy.files };
    const named: string[] = [];
    for (const { line: command } of asked([...WORKING, ...MIXED], setting)) {
      const actions = [{ kind: 'shell' as const, command, cwd: place.root }];
      const rules = await findCoveringRules(requester, { id: 'x', tool: 'Bash', input: { command }, actions }, policy);
      if (rules === undefined) continue;
      named.push(...rules);
      const withRules = (some: readonly string[]) => ({ ...setting, allow: [...setting.allow, ...some] });
      expect(runs(command, withRules(rules)), `${command} with ${rules.join(', ')}`).toBe(true);
      for (const rule of rules) {
        const fewer = withRules(rules.filter((one) => one !== rule));
        expect(runs(command, fewer), `${command} without ${rule}`).toBe(false);
      }
    }
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((rule) => NEVER_NAMED.test(rule))).toEqual([]);
  });
});

/** Deletes, sends, installs, or runs anything: nobody is told to allow it by a prefix. */
const NEVER_NAMED =
  /^Bash\((?:rm|rmdir|dd|truncate|kill|pkill|bash|sh|env|timeout|nohup|xargs|find|sudo|ssh|scp|rsync|wget|pip|brew|ruby|perl|awk|docker|crontab|eval|source|\.)(?::\*)?\)|^Bash\((?:pip|brew|npm) (?:install|publish)/;
