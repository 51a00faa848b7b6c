/** EX-22: what the command of a status line reads, and what is shown of what it prints. */

import { describe, expect, it } from 'vitest';
import { type StatusLineFacts, statusLineInput } from '../../../../src/front/status-line/status-line-input.js';
import { cleanOutput } from '../../../../src/front/status-line/status-line-runner.js';
import { NO_USAGE } from '../../../../src/protocol/usage.js';

const facts = (more: Partial<StatusLineFacts> = {}): StatusLineFacts => ({
  session: {
    id: 's1',
    transcript: '/t.jsonl',
    cwd: '/work/sub',
    model: 'claude-haiku-4-5-20251001',
    outputStyle: 'default',
    models: {},
  },
  projectDir: '/work',
  addedDirs: ['/other'],
  effort: undefined,
  agent: undefined,
  totals: { turns: 0, usageByModel: new Map(), denials: [], apiMs: 0, stop: null },
  current: undefined,
  durationMs: 1_234.5,
  apiMs: 99.6,
  linesAdded: 3,
  linesRemoved: 1,
  ...more,
});

describe('EX-22: the input', () => {
  it('EX-22: before the first reply', () => {
    expect(statusLineInput(facts())).toEqual({
      session_id: 's1',
      transcript_path: '/t.jsonl',
      cwd: '/work/sub',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      model: { id: 'claude-haiku-4-5-20251001', display_name: 'Haiku 4.5' },
      workspace: { current_dir: '/work/sub', project_dir: '/work', added_dirs: ['/other'] },
      output_style: { name: 'default' },
      cost: {
        total_cost_usd: 0,
        total_duration_ms: 1_235,
        total_api_duration_ms: 100,
        total_lines_added: 3,
        total_lines_removed: 1,
      },
      context_window: {
        total_input_tokens: 0,
        total_output_tokens: 0,
        context_window_size: 200_000,
        used_percentage: null,
        remaining_percentage: null,
        current_usage: null,
      },
      exceeds_200k_tokens: false,
    });
  });

  it('EX-22: with figures, effort and an agent', () => {
    const current = { input: 1_000, output: 500, cacheRead: 40_000, cacheWrite5m: 9_000, cacheWrite1h: 0 };
    const totals = {
      turns: 1,
      usageByModel: new Map([['claude-haiku-4-5', current]]),
      denials: [],
      apiMs: 0,
      stop: null,
    };
    const input = statusLineInput(facts({ current, totals, effort: 'high', agent: 'reviewer' }));
    expect(input).toMatchObject({
      // $1 and $5 for a million tokens, a tenth for what is read from the cache, a quarter more for what is written.
      cost: { total_cost_usd: 0.001 + 0.0025 + 0.004 + 0.01125 },
      context_window: {
        total_input_tokens: 50_000,
        total_output_tokens: 500,
        used_percentage: 25,
        remaining_percentage: 75,
        current_usage: {
          input_tokens: 1_000,
          output_tokens: 500,
          cache_creation_input_tokens: 9_000,
          cache_read_input_tokens: 40_000,
        },
      },
      effort: { level: 'high' },
      agent: { name: 'reviewer' },
    });
    expect(statusLineInput(facts({ current: { ...NO_USAGE, input: 200_000, output: 1 } }))).toMatchObject({
      exceeds_200k_tokens: true,
    });
  });

  it.each([
    ['claude-opus-5-5', 'Opus 5.5'],
    ['claude-sonnet-5', 'Sonnet 5'],
    ['my-own-model', 'my-own-model'],
  ])('EX-22: %s is called %s', (model, name) => {
    const { session } = facts();
    expect(statusLineInput(facts({ session: { ...session, model } }))).toMatchObject({ model: { display_name: name } });
  });
});

describe('EX-22: the output', () => {
  it.each<[string, boolean, number, readonly string[]]>([
    ['one line\n', true, 0, ['one line']],
    ['a\nb\n\n', true, 2, ['  a', '  b']],
    ['', true, 0, []],
    [' \n \n', true, 2, []],
    ['\u001b[31mred\u001b[0m', true, 0, ['\u001b[31mred\u001b[0m\u001b[0m']],
    ['\u001b[31mred', true, 0, ['\u001b[31mred\u001b[0m']],
    ['\u001b[31mred\u001b[0m', false, 0, ['red']],
    ['\u001b[2J\u001b[Hgone\u001b]0;title\u0007!', true, 0, ['gone!']],
    ['\u001b]8;;https://evil.org\u001b\\link\u001b]8;;\u001b\\', true, 0, ['link']],
    ['a\u202eb\u0007', true, 0, ['ab']],
    ['one\rtwo', true, 0, ['one', 'two']],
  ])('EX-22: %j is safe to show', (text, colours, padding, lines) => {
    expect(cleanOutput(text, { colours, padding })).toEqual(lines);
  });

  it('EX-22: is bounded', () => {
    const lines = cleanOutput(`${'x'.repeat(5_000)}\n`.repeat(50), { colours: true, padding: 0 });
    expect(lines).toHaveLength(10);
    expect(lines[0]).toHaveLength(1_000);
  });
});
