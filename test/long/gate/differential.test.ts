/** Random command lines run by the real bash among watched programs: what bash ran is what the engine saw (GT-6). */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCommand } from '../../../src/gate/permissions/shell/reading/read-command.js';
import { reachCommands } from '../../../src/gate/permissions/shell/restrictions/reach-commands.js';
import fc from '../../support/fast-check.js';
import { commandLine, tokenSoup, WATCHED } from '../../unit/gate/permissions/command-grammar.js';
import { makePlayground, type Playground } from '../../unit/gate/permissions/playground.js';

const RUNS = Number(process.env.FUZZ_RUNS ?? 300);

let place: Playground;
let bin: string;
let log: string;
let bash: string;

beforeAll(async () => {
  place = await makePlayground();
  bin = join(place.outside, 'bin');
  log = join(place.outside, 'log');
  mkdirSync(bin);
  bash = execFileSync('sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim();
  for (const name of ['env', 'timeout', 'nice', 'nohup', 'xargs', 'sh', 'bash', 'find', 'cat', 'stdbuf', 'ls']) {
    const real = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    symlinkSync(real, join(bin, name));
  }
  for (const name of WATCHED) {
    const shim = join(bin, name);
    writeFileSync(shim, `#!/bin/sh\nprintf '%s\\037' ${name} "$@" >>'${log}'\nprintf '\\036' >>'${log}'\n`);
    chmodSync(shim, 0o755);
  }
});
afterAll(() => place.remove());

/** What bash really ran, and which files it left. */
function run(command: string): { ran: readonly (readonly string[])[]; left: readonly string[] } {
  for (const entry of readdirSync(place.root)) rmSync(join(place.root, entry), { recursive: true });
  writeFileSync(join(place.root, 'in'), 'input\n');
  writeFileSync(log, '');
  spawnSync(bash, ['-c', command], {
    cwd: place.root,
    env: { PATH: bin, HOME: place.home, LC_ALL: 'C.UTF-8' },
    timeout: 10_000,
    input: '',
  });
  // What runs in the background may still be writing.
  if (/&\s/.test(command)) spawnSync('sleep', ['0.05']);
  const ran = readFileSync(log, 'utf8')
    .split('\u001e')
    .filter((entry) => entry !== '')
    .map((entry) => entry.split('\u001f').slice(0, -1));
  return { ran, left: readdirSync(place.root).filter((entry) => entry !== 'in') };
}

/** A gate that allows nothing would pass every comparison. */
function expectSome(counts: Readonly<Record<string, number>>): void {
  const never = Object.keys(counts).filter((name) => counts[name] === 0);
  expect(never, `in ${RUNS} lines`).toEqual([]);
}

describe('GT-6 GT-25 differential fuzz against bash', () => {
  it(`GT-6, GT-25: in ${RUNS} random command lines nothing runs and no file is made that was not seen, and nothing denied gets through`, async () => {
    let plainLines = 0;
    let denied = 0;
    let files = 0;
    let allowed = 0;
    let reading = 0;
    await fc.assert(
      fc.asyncProperty(commandLine, async (made) => {
        const { ran, left } = run(made.text);
        const command = readCommand(made.text);
        const { candidates: seen, hidden, commands } = reachCommands(command);

        if (command.doubts.length === 0 && hidden.length === 0) {
          plainLines += 1;
          for (const argv of ran) {
            const found = seen.some(({ words, start }) => {
              const own = words.slice(start);
              // xargs adds words; a word inside an inner text may be known only when it runs.
              return argv.every((arg, index) => own[index] === arg || own[index] === undefined || own[index] === '{}');
            });
            expect(found, `bash ran ${JSON.stringify(argv)}`).toBe(true);
          }
        }

        if (command.parsed && hidden.length === 0 && !made.computed) {
          const written = commands
            .flatMap(({ redirects }) => redirects)
            .flatMap((one) => (one.kind === 'write' || one.kind === 'append' ? [one.target.value] : []));
          for (const name of left) expect(written, `bash made ${name}`).toContain(name);
          files += left.length;
        }

        const ranEvil = ran.some(([name]) => name === 'evil');
        for (const changes of [{ allow: ['Bash'] }, { mode: 'bypassPermissions' as const }]) {
          const { behavior } = await place.bash(made.text, { ...changes, deny: ['Bash(evil:*)'] });
          if (!ranEvil) continue;
          expect(behavior, JSON.stringify(changes)).not.toBe('allow');
          if (behavior === 'deny') denied += 1;
          if (!made.computed) expect(behavior).toBe('deny');
        }

        const some = await place.bash(made.text, { allow: ['Bash(aa:*)', 'Bash(bb:*)'] });
        if (some.behavior === 'allow') {
          allowed += 1;
          expect(ranEvil, 'an allowed line ran what no rule allows').toBe(false);
          expect(left, 'an allowed line left a file').toEqual([]);
        }
        const none = await place.bash(made.text);
        if (none.behavior === 'allow') {
          reading += 1;
          expect(ran, 'a line that only reads ran a program').toEqual([]);
          expect(left).toEqual([]);
        }
      }),
      { numRuns: RUNS },
    );
    process.stdout.write(
      `\nGT-6 differential: ${RUNS} lines, ${plainLines} plain, ${denied} denials of what bash ran, ${files} files seen, ${allowed} allowed by rules, ${reading} as reading\n`,
    );
    expectSome({ plainLines, denied, files, allowed, reading });
  }, 600_000);

  it(`GT-6: in ${RUNS * 4} lines of loose shell tokens nothing that is allowed runs anything else`, async () => {
    let allowed = 0;
    await fc.assert(
      fc.asyncProperty(tokenSoup, async (text) => {
        const some = await place.bash(text, { allow: ['Bash(aa:*)', 'Bash(bb:*)'] });
        const every = await place.bash(text, { allow: ['Bash'], deny: ['Bash(evil:*)'] });
        if (some.behavior !== 'allow' && every.behavior !== 'allow') return;
        allowed += 1;
        const { ran, left } = run(text);
        expect(ran.some(([name]) => name === 'evil')).toBe(false);
        if (some.behavior === 'allow') expect(left).toEqual([]);
      }),
      { numRuns: RUNS * 4 },
    );
    process.stdout.write(`\nGT-6 tokens: ${RUNS * 4} lines, ${allowed} allowed and run\n`);
    expectSome({ allowed });
  }, 600_000);
});
