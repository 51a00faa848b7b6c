import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadProgram } from '../../../src/front/cli/load-program.js';
import { scratchFolder } from '../../support/scratch.js';

const SOURCE =
  'const { basename } = require("node:path"); exports.runProgram = async (args) => basename(args[0]).length;';

describe('loading the program', () => {
  it('keeps the compiled form beside the program, once, and starts from it', async () => {
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
  });

  it.each<[string, (content: Buffer) => Buffer]>([
    ['cut short', (content) => content.subarray(0, 100)],
    ['empty', () => Buffer.alloc(0)],
    ['full of zeros', (content) => Buffer.alloc(content.length)],
    ['changed in one place', (content) => Buffer.from(content).fill(0xff, 200, 204)],
  ])('does without a compiled form that is %s, and makes it anew', async (_, damage) => {
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

  it('says nothing where it can not be written', async () => {
    const { folder, load } = await programIn();
    const program = load();
    await rm(folder, { recursive: true });
    expect(() => program.keepCompiled()).not.toThrow();
    expect(await program.runProgram(['/a/four'])).toBe(4);
  });
});

async function programIn() {
  const folder = await scratchFolder();
  const file = join(folder, 'program-X.cjs');
  await writeFile(file, SOURCE);
  return { folder, load: () => loadProgram(pathToFileURL(file)) };
}

async function compiledIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== 'program-X.cjs');
}
