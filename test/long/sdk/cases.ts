/** What a client can ask for, as cases: each is a test, and a row of docs/clients.md made from the tests that passed. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Options } from '@anthropic-ai/claude-agent-sdk';
import { beforeAll, expect, it } from 'vitest';
import type { Rule, SimOptions } from '../../../src/sim/index.js';
import { buildProgram, ROOT } from '../../support/program.js';
import { type Content, type Live, type Run, type SdkStage, setSdkStage } from './sdk-stage.js';

export type Case = {
  /** The option, request or line: the first column. */
  readonly about: string;
  /** What holds, in the words of the page's last column. */
  readonly says: string;
  /** It is asked for and not served: the run ends before the model is asked anything. The name that stderr has. */
  readonly refused?: string;
  /** What the model answers; otherwise: Hello. */
  readonly rules?: readonly Rule[];
  readonly sim?: SimOptions;
  /** Files of the project, by name; those of the home folder begin with `~/`. */
  readonly files?: Readonly<Record<string, string>>;
  /** `go` if omitted. */
  readonly prompt?: string;
  readonly given?: Options | ((stage: SdkStage) => Options);
  /** What was sent to the model and what the client received. */
  readonly expects?: (run: Run, stage: SdkStage) => void | Promise<void>;
  /** Instead of one prompt: several, or requests next to them. */
  readonly play?: (stage: SdkStage) => Promise<void>;
};

const HELLO: readonly Rule[] = [{ reply: 'Hello.' }];

/** Tests for all cases, and one that compares (UPDATE_DOCS=1: writes) the table of this name in docs/clients.md. */
export function runCases(rule: string, table: string, cases: readonly Case[]): void {
  const passed = new Set<Case>();
  beforeAll(buildProgram);

  it.each(cases.map((one) => [`${rule}: ${one.about}: ${one.says}`, one] as const))('%s', async (_, one) => {
    const stage = await setSdkStage(one.rules ?? HELLO, one.sim);
    await writeFiles(stage, one.files ?? {});
    if (one.play !== undefined) await one.play(stage);
    else await runOnce(one, stage);
    passed.add(one);
  });

  it(`CL-6: docs/clients.md matches what was seen: ${table}`, async () => {
    const path = join(ROOT, 'docs', 'clients.md');
    const text = await readFile(path, 'utf8');
    const parts = new RegExp(
      `^([\\s\\S]*<!-- ${table}:[^\\n]*-->\\n)([\\s\\S]*?)(<!-- end of ${table} -->[\\s\\S]*)$`,
    ).exec(text);
    const [, before = '', shown = '', after = ''] = parts ?? [];
    expect(parts, `docs/clients.md has no place for ${table}`).not.toBeNull();
    const seen = tableOf(cases, passed);
    if (process.env.UPDATE_DOCS === '1' && passed.size === cases.length)
      await writeFile(path, `${before}${seen}${after}`);
    else expect(shown, 'run: UPDATE_DOCS=1 npx vitest run test/long/sdk --no-file-parallelism').toBe(seen);
  });
}

async function runOnce(one: Case, stage: SdkStage): Promise<void> {
  const options = typeof one.given === 'function' ? one.given(stage) : (one.given ?? {});
  const run = await stage.run(one.prompt ?? 'go', options);
  if (one.refused !== undefined) expectRefused(run, one.refused);
  else if (one.expects === undefined) throw new Error(`nothing is checked of ${one.about}`);
  await one.expects?.(run, stage);
}

/** Nothing was sent, the SDK's promise was rejected, and one line on stderr names what is not served. */
function expectRefused(run: Run, name: string): void {
  expect(run.sent).toEqual([]);
  expect(run.messages.filter(({ type }) => type !== 'system')).toEqual([]);
  expect(run.error).toMatch(/exited with code [1-9]|not.*supported|refused/i);
  const lines = run.stderr.trim().split('\n');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(name);
}

async function writeFiles(stage: SdkStage, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await stage.write(name.startsWith('~/') ? join('..', 'home', name.slice(2)) : name, content);
  }
}

function tableOf(cases: readonly Case[], passed: ReadonlySet<Case>): string {
  const rows = [...new Set(cases.map(({ about }) => about))].map((about) => {
    const own = cases.filter((one) => one.about === about);
    const served = own.every((one) => one.refused !== undefined) ? 'no' : 'yes';
    const notes = own.map((one) => (passed.has(one) ? one.says : `FAILED: ${one.says}`));
    return `| \`${about}\` | ${served} | ${notes.join('; ').replaceAll('|', '\\|')} |\n`;
  });
  return `| | served | what holds |\n|---|---|---|\n${rows.join('')}`;
}

/** A model with little room, known as such to both sides: a long conversation is compacted. */
const SMALL = 'claude-opus-5-5';
export const COMPACTS: Pick<Case, 'rules' | 'sim' | 'files'> = {
  rules: [
    { when: { user: '<compaction>' }, reply: '## Asked for\nnumbers\n## Next\ngo on counting' },
    { reply: () => `answer ${'word '.repeat(1_500)}` },
  ],
  sim: { models: { [SMALL]: { contextTokens: 14_000 } } },
  files: { '~/.claude/settings.json': JSON.stringify({ models: { [SMALL]: { context: 14_000, maxOutput: 1_000 } } }) },
};

/** Prompts until the conversation was compacted. */
export async function talkUntilCompacted(live: Live): Promise<void> {
  const isCompacted = () => live.messages.some(({ subtype }) => subtype === 'compact_boundary');
  for (let nth = 1; nth <= 12 && !isCompacted(); nth += 1) {
    live.say(`prompt number ${nth}`);
    await live.result(nth);
  }
}

/** What the model was told before the conversation, as one text. */
export function systemOf(body: Run['sent'][number] | undefined): string {
  return JSON.stringify(body?.system ?? '');
}

export function toolNames(body: Run['sent'][number] | undefined): string[] {
  return ((body?.tools ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
}

/** A prompt of one image and one text. */
export function pixel(text: string): Content {
  const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  return [
    { type: 'text', text },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
  ];
}
