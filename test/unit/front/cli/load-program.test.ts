import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { loadProgram } from '../../../../src/front/cli/load-program.js';
import { scratchFolder } from '../../../support/scratch.js';

const PROGRAM = `(function (exports, require) {
  const { basename } = require("node:path");
  const runProgram = async (args) => basename(args[0]).length * (args[1] ? require("pack:more/twice.js").factor : 1);
  exports.chunks = { "program.js": () => ({ runProgram }) };
})`;
const MORE = '(function (exports) { exports.chunks = { "twice.js": () => ({ factor: 2 }) }; })';
const SOURCES = new Map([
  ['program-X.cjs', PROGRAM],
  ['more-X.cjs', MORE],
]);

let home = '';

beforeEach(async () => {
  home = await scratchFolder();
  vi.stubEnv('COPPICE_HOME', home);
  return () => vi.unstubAllEnvs();
});

describe('loading the program', () => {
  it('keeps the compiled form next to the program, once, and starts from it', async () => {
    const { folder, load } = await programIn();
    const first = load();
    expect(await first.runProgram(['/a/four'])).toBe(4);
    expect(await compiledIn(folder)).toEqual([]);
    first.keepCompiled();
    const [kept = ''] = await compiledIn(folder);
    const content = await readFile(join(folder, kept));

    const second = load();
    expect(await second.runProgram(['/a/four'])).toBe(4);
    second.keepCompiled();
    expect(await readFile(join(folder, kept))).toEqual(content);
    expect(await compiledIn(folder)).toHaveLength(1);
    expect(await compiledAt(home)).toEqual([]);
  });

  it('loads another pack when something in it is needed, and keeps it for itself', async () => {
    const { folder, load } = await programIn();
    load().keepCompiled();
    expect(await compiledIn(folder)).toEqual([expect.stringMatching(/^program-X/)]);
    const program = load();
    expect(await program.runProgram(['/a/four', 'twice'])).toBe(8);
    program.keepCompiled();
    expect(await compiledIn(folder)).toEqual([expect.stringMatching(/^more-X/), expect.stringMatching(/^program-X/)]);
    expect(await load().runProgram(['/a/four', 'twice'])).toBe(8);
  });

  it.each<[string, (content: Buffer) => Buffer]>([
    ['cut short', (content) => content.subarray(0, 100)],
    ['empty', () => Buffer.alloc(0)],
    ['full of zeros', (content) => Buffer.alloc(content.length)],
    ['changed in one place', (content) => Buffer.from(content).fill(0xff, 200, 204)],
  ])('does without a compiled form that is %s, and makes it again', async (_, damage) => {
    const { folder, load } = await programIn();
    load().keepCompiled();
    const [kept = ''] = await compiledIn(folder);
    const whole = await readFile(join(folder, kept));
    await writeFile(join(folder, kept), damage(whole));
    const program = load();
    expect(await program.runProgram(['/a/four'])).toBe(4);
    program.keepCompiled();
    expect(await readFile(join(folder, kept))).not.toEqual(damage(whole));
    expect(await load().runProgram(['/a/four'])).toBe(4);
  });
});

describe('an installation that can not be written to', () => {
  it('has its compiled form under our own home, once, and starts from it', async () => {
    const { load, runUnwritable } = await programIn();
    await runUnwritable();
    const [kept = ''] = await compiledAt(home);
    const file = join(home, 'compiled', kept);
    const content = await readFile(file);
    await runUnwritable();
    expect(await readFile(file)).toEqual(content);
    expect(await load().runProgram(['/a/four'])).toBe(4);
  });

  it('does not take code from a file that others could have written', async () => {
    const { runUnwritable } = await programIn();
    await runUnwritable();
    const [kept = ''] = await compiledAt(home);
    const file = join(home, 'compiled', kept);
    // Were it read, it would be found good and not be written again.
    await chmod(file, 0o666);
    await runUnwritable();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('neither keeps it under a relative home nor takes code from there: that is the project’s folder', async () => {
    vi.stubEnv('COPPICE_HOME', relative(process.cwd(), home));
    const { runUnwritable } = await programIn();
    await runUnwritable();
    expect(await compiledAt(home)).toEqual([]);
  });

  it('removes what earlier versions left', async () => {
    const { runUnwritable } = await programIn();
    await mkdir(join(home, 'compiled'));
    for (let age = 0; age < 20; age += 1) await writeFile(join(home, 'compiled', `old-${age}.cache`), '');
    await runUnwritable();
    const left = await compiledAt(home);
    expect(left).toHaveLength(12);
    expect(left).toContainEqual(expect.stringMatching(/^program-X/));
  });

  it('prints nothing when the home can not be written to either', async () => {
    const { load, runUnwritable } = await programIn();
    await writeFile(join(home, 'compiled'), 'a file where the folder would be');
    await runUnwritable();
    expect(await load().runProgram(['/a/four'])).toBe(4);
  });
});

async function programIn() {
  const folder = await scratchFolder();
  const write = async () => {
    await mkdir(folder, { recursive: true });
    for (const [name, source] of SOURCES) await writeFile(join(folder, name), source);
  };
  await write();
  const packs = { program: 'program-X.cjs', more: 'more-X.cjs' };
  const load = () => loadProgram(folder, packs);
  return {
    folder,
    load,
    /** Starts and ends the program while its folder can't be written to (it is taken away, and brought back). */
    runUnwritable: async () => {
      const program = load();
      await rm(folder, { recursive: true });
      program.keepCompiled();
      await write();
    },
  };
}

async function compiledIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !SOURCES.has(name)).sort();
}

async function compiledAt(folder: string): Promise<string[]> {
  return readdir(join(folder, 'compiled')).catch(() => []);
}
