/** CL-2: limits, structured output, partial messages, and what a client can do with a running query. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { runningWith } from '../../support/processes.js';
import { until } from '../../support/until.js';
import { type Case, runCases } from './cases.js';

const LOOP: readonly Rule[] = [{ reply: [{ tool: 'Read', input: { file_path: 'a.txt' } }] }];
const A = { 'a.txt': 'x\n' };

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false };
const outputFormat = { type: 'json_schema', schema: SCHEMA } as const;

const CASES: readonly Case[] = [
  {
    about: 'maxTurns',
    says: 'ends with `error_max_turns`',
    rules: LOOP,
    files: A,
    given: { maxTurns: 2 },
    expects: ({ result, sent, error }) => {
      expect(result).toMatchObject({ subtype: 'error_max_turns', is_error: true, num_turns: 2 });
      expect(result.errors).toEqual([expect.stringContaining('2')]);
      expect(sent).toHaveLength(2);
      expect(error).toMatch(/2/);
    },
  },
  {
    about: 'maxBudgetUsd',
    says: 'ends with `error_max_budget_usd`; a request that could go over is not sent',
    rules: LOOP,
    files: A,
    given: { maxBudgetUsd: 0.0001 },
    expects: ({ result, sent }) => {
      expect(result).toMatchObject({ subtype: 'error_max_budget_usd', is_error: true });
      expect(result.errors).toHaveLength(1);
      expect(sent).toEqual([]);
    },
  },
  {
    about: 'outputFormat',
    says: 'the value is in `structured_output`',
    rules: [{ when: { tool: 'StructuredOutput' }, reply: [{ tool: 'StructuredOutput', input: { n: 5 } }] }],
    given: { outputFormat },
    expects: ({ result, sent }) => {
      expect(result).toMatchObject({ subtype: 'success', structured_output: { n: 5 } });
      expect(sent).toHaveLength(1);
      expect(sent[0]?.tools).toContainEqual(
        expect.objectContaining({ name: 'StructuredOutput', input_schema: expect.objectContaining(SCHEMA) }),
      );
    },
  },
  {
    about: 'outputFormat',
    says: 'a value that doesn’t fit is sent back to the model, with the reason',
    rules: [
      {
        when: { result: { tool: 'StructuredOutput', error: true } },
        reply: [{ tool: 'StructuredOutput', input: { n: 7 } }],
      },
      { reply: [{ tool: 'StructuredOutput', input: { n: 'five' } }] },
    ],
    given: { outputFormat },
    expects: ({ result, sent }) => {
      expect(result).toMatchObject({ subtype: 'success', structured_output: { n: 7 } });
      expect(sent).toHaveLength(2);
    },
  },
  {
    about: 'outputFormat',
    says: 'after five values that don’t fit: `error_max_structured_output_retries`',
    rules: [{ reply: [{ tool: 'StructuredOutput', input: { n: 'five' } }] }],
    given: { outputFormat },
    expects: ({ result, sent }) => {
      expect(result).toMatchObject({ subtype: 'error_max_structured_output_retries', is_error: true });
      expect(result.errors).toHaveLength(1);
      expect(result.structured_output).toBeUndefined();
      expect(sent).toHaveLength(5);
    },
  },
  {
    about: 'includePartialMessages',
    says: 'the API’s whole sequence of events, as `stream_event` lines',
    rules: [
      { when: { result: { tool: 'Read' } }, reply: 'Done.' },
      { reply: [{ thinking: 'I look.' }, 'Let me see.', { tool: 'Read', input: { file_path: 'a.txt' } }] },
    ],
    files: A,
    given: { includePartialMessages: true },
    expects: ({ messages }) => {
      const events = messages
        .filter(({ type }) => type === 'stream_event')
        .map(({ event }) => event as { type: string; index?: number; delta?: { type: string } });
      const first = events.slice(0, events.findIndex(({ type }) => type === 'message_stop') + 1);
      const names = first.map(({ type, index, delta }) =>
        [type, index, delta?.type].filter((one) => one !== undefined).join(' '),
      );
      // A text may come in several pieces.
      expect(names.filter((name, at) => name !== names[at - 1])).toEqual([
        'message_start',
        'content_block_start 0',
        'content_block_delta 0 thinking_delta',
        'content_block_delta 0 signature_delta',
        'content_block_stop 0',
        'content_block_start 1',
        'content_block_delta 1 text_delta',
        'content_block_stop 1',
        'content_block_start 2',
        'content_block_delta 2 input_json_delta',
        'content_block_stop 2',
        'message_delta',
        'message_stop',
      ]);
      expect(events.filter(({ type }) => type === 'message_start')).toHaveLength(2);
    },
  },
  {
    about: 'includePartialMessages',
    says: 'omitted: none',
    expects: ({ messages, result }) => {
      expect(result.subtype).toBe('success');
      expect(messages.filter(({ type }) => type === 'stream_event')).toEqual([]);
    },
  },
  {
    about: 'abortController',
    says: 'ends the program and all it runs; the session can be resumed',
    rules: [
      { when: { user: 'again' }, reply: 'Here again.' },
      { reply: [{ tool: 'Bash', input: { command: 'echo $$ > started; exec sleep 87.65', description: 'wait' } }] },
    ],
    play: async (stage) => {
      const abortController = new AbortController();
      const sessionId = '55555555-5555-4555-8555-555555555555';
      const running = stage.run('go', { abortController, sessionId, allowedTools: ['Bash'] });
      await until(() => runningWith('sleep 87.65').length > 0, 'the command runs');
      abortController.abort();
      expect((await running).error).toMatch(/abort/i);
      await until(() => runningWith('sleep 87.65').length === 0, 'the command has ended');
      expect((await stage.run('again', { resume: sessionId })).result.result).toBe('Here again.');
    },
  },
  {
    about: 'stderr',
    says: 'gets warnings and errors',
    given: { resume: '66666666-6666-4666-8666-666666666666' },
    expects: ({ stderr }) => expect(stderr).toMatch(/^error: .*66666666/m),
  },
  {
    about: 'debug',
    says: 'accepted: stack traces on stderr',
    given: { debug: true },
    expects: ({ result, error }) => {
      expect(error).toBeUndefined();
      expect(result.subtype).toBe('success');
    },
  },
  {
    about: 'debugFile',
    says: 'what happens is written there, not what was said',
    prompt: 'a MARKER prompt',
    given: ({ folder }) => ({ debugFile: join(folder, '..', 'debug.txt') }),
    expects: async (_, { folder }) => {
      const text = await readFile(join(folder, '..', 'debug.txt'), 'utf8');
      for (const kind of ['session-started', 'request-sent', 'assistant-replied', 'run-ended'])
        expect(text).toContain(kind);
      expect(text).not.toContain('MARKER');
    },
  },
  {
    about: 'extraArgs',
    says: 'any flag of ours',
    rules: LOOP,
    files: A,
    given: { extraArgs: { 'max-turns': '1' } },
    expects: ({ result }) => expect(result.subtype).toBe('error_max_turns'),
  },
  {
    about: 'extraArgs',
    says: '`replay-user-messages`: each prompt comes back with its `uuid` and `isReplay`',
    play: async (stage) => {
      const live = stage.open({ extraArgs: { 'replay-user-messages': null } });
      const uuid = '77777777-7777-4777-8777-777777777777';
      live.say('hello', { uuid });
      await live.result();
      const { messages } = await live.end();
      const replay = messages.find((line) => line.type === 'user' && line.isReplay === true);
      expect(replay).toMatchObject({ uuid, message: { role: 'user', content: 'hello' } });
    },
  },
  {
    about: 'forwardSubagentText',
    says: 'what children say always comes, with `parent_tool_use_id`',
    rules: [
      { when: { said: 'CHILD TASK' }, reply: 'The child says ok.' },
      { when: { result: { tool: 'Agent' } }, reply: 'Done.' },
      {
        reply: [
          { tool: 'Agent', input: { description: 'look', prompt: 'CHILD TASK', subagent_type: 'general-purpose' } },
        ],
      },
    ],
    given: { forwardSubagentText: true },
    expects: ({ messages }) => {
      const child = messages.filter(
        ({ type, parent_tool_use_id }) => type === 'assistant' && parent_tool_use_id != null,
      );
      expect(JSON.stringify(child)).toContain('The child says ok.');
    },
  },
  {
    about: 'agentProgressSummaries',
    says: 'accepted: `system/task_progress` has a `summary` anyway, and no model is asked for it',
    rules: [
      { when: { said: 'CHILD TASK', result: { tool: 'Read' } }, reply: 'The child says ok.' },
      { when: { said: 'CHILD TASK' }, reply: [{ tool: 'Read', input: { file_path: 'a.txt' } }] },
      { when: { result: { tool: 'Agent' } }, reply: 'Done.' },
      {
        reply: [
          { tool: 'Agent', input: { description: 'look', prompt: 'CHILD TASK', subagent_type: 'general-purpose' } },
        ],
      },
    ],
    files: A,
    given: { agentProgressSummaries: true },
    expects: ({ messages, sent }) => {
      expect(sent).toHaveLength(4);
      expect(messages).toContainEqual(
        expect.objectContaining({ subtype: 'task_progress', summary: expect.stringMatching(/\S/) }),
      );
    },
  },
  {
    about: 'supportedDialogKinds',
    says: 'accepted; no dialog but questions is ever shown',
    given: { onUserDialog: async () => ({ behavior: 'cancelled' }), supportedDialogKinds: ['a'] },
    expects: ({ result }) => expect(result.subtype).toBe('success'),
  },
];

runCases('CL-2', 'output', CASES);
