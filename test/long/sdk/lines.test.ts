/** CL-4: the lines a client reads, in the shapes that it knows. */

import { expect } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { type Case, COMPACTS, runCases, talkUntilCompacted } from './cases.js';
import type { Line } from './sdk-stage.js';

const READ: readonly Rule[] = [
  { when: { result: { tool: 'Read' } }, reply: 'Done.' },
  { reply: [{ thinking: 'I look.' }, 'Let me see.', { tool: 'Read', input: { file_path: 'a.txt' } }] },
];
const A = { 'a.txt': 'one\ntwo\n' };

const CHILD: readonly Rule[] = [
  { when: { said: 'CHILD TASK', result: { tool: 'Read' } }, reply: 'The child says ok.' },
  { when: { said: 'CHILD TASK' }, reply: [{ tool: 'Read', input: { file_path: 'a.txt' } }] },
  { when: { result: { tool: 'Agent' } }, reply: 'Started.' },
  {
    when: { nth: 1 },
    reply: [
      {
        tool: 'Agent',
        input: { description: 'look', prompt: 'CHILD TASK', subagent_type: 'general-purpose', run_in_background: true },
      },
    ],
  },
  { reply: 'Done.' },
];

const kinds = (messages: readonly Line[], subtype: string) => messages.filter((line) => line.subtype === subtype);

const CASES: readonly Case[] = [
  {
    about: 'system/init',
    says: '`cwd`, `tools`, `model`, `permissionMode`, `apiKeySource`, `claude_code_version`, `slash_commands`, `output_style`, `agents`, `skills`, `plugins`, `mcp_servers`',
    files: { '~/.claude/commands/hew.md': 'Hew $ARGUMENTS.\n' },
    expects: ({ messages }, { folder }) => {
      expect(messages[0]).toMatchObject({
        type: 'system',
        subtype: 'init',
        cwd: folder,
        tools: expect.arrayContaining(['Read', 'Bash']),
        model: expect.stringMatching(/^claude-/),
        permissionMode: 'default',
        apiKeySource: 'ANTHROPIC_API_KEY',
        claude_code_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        slash_commands: expect.arrayContaining(['hew']),
        output_style: 'default',
        agents: expect.arrayContaining(['general-purpose']),
        skills: expect.any(Array),
        plugins: [],
        mcp_servers: [],
        session_id: expect.any(String),
        uuid: expect.any(String),
      });
    },
  },
  {
    about: 'assistant',
    says: 'a line per block, all with the id of the message, `stop_reason: null` and a `timestamp`',
    rules: READ,
    files: A,
    expects: ({ messages }) => {
      const lines = messages.filter(({ type }) => type === 'assistant') as unknown as AssistantLine[];
      expect(lines.map(({ message }) => message.content.map(({ type }) => type))).toEqual([
        ['thinking'],
        ['text'],
        ['tool_use'],
        ['text'],
      ]);
      expect(new Set(lines.slice(0, 3).map(({ message }) => message.id)).size).toBe(1);
      expect(lines[3]?.message.id).not.toBe(lines[0]?.message.id);
      for (const { message, parent_tool_use_id, timestamp, uuid } of lines) {
        expect(message).toMatchObject({
          type: 'message',
          role: 'assistant',
          stop_reason: null,
          usage: { input_tokens: expect.any(Number) },
        });
        expect(parent_tool_use_id).toBeNull();
        expect(new Date(timestamp).getTime()).toBeGreaterThan(0);
        expect(uuid).toMatch(/^[0-9a-f-]{36}$/);
      }
      expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(4);
    },
  },
  {
    about: 'user',
    says: 'a tool result, with `tool_use_result` (what the tool answered, in fields) and `timestamp`',
    rules: READ,
    files: A,
    expects: ({ messages }) => {
      const [line] = messages.filter(({ type }) => type === 'user');
      expect(line).toMatchObject({
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: expect.stringMatching(/^toolu_/) }] },
        tool_use_result: {
          type: 'text',
          file: { filePath: expect.stringContaining('a.txt'), numLines: expect.any(Number) },
        },
        timestamp: expect.any(String),
        parent_tool_use_id: null,
      });
    },
  },
  {
    about: 'result',
    says: '`success`: `result`, `num_turns`, `duration_ms`, `duration_api_ms`, `stop_reason`, `total_cost_usd`, `usage`, `modelUsage`, `permission_denials`',
    rules: READ,
    files: A,
    expects: ({ messages, result }) => {
      expect(messages.at(-1)).toBe(result);
      expect(result).toMatchObject({
        subtype: 'success',
        is_error: false,
        result: 'Done.',
        num_turns: 2,
        duration_ms: expect.any(Number),
        duration_api_ms: expect.any(Number),
        stop_reason: 'end_turn',
        usage: { input_tokens: expect.any(Number), server_tool_use: { web_search_requests: 0 } },
        permission_denials: [],
      });
      expect(result.total_cost_usd).toBeGreaterThan(0);
      expect(Object.values(result.modelUsage as object)).toEqual([
        expect.objectContaining({
          inputTokens: expect.any(Number),
          outputTokens: expect.any(Number),
          cacheReadInputTokens: expect.any(Number),
          cacheCreationInputTokens: expect.any(Number),
          webSearchRequests: 0,
          costUSD: expect.any(Number),
          contextWindow: expect.any(Number),
          maxOutputTokens: expect.any(Number),
        }),
      ]);
      expect(result.duration_api_ms).toBeGreaterThan(0);
    },
  },
  {
    about: 'result',
    says: 'every other `subtype`: `is_error` and `errors`',
    rules: [{ fault: { kind: 'unauthorized' } }],
    expects: ({ result, error }) => {
      expect(result.is_error).toBe(true);
      expect(result.errors).toEqual([expect.stringMatching(/\S/)]);
      expect(error).toBeDefined();
    },
  },
  {
    about: 'result',
    says: 'the work that the end of a task begins has one of its own, while the input is open',
    rules: [
      { when: { user: '<task-notification>' }, reply: 'It has ended.' },
      { when: { result: { tool: 'Bash' } }, reply: 'It runs.' },
      {
        reply: [
          {
            tool: 'Bash',
            input: {
              command: 'until test -e go-on; do sleep 0.05; done',
              description: 'wait',
              run_in_background: true,
            },
          },
        ],
      },
    ],
    play: async (stage) => {
      const live = stage.open({ allowedTools: ['Bash'] });
      live.say('go');
      expect(await live.result(1)).toMatchObject({ result: 'It runs.' });
      await stage.write('go-on', '');
      expect(await live.result(2)).toMatchObject({ subtype: 'success', result: 'It has ended.' });
      const { messages } = await live.end();
      expect(messages.filter(({ type }) => type === 'result')).toHaveLength(2);
      expect(kinds(messages, 'init')).toHaveLength(1);
    },
  },
  {
    about: 'system/api_retry',
    says: '`attempt`, `max_retries`, `retry_delay_ms`, `error_status`, `error`',
    rules: [{ fault: { kind: 'overloaded', retryAfter: 0, times: 1 }, reply: 'At last.' }],
    expects: ({ messages, result }) => {
      expect(result.result).toBe('At last.');
      expect(kinds(messages, 'api_retry')).toMatchObject([
        {
          attempt: 1,
          max_retries: expect.any(Number),
          retry_delay_ms: expect.any(Number),
          error_status: 529,
          error: expect.any(String),
        },
      ]);
    },
  },
  {
    about: 'system/task_started',
    says: '`task_id`, `tool_use_id`, `description`, `task_type`, `subagent_type`',
    rules: CHILD,
    files: A,
    expects: ({ messages }) => {
      expect(kinds(messages, 'task_started')).toMatchObject([
        {
          task_id: expect.any(String),
          tool_use_id: expect.stringMatching(/^toolu_/),
          description: 'look',
          task_type: 'local_agent',
          subagent_type: 'general-purpose',
        },
      ]);
    },
  },
  {
    about: 'system/task_progress',
    says: '`task_id`, `description`, `usage` (`total_tokens`, `tool_uses`, `duration_ms`), and more of ours',
    rules: CHILD,
    files: A,
    expects: ({ messages }) => {
      expect(kinds(messages, 'task_progress').at(-1)).toMatchObject({
        task_id: kinds(messages, 'task_started')[0]?.task_id,
        description: expect.any(String),
        usage: { total_tokens: expect.any(Number), tool_uses: 1, duration_ms: expect.any(Number) },
      });
    },
  },
  {
    about: 'system/task_notification',
    says: '`task_id`, `tool_use_id`, `status`, `summary`, `output_file`, `usage`',
    rules: CHILD,
    files: A,
    expects: ({ messages }) => {
      expect(kinds(messages, 'task_notification')).toMatchObject([
        {
          task_id: kinds(messages, 'task_started')[0]?.task_id,
          tool_use_id: expect.stringMatching(/^toolu_/),
          status: 'completed',
          summary: expect.any(String),
          output_file: expect.any(String),
          usage: { total_tokens: expect.any(Number), tool_uses: 1, duration_ms: expect.any(Number) },
        },
      ]);
    },
  },
  {
    about: 'assistant',
    says: 'of a child: `parent_tool_use_id` is the call that started it, with `subagent_type` and `task_description`',
    rules: CHILD,
    files: A,
    expects: ({ messages }) => {
      const child = messages.filter(
        ({ type, parent_tool_use_id }) => type === 'assistant' && parent_tool_use_id != null,
      );
      expect(child.length).toBeGreaterThanOrEqual(2);
      for (const line of child)
        expect(line).toMatchObject({ subagent_type: 'general-purpose', task_description: 'look' });
    },
  },
  {
    about: 'system/compact_boundary',
    says: '`compact_metadata` with `trigger` and `pre_tokens`; before it `system/status` says `compacting`',
    ...COMPACTS,
    play: async (stage) => {
      const live = stage.open({ model: 'claude-opus-5-5' });
      await talkUntilCompacted(live);
      const { messages } = await live.end();
      expect(kinds(messages, 'compact_boundary')[0]).toMatchObject({
        compact_metadata: { trigger: 'auto', pre_tokens: expect.any(Number) },
      });
      const statuses = kinds(messages, 'status').map(({ status }) => status);
      expect(statuses).toContain('compacting');
      expect(statuses.at(-1)).toBeNull();
    },
  },
  {
    about: 'system/status',
    says: 'another permission mode',
    play: async (stage) => {
      const live = stage.open();
      live.say('go');
      await live.result(1);
      await live.query.setPermissionMode('acceptEdits');
      await live.message(
        ({ subtype, permissionMode }) => subtype === 'status' && permissionMode === 'acceptEdits',
        'the status',
      );
      await live.end();
    },
  },
  {
    about: 'all',
    says: 'every line has the `session_id` and a `uuid` of its own',
    rules: CHILD,
    files: A,
    expects: ({ messages, result }) => {
      const ids = messages.map(({ uuid }) => uuid);
      expect(new Set(ids).size).toBe(ids.length);
      expect(new Set(messages.map(({ session_id }) => session_id))).toEqual(new Set([result.session_id]));
    },
  },
];

type AssistantLine = {
  readonly message: { readonly id: string; readonly content: readonly { readonly type: string }[] };
  readonly parent_tool_use_id: string | null;
  readonly timestamp: string;
  readonly uuid: string;
};

runCases('CL-4', 'lines', CASES);
