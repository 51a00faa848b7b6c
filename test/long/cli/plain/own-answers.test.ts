/** GT-2, GT-11: a rule that the user's own answer wrote is theirs; one that came with a repository is not. */

import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type PlainStage, setPlainStage } from '../../../program/cli/plain/plain-stage.js';
import { buildProgram, runProgram } from '../../../support/program.js';

beforeAll(buildProgram);

const LOCAL = '.claude/settings.local.json';
const TRUST = 'Do you trust this folder?';

/** The model makes a folder each time; the user says once: always, in this project. */
async function answered(): Promise<PlainStage> {
  const stage = await setPlainStage([
    { when: { user: /^go\b/m }, reply: [{ tool: 'Bash', input: { command: 'mkdir -p made' } }] },
    { reply: 'Done.' },
  ]);
  const plain = stage.pipe(['--plain', 'go']);
  plain.say('p');
  expect(await plain.end()).toBe(0);
  expect(JSON.parse(await stage.read(LOCAL))).toEqual({ permissions: { allow: ['Bash(mkdir -p made)'] } });
  return stage;
}

async function next(stage: PlainStage): Promise<string> {
  const plain = stage.pipe(['--plain', 'go']);
  plain.say('n');
  plain.say('n');
  await plain.end();
  return plain.stdout();
}

it('GT-2: the next start asks neither for trust nor about the call, with a user and without', async () => {
  const stage = await answered();
  const shown = await next(stage);
  expect(shown).not.toContain(TRUST);
  expect(shown).not.toContain('asks to use Bash');
  const headless = await runProgram(['-p', 'go', '--output-format', 'json'], stage.at);
  expect(headless.stderr).toBe('');
  expect(JSON.parse(headless.stdout)).toMatchObject({ permission_denials: [] });
});

it('GT-2: a repository that ships the same file is asked about', async () => {
  const stage = await answered();
  const text = await stage.read(LOCAL);
  // Elsewhere, and in the same place after the folder was replaced by another.
  const other = join(stage.folder, '..', 'other');
  await cp(stage.folder, other, { recursive: true });
  const elsewhere = await runProgram(['-p', 'go'], { ...stage.at, cwd: other });
  expect(elsewhere.stderr).toContain('the folder is not trusted, so these settings are ignored: permissions.allow');
  await rename(stage.folder, `${stage.folder}-before`);
  await mkdir(join(stage.folder, '.claude'), { recursive: true });
  await writeFile(join(stage.folder, LOCAL), text);
  expect(await next(stage)).toContain(TRUST);
});

it('GT-2: what others add to the file, or had in it before, needs trust; the user’s own rule does not widen it', async () => {
  const stage = await setPlainStage([
    { when: { user: /^go\b/m }, reply: [{ tool: 'Bash', input: { command: 'mkdir -p made' } }] },
    { when: { user: 'other' }, reply: [{ tool: 'Bash', input: { command: 'touch theirs' } }] },
    { reply: 'Done.' },
  ]);
  await stage.write(LOCAL, JSON.stringify({ permissions: { allow: ['Bash(touch theirs)'] } }));
  const first = stage.pipe(['--plain', 'go']);
  first.say('n');
  first.say('p');
  await first.end();
  expect(JSON.parse(await stage.read(LOCAL)).permissions.allow).toEqual(['Bash(touch theirs)', 'Bash(mkdir -p made)']);
  // The rule that was there is asked about; the user's own already applies.
  const shown = await next(stage);
  expect(shown).toContain(TRUST);
  expect(shown).not.toContain('asks to use Bash');
  const other = await runProgram(['-p', 'other', '--output-format', 'json'], stage.at);
  expect(JSON.parse(other.stdout)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
  // Another hand in the file: nothing of it counts any more.
  await stage.write(LOCAL, await stage.read(LOCAL));
  const changed = await runProgram(['-p', 'go', '--output-format', 'json'], stage.at);
  expect(JSON.parse(changed.stdout)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
});

it('GT-2: coppice trust --remove forgets it', async () => {
  const stage = await answered();
  await runProgram(['trust', '--remove'], stage.at);
  expect(await next(stage)).toContain(TRUST);
  await rm(join(stage.folder, LOCAL));
  expect(await readFile(join(stage.home, '.coppice', 'trust.json'), 'utf8')).not.toContain('mkdir');
});
