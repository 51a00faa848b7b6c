/** CL-5: the flags that clients and scripts pass under their known names: each is given by hand, and has its effect. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { buildProgram, type Ended, runProgram } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';

beforeAll(buildProgram);

type Flag = {
  readonly flags: readonly string[];
  readonly rules?: readonly Rule[];
  readonly prepare?: (stage: Stage) => Promise<unknown>;
  readonly code?: number;
  readonly expects: (end: Ended, stage: Stage) => void | Promise<void>;
};

const TOUCH: readonly Rule[] = [
  { when: { result: { tool: 'Bash' } }, reply: 'done' },
  { reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
];
const isMade = ({ folder }: Stage) => existsSync(join(folder, 'made'));
const toolNames = ({ sim }: Stage) => sim.requests[0]?.body.tools?.map(({ name }) => name) ?? [];
const sent = ({ sim }: Stage) => sim.requests.map(({ body }) => body as unknown as Record<string, unknown>);
const resultOf = ({ stdout }: Ended) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;

const FLAGS: readonly Flag[] = [
  {
    flags: ['--max-budget-usd', '0.0001', '--output-format', 'json'],
    code: 1,
    expects: (end, stage) => {
      expect(resultOf(end)).toMatchObject({ subtype: 'error_max_budget_usd' });
      expect(stage.sim.requests).toEqual([]);
    },
  },
  { flags: ['--tools', 'Read,Grep'], expects: (_, stage) => expect(toolNames(stage).sort()).toEqual(['Grep', 'Read']) },
  { flags: ['--tools='], expects: (_, stage) => expect(toolNames(stage)).toEqual([]) },
  { flags: ['--tools', 'default'], expects: (_, stage) => expect(toolNames(stage)).toContain('Bash') },
  {
    flags: ['--model', 'claude-sonnet-4-5', '--thinking', 'disabled'],
    expects: (_, stage) => expect(sent(stage)[0]?.thinking).not.toMatchObject({ type: 'enabled' }),
  },
  {
    flags: ['--model', 'claude-sonnet-4-5', '--max-thinking-tokens', '2345'],
    expects: (_, stage) => expect(sent(stage)[0]?.thinking).toMatchObject({ type: 'enabled', budget_tokens: 2345 }),
  },
  {
    flags: ['--model', 'opus', '--fallback-model', 'haiku'],
    rules: [{ when: { model: 'opus' }, fault: { kind: 'overloaded', retryAfter: 0 } }, { reply: 'ok' }],
    expects: (end, stage) => {
      expect(end.stdout).toBe('ok\n');
      expect(sent(stage).at(-1)?.model).toBe('claude-haiku-5-5');
    },
  },
  {
    flags: ['--json-schema', '{"type":"object","properties":{"n":{"type":"number"}}}'],
    rules: [{ reply: [{ tool: 'StructuredOutput', input: { n: 5 } }] }],
    expects: ({ stdout }) => expect(stdout).toBe('{"n":5}\n'),
  },
  { flags: ['--dangerously-skip-permissions'], rules: TOUCH, expects: (_, stage) => expect(isMade(stage)).toBe(true) },
  // It may be switched to later; by itself it allows nothing.
  {
    flags: ['--allow-dangerously-skip-permissions'],
    rules: TOUCH,
    expects: (_, stage) => expect(isMade(stage)).toBe(false),
  },
  {
    flags: ['--no-session-persistence'],
    expects: async (_, { at }) => expect((await runProgram(['sessions'], at)).stdout).toContain('No sessions'),
  },
  {
    flags: ['--betas', 'marker-2026-01-01'],
    expects: (_, { sim }) => expect(String(sim.requests[0]?.headers['anthropic-beta'])).toContain('marker-2026-01-01'),
  },
  {
    flags: ['--plugin-dir', 'forest', '--output-format', 'stream-json', '--verbose'],
    prepare: ({ write }) => write('forest/.claude-plugin/plugin.json', JSON.stringify({ name: 'forest' })),
    expects: ({ stdout }) => {
      expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ subtype: 'init', plugins: [{ name: 'forest' }] });
    },
  },
  {
    flags: ['--debug-file', 'debug.log'],
    expects: async (_, { read }) => expect(await read('debug.log')).toContain('request-sent'),
  },
  {
    flags: ['--include-hook-events', '--output-format', 'stream-json', '--verbose'],
    prepare: ({ settings }) => settings({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'echo seen' }] }] } }),
    expects: ({ stdout }) => {
      expect(stdout).toMatch(/"subtype":"hook_started"[^\n]*"hook_event":"Stop"/);
      expect(stdout).toMatch(/"subtype":"hook_response"[^\n]*"stdout":"seen/);
    },
  },
];

it.each(FLAGS.map((one) => [one.flags.join(' '), one] as const))('CL-5: %s', async (_, one) => {
  const stage = await setStage([...(one.rules ?? [{ reply: 'ok' }])]);
  await one.prepare?.(stage);
  const end = await runProgram(['-p', 'go', ...one.flags], stage.at);
  expect(end.code, end.stderr).toBe(one.code ?? 0);
  await one.expects(end, stage);
});

it('CL-5: --resume-session-at continues from just after a message', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const lines = ['--output-format', 'stream-json', '--verbose'];
  const first = await runProgram(['-p', 'one MARKER', ...lines], stage.at);
  const said = first.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  const id = said[0]?.session_id ?? '';
  await runProgram(['-p', 'two LATER', '--resume', id], stage.at);
  const at = said.find(({ type }) => type === 'assistant')?.uuid ?? '';
  const end = await runProgram(['-p', 'three', '--resume', id, '--resume-session-at', at], stage.at);
  expect(end.code, end.stderr).toBe(0);
  const last = JSON.stringify(stage.sim.requests.at(-1)?.body.messages);
  expect(last).toContain('one MARKER');
  expect(last).not.toContain('two LATER');
});
