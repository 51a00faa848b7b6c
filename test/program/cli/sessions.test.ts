/** Sessions on disk, with the real program: two at once, damaged ones, going back, a disk that fills up. */

import { execFileSync } from 'node:child_process';
import { mkdir, open, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { gate } from '../../support/gate.js';
import { buildProgram, runProgram } from '../../support/program.js';
import { transcriptsIn } from '../../support/session-files.js';
import { expectAllAccepted, readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { comparable, lastSent } from '../../support/wire-body.js';
import { type PlainStage, setPlainStage } from './plain/plain-stage.js';

beforeAll(buildProgram);

const HELLO: Rule[] = [{ reply: 'hello' }];
const WRITES: Rule[] = [
  { when: { result: { tool: 'Write' } }, reply: 'written' },
  {
    when: { user: { matches: 'write (?<file>\\S+) (?<words>\\S+)' } },
    reply: [{ tool: 'Write', input: { file_path: '{{file}}', content: '{{words}}\n' } }],
  },
  { reply: 'said' },
];
const LINES = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];
const say = (words: string) => JSON.stringify({ type: 'user', message: { role: 'user', content: words } });

describe('two processes', () => {
  it('DU-9, failures 19, 20: the second is refused before any request and offered a branch; a dead one’s lock holds nobody up', async () => {
    const stage = await setPlainStage(HELLO);
    const first = stage.pipe(LINES);
    first.say(say('from the first'));
    await first.until('"type":"result"');
    const refused = await runProgram(['-p', 'from the second', '--continue'], stage.at);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /This session is open in another process \(pid \d+, since \d\d:\d\d\)\. Close it, or use --branch/,
    );
    expect(stage.sim.requests).toHaveLength(1);
    const branch = await runProgram(['-p', 'as a branch', '--continue', '--branch'], stage.at);
    expect(branch).toMatchObject({ code: 0, stdout: 'hello\n' });
    const [one, two] = stage.sim.requests;
    if (one === undefined || two === undefined) throw new Error(stage.sim.report());
    expect(comparable(two).startsWith(comparable(one))).toBe(true);
    const [older, newer] = (await transcriptsIn(stage.env.COPPICE_HOME)).sort();
    expect(newer).toBeDefined();
    first.say(say('still there'));
    await first.until(/(?:"type":"result"[\s\S]*){2}/);
    first.child.kill('SIGKILL');
    await first.ended;
    const id = older?.replace(/.*\/|\.jsonl$/g, '') ?? '';
    expect(await runProgram(['-p', 'after its death', '--resume', id], stage.at)).toMatchObject({ code: 0 });
    expectAllAccepted(stage.sim);
    const records = await readTranscript(older ?? '');
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
    expect(JSON.stringify(stage.sim.requests.at(-1)?.body)).toMatch(/from the first.*still there.*after its death/);
  });
});

describe('coppice sessions', () => {
  it('DU-11, failures 15, 22: a damaged file hides no other, and is called damaged, not empty', async () => {
    const stage = await setStage(HELLO);
    for (const words of ['first good one', 'second good one']) await runProgram(['-p', words], stage.at);
    const folder = dirname((await transcriptsIn(stage.env.COPPICE_HOME))[0] ?? '');
    await writeFile(join(folder, 'nothing.jsonl'), '');
    await writeFile(join(folder, 'zeros.jsonl'), Buffer.alloc(5_000));
    await writeFile(join(folder, 'garbage.jsonl'), 'this is no record\n{"v":1}\n');
    await mkdir(join(folder, 'folder.jsonl'));
    const listed = await runProgram(['sessions'], stage.at);
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain('first good one');
    expect(listed.stdout).toContain('second good one');
    for (const name of ['nothing', 'zeros', 'garbage']) {
      expect(listed.stdout).toMatch(new RegExp(`^${name} .*\\[damaged: `, 'm'));
    }
    const parsed = JSON.parse((await runProgram(['sessions', '--json'], stage.at)).stdout) as { prompt: string }[];
    expect(parsed.filter(({ prompt }) => prompt.endsWith('good one'))).toHaveLength(2);
    // The newest is damaged: this is reported. What is older and damaged is in nobody's way.
    expect((await runProgram(['-p', 'go on', '--continue'], stage.at)).stderr).toMatch(
      /\((zeros|garbage), .* is damaged/,
    );
    for (const name of ['zeros', 'garbage']) await utimes(join(folder, `${name}.jsonl`), 1_600_000_000, 1_600_000_000);
    expect(await runProgram(['-p', 'go on', '--continue'], stage.at)).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, 'zeros.jsonl'))).toEqual(Buffer.alloc(5_000));
  });

  it('DU-12: show reports what resuming would repair, and changes nothing', async () => {
    const stage = await setStage(HELLO);
    await runProgram(['-p', 'hi'], stage.at);
    const [path = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
    const damaged = `${await readFile(path, 'utf8')}{"v":1,"seq":`;
    await writeFile(path, damaged);
    const id = path.replace(/.*\/|\.jsonl$/g, '');
    const shown = await runProgram(['sessions', 'show', id.slice(0, 12)], stage.at);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('part of an unfinished record') });
    expect(await readFile(path, 'utf8')).toBe(damaged);
  });

  it('DU-6: delete takes all of it, and is refused while the session is in use', async () => {
    const stage = await setPlainStage(HELLO);
    const live = stage.pipe(LINES);
    live.say(say('hi'));
    await live.until('"type":"result"');
    const [path = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
    const id = path.replace(/.*\/|\.jsonl$/g, '');
    expect(await runProgram(['sessions', 'delete', id], stage.at)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is open in another process'),
    });
    expect(await live.end()).toBe(0);
    expect(await runProgram(['sessions', 'delete', id], stage.at)).toMatchObject({ code: 0 });
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it('failures 51: what nobody touched for 30 days goes, once a session is running; what is in use or younger stays', async () => {
    const stage = await setPlainStage(HELLO);
    const long = (Date.now() - 40 * 24 * 3600 * 1000) / 1000;
    const age = async () => {
      const { utimes } = await import('node:fs/promises');
      for (const path of await transcriptsIn(stage.env.COPPICE_HOME)) {
        const folder = path.replace(/\.jsonl$/, '');
        for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
          await utimes(join(folder, name), long, long);
        }
        await utimes(path, long, long);
      }
    };
    const live = stage.pipe(LINES);
    live.say(say('idle for long'));
    await live.until('"type":"result"');
    await runProgram(['-p', 'old'], stage.at);
    await age();
    await rm(join(stage.env.COPPICE_HOME ?? '', 'cleaned-up'), { force: true });
    const fresh = stage.pipe(LINES);
    fresh.say(say('new'));
    await fresh.until('"type":"result"');
    const texts = async () =>
      Promise.all((await transcriptsIn(stage.env.COPPICE_HOME)).map((path) => readFile(path, 'utf8')));
    await until(async () => (await transcriptsIn(stage.env.COPPICE_HOME)).length === 2, 'the old one is deleted');
    const left = (await texts()).join('\n');
    expect(left).toContain('idle for long');
    expect(left).toContain('"new"');
    expect(left).not.toContain('"old"');
    expect(await fresh.end()).toBe(0);
    expect(await live.end()).toBe(0);
  });
});

describe('going back', () => {
  async function threePrompts(): Promise<PlainStage> {
    const stage = await setPlainStage(WRITES);
    const allow = ['--permission-mode', 'acceptEdits'];
    await runProgram(['-p', 'write a.txt one', ...allow], stage.at);
    await runProgram(['-p', 'write a.txt two', '-c', ...allow], stage.at);
    await runProgram(['-p', 'write b.txt new', '-c', ...allow], stage.at);
    return stage;
  }

  it('DU-23: --rewind-to takes files and conversation back without asking a model; --rewind reports what of it', async () => {
    const stage = await threePrompts();
    await rm(join(stage.folder, 'a.txt'));
    await writeFile(join(stage.folder, 'a.txt'), 'mine\n');
    const asked = stage.sim.requests.length;
    const files = await runProgram(['--continue', '--rewind-to', '3', '--rewind', 'files'], stage.at);
    expect(files).toMatchObject({ code: 0, stdout: expect.stringMatching(/removed .*b\.txt/) });
    const both = await runProgram(['--continue', '--rewind-to', '2'], stage.at);
    expect(both.stdout).toMatch(/left alone: .*a\.txt \(a command or someone else has changed it since\)/);
    expect(await stage.read('a.txt')).toBe('mine\n');
    expect(stage.sim.requests).toHaveLength(asked);
    expect(await runProgram(['-p', 'well?', '--continue'], stage.at)).toMatchObject({ code: 0, stdout: 'said\n' });
    expectAllAccepted(stage.sim);
    const sent = lastSent(stage.sim);
    expect(sent).toContain('write a.txt one');
    expect(sent).not.toContain('write a.txt two');
    expect(sent).toContain('The person has gone back to this point.');
  });

  it('DU-23: with a prompt it continues from there; mistakes are reported', async () => {
    const stage = await threePrompts();
    const end = await runProgram(['-p', 'otherwise', '--continue', '--rewind-to', '1'], stage.at);
    expect(end).toMatchObject({ code: 0, stdout: 'said\n' });
    expect(stage.sim.requests.at(-1)?.body.messages).toHaveLength(1);
    expect(await readdir(stage.folder)).toEqual([]);
    for (const args of [
      ['-p', 'x', '--rewind-to', '1'],
      ['-p', 'x', '--continue', '--rewind', 'files'],
      ['--continue', '--rewind-to', 'zero'],
    ]) {
      expect((await runProgram(args, stage.at)).code).toBe(2);
    }
    const none = await runProgram(['--continue', '--rewind-to', '9'], stage.at);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('no prompt 9') });
  });

  it('DU-23: /rewind lists, asks what of it, and asks before it overwrites', async () => {
    const stage = await setPlainStage(WRITES);
    const session = stage.pipe(['--plain', '--permission-mode', 'acceptEdits']);
    for (const [index, words] of ['write a.txt one', 'write a.txt two'].entries()) {
      session.say(words);
      await session.until(new RegExp(`(?:written[\\s\\S]*){${index + 1}}`));
    }
    await writeFile(join(stage.folder, 'a.txt'), 'mine\n');
    session.say('/rewind');
    await session.until('Rewind to before which prompt?');
    expect(session.stdout()).toMatch(/2 {2}write a\.txt two/);
    session.say('2');
    await session.until('Restore: 1 conversation and files');
    session.say('b');
    await session.until('Overwrite it?');
    session.say('y');
    await session.until('restored');
    expect(await stage.read('a.txt')).toBe('one\n');
    session.say('and now');
    await session.until('said');
    expect(await session.end()).toBe(0);
    expectAllAccepted(stage.sim);
    expect(lastSent(stage.sim)).not.toContain('write a.txt two');
  });

  it('DU-15: agents of a killed session are shown as interrupted, and continue at a word (/tasks)', async () => {
    const held = gate();
    const stage = await setPlainStage([
      {
        when: { user: 'task of the child' },
        reply: async () => {
          await held.opened;
          return 'child is done';
        },
      },
      { when: { user: '<task-notification>' }, reply: 'main heard it' },
      {
        when: { user: 'begin' },
        reply: [{ tool: 'Agent', input: { description: 'part', prompt: 'task of the child' } }],
      },
      { reply: 'hello' },
    ]);
    const first = stage.pipe(LINES);
    first.say(say('begin'));
    await stage.sim.received(2);
    first.child.kill('SIGKILL');
    await first.ended;
    held.open();
    const session = stage.pipe(['--plain', '--continue']);
    session.say('/tasks');
    await session.until(/interrupted {2}general-purpose: part/);
    const id = /(\w+) {2}interrupted/.exec(session.stdout())?.[1] ?? '';
    session.say(`/tasks resume ${id}`);
    await session.until('main heard it');
    expect(await session.end()).toBe(0);
    expect(lastSent(stage.sim)).toContain('child is done');
  });

  it('DU-14: --resume without an id lists the sessions to choose from', async () => {
    const stage = await setPlainStage(HELLO);
    await runProgram(['-p', 'the first of two'], stage.at);
    await runProgram(['-p', 'the second of two'], stage.at);
    const session = stage.pipe(['--plain', '--resume']);
    await session.until('Resume which session?');
    expect(session.stdout()).toMatch(/1 .*the second of two[\s\S]*2 .*the first of two/);
    session.say('2');
    await session.until('/help lists');
    session.say('third words');
    await session.until('hello');
    expect(await session.end()).toBe(0);
    expect(lastSent(stage.sim)).toMatch(/the first of two.*third words/);
  });
});

it('DU-2, failures 23: a disk that is full in mid-session: one clear line, and with room again the same session continues', async (context) => {
  const stage = await setPlainStage(HELLO);
  const disk = join(stage.home, 'small-disk');
  await mkdir(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    return context.skip('this user may not mount; the same is shown by a full disk in bad-input.test.ts');
  }
  onTestFinished(() => void execFileSync('umount', [disk]));
  const session = stage.pipe(LINES, { COPPICE_HOME: join(disk, 'state') });
  session.say(say('before'));
  await session.until('"type":"result"');
  const filler = await open(join(disk, 'filler'), 'w');
  try {
    for (;;) await filler.write(Buffer.alloc(512));
  } catch {
    await filler.close();
  }
  session.say(say(`while it is full ${'x'.repeat(5_000)}`));
  await session.until(/no space left/);
  const results = () =>
    session
      .stdout()
      .split('\n')
      .filter((line) => line.includes('"type":"result"'));
  expect(results()[1]).toMatch(/free some space/);
  // One line, which is the result and its only error.
  const full = session
    .stdout()
    .split('\n')
    .filter((line) => line.includes('no space left'));
  expect(full).toEqual([results()[1]]);
  expect(JSON.parse(full[0] ?? '')).toMatchObject({ errors: [expect.stringContaining('no space left')] });
  await rm(join(disk, 'filler'));
  session.say(say('with room again'));
  await session.until(/(?:"type":"result"[\s\S]*){3}/);
  expect(results()[2]).toContain('"result":"hello"');
  expect(await session.end()).toBe(0);
  expectAllAccepted(stage.sim);
  const [path = ''] = await transcriptsIn(join(disk, 'state'));
  const records = await readTranscript(path);
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
});
