/** What must hold for every command and every rule (GT-4, GT-6). */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/protocol/permission.js';
import fc from '../../support/fast-check.js';
import { commandLine, tokenSoup } from '../../unit/gate/permissions/command-grammar.js';
import { makePlayground, type Playground, type PolicyChanges } from '../../unit/gate/permissions/playground.js';

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;
const strict = (decision: Decision) => STRICTNESS[decision.behavior];

const MODES = fc.constantFrom('default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions') as fc.Arbitrary<
  NonNullable<PolicyChanges['mode']>
>;
const RULES = fc.constantFrom(
  'Bash(aa:*)',
  'Bash(bb x)',
  'Bash(evil:*)',
  'Bash(echo:*)',
  'Bash(cat:*)',
  'Bash(env:*)',
  'Bash(sh:*)',
  'Bash(aa -v)',
  'Bash(* x)',
  'Bash',
  'Edit(out)',
  'Read(in)',
);
const ALLOWS = fc.array(
  RULES.filter((rule) => rule !== 'Bash(* x)'),
  { maxLength: 4 },
);
const LINE = fc.oneof(
  commandLine.map((made) => made.text),
  tokenSoup,
);

let place: Playground;
beforeAll(async () => {
  place = await makePlayground();
  await place.write('in');
});
afterAll(() => place.remove());

describe('GT-4 properties', () => {
  it('GT-4: adding a deny rule never widens', () =>
    fc.assert(
      fc.asyncProperty(
        LINE,
        MODES,
        ALLOWS,
        fc.array(RULES, { maxLength: 2 }),
        RULES,
        async (line, mode, allow, deny, more) => {
          const before = await place.bash(line, { mode, allow, deny });
          const after = await place.bash(line, { mode, allow, deny: [...deny, more] });
          expect(strict(after)).toBeGreaterThanOrEqual(strict(before));
        },
      ),
      { numRuns: 1_500 },
    ));

  it('GT-4: adding an ask rule never widens, and a denied command stays denied', () =>
    fc.assert(
      fc.asyncProperty(LINE, MODES, ALLOWS, RULES, async (line, mode, allow, more) => {
        const before = await place.bash(line, { mode, allow, deny: ['Bash(evil:*)'] });
        const after = await place.bash(line, { mode, allow, deny: ['Bash(evil:*)'], ask: [more] });
        expect(strict(after)).toBeGreaterThanOrEqual(strict(before));
      }),
      { numRuns: 1_000 },
    ));

  it('GT-4: no mode and no allow rule turns a deny into anything else', () =>
    fc.assert(
      fc.asyncProperty(LINE, MODES, ALLOWS, async (line, mode, allow) => {
        const plain = await place.bash(line, { deny: ['Bash(evil:*)'] });
        if (plain.behavior !== 'deny') return;
        expect((await place.bash(line, { mode, allow, deny: ['Bash(evil:*)'] })).behavior).toBe('deny');
      }),
      { numRuns: 1_000 },
    ));
});

const WRAPS: readonly ((text: string) => string)[] = [
  (text) => `env ${text}`,
  (text) => `timeout 5 ${text}`,
  (text) => `nice ${text}`,
  (text) => `nohup ${text}`,
  (text) => `command ${text}`,
  (text) => `sudo ${text}`,
  (text) => `xargs ${text}`,
  (text) => `time ${text}`,
  (text) => `(${text}\n)`,
  (text) => `{ ${text}\n}`,
  (text) => `if true; then ${text}\nfi`,
  (text) => `for i in 1; do ${text}\ndone`,
  (text) => `echo $(${text}\n)`,
  (text) => `f() { ${text}\n}; f`,
  (text) => `true && ${text}`,
  (text) => `${text}\nls`,
  (text) => `sh -c '${text.replaceAll("'", `'\\''`)}'`,
  (text) => `eval '${text.replaceAll("'", `'\\''`)}'`,
  (text) => `X=1 ${text}`,
  (text) => `! ${text}`,
  (text) => `${text} | cat`,
  (text) => `${text} > out`,
];

describe('GT-6 properties', () => {
  it('GT-6: wrapping a command in anything never makes it more allowed', () =>
    fc.assert(
      fc.asyncProperty(
        commandLine,
        fc.constantFrom(...WRAPS),
        MODES,
        // A rule that names a shell covers what it runs.
        ALLOWS.map((rules) => rules.filter((rule) => !/^Bash(?:$|\((?:ba|da|z)?sh\b)/.test(rule))),
        fc.constantFrom([], ['Bash(evil:*)']),
        async ({ text }, wrap, mode, allow, deny) => {
          // A wrapper in front of a list takes its first command only; the group keeps the line one thing.
          const bare = await place.bash(text, { mode, allow, deny });
          const wrapped = await place.bash(wrap(/[\n;&|#]/.test(text) ? `{ ${text}\n}` : text), { mode, allow, deny });
          expect(strict(wrapped)).toBeGreaterThanOrEqual(strict(bare));
        },
      ),
      { numRuns: 2_000 },
    ));

  it.each(['X=1 ! evil', 'X=1 ! e"vi"l', 'X=1 Y=2 ! ! evil x'])(
    'GT-6: a deny holds behind an assignment: %s',
    async (line) => {
      expect(await place.bash(line, { mode: 'bypassPermissions', deny: ['Bash(evil:*)'] })).toMatchObject({
        behavior: 'deny',
      });
    },
  );

  it.each([1, 50, 5_000])('GT-6: a deny holds at %i sub-commands, wherever it stands', async (count) => {
    const others = Array.from({ length: count }, (_, index) => `echo line ${index}`);
    for (const at of [0, Math.floor(count / 2), count - 1]) {
      for (const by of [' ; ', ' && ', ' | ', '\n']) {
        const line = others.with(at, 'env curl x').join(by);
        for (const changes of [{ allow: ['Bash'] }, { mode: 'bypassPermissions' as const }, {}])
          expect((await place.bash(line, { ...changes, deny: ['Bash(curl:*)'] })).behavior).toBe('deny');
      }
    }
  });
});

describe('GT-6 nothing stalls', () => {
  const long = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
  const MEGABYTE = 1_000_000;
  it.each([
    ['one word', long('a', MEGABYTE)],
    ['many words', `echo ${long('a ', MEGABYTE)}`],
    ['many commands', long('ls;', MEGABYTE)],
    ['open parens', long('(', MEGABYTE)],
    ['open substitutions', long('$(', MEGABYTE)],
    ['backticks', long('`', MEGABYTE)],
    ['quotes', long(`"'`, MEGABYTE)],
    ['backslashes', long('\\', MEGABYTE)],
    ['braces', long('{a,', MEGABYTE)],
    ['heredocs', long('<<A ', MEGABYTE)],
    ['shells in shells', `${long('sh -c ', 200_000)}ls`],
    ['wrappers', `${long('env ', 200_000)}ls`],
    ['options', `git push ${long('-a ', 200_000)}`],
    ['inner texts', `env ${long("'a;b' ", 200_000)}`],
    ['nested quotes', `sh -c ${'"sh -c '.repeat(2_000)}`],
    ['a sed script', `sed -n '${long('1,2p;', 9_000)}' f`],
    ['a sed expression', `sed -n '/${long('a\\/', 1_900)}/p' f`],
    ['a printf format', `printf '${long('%-0', 9_000)}'`],
    ['globs', `ls ${long('*a', 5_000)}`],
    ['a deep path', `cat ${long('../', 4_000)}x`],
    ['spaces', `ls${long(' ', MEGABYTE)}`],
    ['equals', `env ${long('a=', 200_000)}`],
    ['slashes', `git diff ${long('/', 9_000)}`],
  ])('GT-6: %s', async (_name, command) => {
    const decision = await place.bash(command, {
      deny: ['Bash(curl:*)', 'Bash(*a*a*a*a*a*b)', 'Bash(rm -rf:*)', 'Read(secret*)'],
      allow: ['Bash(ls:*)'],
    });
    expect(['allow', 'ask', 'deny']).toContain(decision.behavior);
  });
});
