/** What an everyday command prints and its exit code are the same in the read-only sandbox as outside it (GT-23). */

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox } from '../../../src/gate/sandbox/create-sandbox.js';
import type { Sandbox, View } from '../../../src/gate/sandbox/sandbox.js';
import { safeGitEnvironment } from '../../../src/host/git/git-environment.js';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { ProcessCommand } from '../../../src/host/processes.js';
import { type Everyday, READING_COMMANDS } from '../../unit/gate/everyday/reading-commands.js';
import { makeRepository } from '../../unit/gate/everyday/repository.js';
import { makePlayground, type Playground } from '../../unit/gate/permissions/playground.js';

let place: Playground;
let host: Host;
let box: Sandbox;
let prepared: View | undefined;

beforeAll(async () => {
  place = await makePlayground();
  await makeRepository(place.root, place.home);
  const env = {
    PATH: process.env.PATH,
    HOME: place.home,
    COPPICE_HOME: join(place.outside, 'state'),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    PAGER: 'cat',
  };
  host = nodeHost(place.root, env);
  box = createSandbox({ host, roots: [place.root] });
  const ready = await box.prepare({ roots: [place.root], readRoots: [], denied: [], fixed: [], wide: false });
  if (ready.ok) prepared = ready.view;
  else process.stdout.write(`\nnothing can be confined here: ${ready.reason}\n`);
});
afterAll(async () => {
  await box.close();
  await place.remove();
});

/** Each word that begins a command; wrappers and keywords of the shell are ignored. */
function isThere(command: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return command
    .split(/[|;&\n]+|\bdo\b/)
    .map((part) => /^[\s(]*(?:[A-Z_]+=\S* )*(\w[\w.-]*)/.exec(part)?.[1] ?? 'true')
    .every((name) => BUILTINS.test(name) || folders.some((folder) => existsSync(join(folder, name))));
}
const BUILTINS = /^(?:cd|echo|type|command|for|while|if|then|fi|done|read|time|true|\d+|EOF|some|three)$/;

async function run(command: ProcessCommand): Promise<{ readonly code: number | null; readonly output: string }> {
  const { code, stdout, stderr } = await host.processes.run({ ...command, timeoutMs: 20_000 });
  return { code, output: `${stdout}${stderr}` };
}

/**
 * What is another answer in there by design, in any command: the folder above a root is a stand-in (its line of `ls -la`,
 * and with it the total), and PATH has each folder once, under its real name (`which -a`).
 */
const withoutStandIns = (output: string) =>
  output
    .split('\n')
    .filter((line) => !/^total \d+$| \.\.$|^\/bin\/\w+$/.test(line))
    .join('\n');

/**
 * Undefined: it is asked about, or its program is not on this machine. `blind`: its program's row says what it can't see
 * there, so that its answer may be another one.
 */
async function compare({ command, varies }: Everyday, inBox: View): Promise<string | undefined | 'same' | 'blind'> {
  const decision = place.bash(command, { box: { deniedInGit: inBox.deniedInGit, gitIsWhole: inBox.gitIsWhole } });
  if (decision.behavior !== 'allow' || decision.run?.kind !== 'reading' || !isThere(command)) return undefined;
  const plain = { file: 'bash', args: ['-c', `exec 2>&1; ${command}`], cwd: place.root, env: host.env };
  const confined = await box.confine(
    plain,
    { kind: 'reading', show: decision.run.show },
    { roots: inBox.roots, view: inBox },
  );
  if (!confined.ok) return `${command}: ${confined.reason}`;
  const outside = await run({ ...plain, env: safeGitEnvironment(plain.env) });
  const inside = await run(confined.command);
  if (decision.run.blindTo !== undefined) return 'blind';
  if (inside.code === outside.code && (varies || withoutStandIns(inside.output) === withoutStandIns(outside.output)))
    return 'same';
  return `${command}\n  outside (${outside.code}): ${JSON.stringify(outside.output.slice(0, 400))}\n  in the box (${inside.code}): ${JSON.stringify(inside.output.slice(0, 400))}`;
}

describe('everyday commands in the box', () => {
  it('GT-23: the same output and exit code as outside, or they are asked about', async (context) => {
    if (prepared === undefined) return context.skip('there is no box on this machine');
    const different: string[] = [];
    const blind: string[] = [];
    let same = 0;
    for (const everyday of READING_COMMANDS) {
      const found = await compare(everyday, prepared);
      if (found === 'same') same += 1;
      else if (found === 'blind') blind.push(everyday.command);
      else if (found !== undefined) different.push(found);
    }
    process.stdout.write(
      `\nin the box: ${same} everyday commands answer the same, ${different.length} differ; blind: ${blind.join(', ')}\n`,
    );
    expect(different.join('\n')).toBe('');
    expect(same).toBeGreaterThan(300);
  });
});
