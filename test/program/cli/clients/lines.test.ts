/** CL-4: the lines of `stream-json` as its clients know them, from the real program. */

import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';

beforeAll(buildProgram);

// biome-ignore lint/suspicious/noExplicitAny: the shapes are what is tested.
type Printed = Record<string, any>;

/** Lines of a headless run, and how it ended. */
async function run(
  stage: Stage,
  ...flags: readonly string[]
): Promise<{ all: readonly Printed[]; code: number | null }> {
  const end = await runProgram(['-p', 'go', '--output-format', 'stream-json', '--verbose', ...flags], stage.at);
  const all = end.stdout
    .split('\n')
    .filter(Boolean)
    .map((line): Printed => JSON.parse(line));
  return { all, code: end.code };
}

const ofType = (all: readonly Printed[], type: string) => all.filter((line) => line.type === type);
const ofSystem = (all: readonly Printed[], subtype: string) => all.filter((line) => line.subtype === subtype);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Puts partial messages together the way the API's own library does. */
async function accumulate(events: readonly Printed[]): Promise<Printed> {
  const text = events.map((event) => JSON.stringify(event)).join('\n');
  const bytes = new Blob([`${text}\n`]).stream();
  return MessageStream.fromReadableStream(bytes).finalMessage();
}

/** The events of each message: those of a response that was given up are dropped at the next `message_start`. */
function messages(all: readonly Printed[]): Printed[][] {
  const whole: Printed[][] = [];
  let open: Printed[] = [];
  for (const { event } of ofType(all, 'stream_event')) {
    if (event.type === 'message_start') open = [];
    open.push(event);
    if (event.type === 'message_stop') whole.push(open);
  }
  return whole;
}

describe('system/init', () => {
  it('CL-4: reports what the session is: key, version, skills, agents, plugins', async () => {
    const stage = await setStage([{ reply: 'done' }]);
    await stage.write('extra/.claude-plugin/plugin.json', JSON.stringify({ name: 'extra', version: '1.2.3' }));
    await stage.write('extra/skills/tidy/SKILL.md', '---\nname: tidy\ndescription: Tidies.\n---\nTidy.');
    const agents = JSON.stringify({ scout: { description: 'Looks.', prompt: 'Look.' } });
    const { all } = await run(stage, '--plugin-dir', `${stage.folder}/extra`, '--agents', agents, '--effort', 'low');
    expect(all[0]).toMatchObject({
      type: 'system',
      subtype: 'init',
      apiKeySource: 'ANTHROPIC_API_KEY',
      claude_code_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      slash_commands: ['compact', 'clear', 'fork', 'extra:tidy'],
      skills: ['extra:tidy'],
      agents: expect.arrayContaining(['general-purpose', 'scout']),
      plugins: [{ name: 'extra', path: `${stage.folder}/extra`, version: '1.2.3' }],
      mcp_servers: [],
      output_style: 'default',
      permissionMode: 'default',
      betas: [],
      effort: 'low',
      uuid: expect.stringMatching(UUID),
    });
  });
});

describe('assistant and user', () => {
  const RULES = [
    { when: { nth: 1 }, reply: [{ thinking: 'hm' }, 'I look.', { tool: 'Read', input: { file_path: 'a.txt' } }] },
    { when: { nth: 2 }, reply: [{ tool: 'Read', input: { file_path: 'none.txt' } }] },
    { reply: 'Done.' },
  ];

  it('CL-4: a line for each block, under one message id; results with what the tool gave', async () => {
    const stage = await setStage(RULES);
    await stage.write('a.txt', 'one\ntwo\n');
    const { all } = await run(stage);
    const replies = ofType(all, 'assistant');
    expect(replies.map(({ message }) => message.content.length)).toEqual([1, 1, 1, 1, 1]);
    expect(new Set(replies.slice(0, 3).map(({ message }) => message.id)).size).toBe(1);
    expect(replies.every(({ message }) => message.stop_reason === null)).toBe(true);
    const [read, failed] = ofType(all, 'user');
    expect(read?.tool_use_result).toMatchObject({ type: 'text', file: { numLines: 2, totalLines: 2 } });
    expect(failed?.tool_use_result).toMatch(/^Error: .*none\.txt/);
    const told = [...replies, ...ofType(all, 'user')];
    expect(told.every(({ timestamp }) => !Number.isNaN(Date.parse(timestamp)))).toBe(true);
    const ids = told.map(({ uuid }) => uuid);
    expect(ids.every((id) => UUID.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('CL-4: partial messages add up to the messages, by the API’s own library', async () => {
    const stage = await setStage(RULES);
    await stage.write('a.txt', 'one\n');
    const { all } = await run(stage, '--include-partial-messages');
    const parts = messages(all);
    expect(parts).toHaveLength(3);
    expect(ofSystem(all, 'status').map(({ status }) => status)).toEqual(['requesting', 'requesting', 'requesting']);
    for (const events of parts) {
      const whole = await accumulate(events);
      const lines = ofType(all, 'assistant').filter(({ message }) => message.id === whole.id);
      expect(whole.content).toEqual(lines.map(({ message }) => message.content[0]));
      expect(whole.stop_reason).toBe(lines.at(-1)?.message.content[0].type === 'tool_use' ? 'tool_use' : 'end_turn');
      expect(whole.usage.output_tokens).toBe(lines[0]?.message.usage.output_tokens);
    }
  });

  it('CL-4: a response that breaks off leaves no parser broken: the next message_start starts over', async () => {
    const stage = await setStage([
      { fault: { kind: 'disconnect', at: 4, times: 1 }, reply: [{ thinking: 'hm' }, 'Done.'] },
    ]);
    const { all, code } = await run(stage, '--include-partial-messages');
    expect(code).toBe(0);
    const starts = ofType(all, 'stream_event').filter(({ event }) => event.type === 'message_start');
    expect(starts).toHaveLength(2);
    expect(ofSystem(all, 'api_retry')).toHaveLength(1);
    const [events = [], ...more] = messages(all);
    expect(more).toEqual([]);
    expect((await accumulate(events)).content).toMatchObject([{ type: 'thinking' }, { type: 'text', text: 'Done.' }]);
  });

  it('CL-4: lines of a child name its agent', async () => {
    const stage = await setStage([
      { when: { user: 'CHILD' }, reply: 'The child is done.' },
      {
        when: { nth: 1 },
        reply: [{ tool: 'Agent', input: { description: 'look', prompt: 'CHILD', subagent_type: 'Explore' } }],
      },
      { reply: 'Done.' },
    ]);
    const { all } = await run(stage);
    const child = ofType(all, 'assistant').find(({ parent_tool_use_id }) => parent_tool_use_id !== null);
    expect(child).toMatchObject({
      agent_id: expect.any(String),
      subagent_type: 'Explore',
      task_description: 'look',
      depth: 1,
    });
    expect(ofType(all, 'user').at(-1)?.tool_use_result).toMatchObject({
      status: 'completed',
      agentId: child?.agent_id,
    });
    expect(ofSystem(all, 'task_progress')[0]).toMatchObject({ task_id: child?.agent_id, subagent_type: 'Explore' });
  });
});

describe('result', () => {
  it('CL-4: a success: durations, why it stopped, usage by model in full', async () => {
    const stage = await setStage([{ reply: 'Done.' }]);
    const result = (await run(stage)).all.at(-1);
    expect(result).toMatchObject({
      subtype: 'success',
      is_error: false,
      duration_api_ms: expect.any(Number),
      stop_reason: 'end_turn',
      terminal_reason: 'completed',
      usage: { service_tier: 'standard', server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 } },
    });
    expect(result?.duration_api_ms).toBeGreaterThan(0);
    expect(result?.duration_api_ms).toBeLessThanOrEqual(result?.duration_ms);
    expect(result).not.toHaveProperty('errors');
    expect(Object.values(result?.modelUsage)).toEqual([
      expect.objectContaining({
        contextWindow: expect.any(Number),
        maxOutputTokens: expect.any(Number),
        cacheCreationEphemeral5mInputTokens: expect.any(Number),
        cacheCreationEphemeral1hInputTokens: expect.any(Number),
      }),
    ]);
  });

  it('CL-4: everything else has errors: a limit, the API, in json too', async () => {
    const stage = await setStage([{ reply: [{ tool: 'Glob', input: { pattern: '*' } }] }]);
    expect((await run(stage, '--max-turns', '1')).all.at(-1)).toMatchObject({
      subtype: 'error_max_turns',
      is_error: true,
      errors: [expect.stringContaining('1 turn')],
      terminal_reason: 'max_turns',
      stop_reason: 'tool_use',
    });
    stage.sim.use([{ fault: 'unauthorized' }]);
    const { all, code } = await run(stage);
    expect(code).toBe(1);
    const [said] = ofType(all, 'assistant');
    expect(said).toMatchObject({
      error: 'authentication_failed',
      message: { model: '<synthetic>', role: 'assistant' },
    });
    const line = said?.message.content[0].text;
    expect(all.at(-1)).toMatchObject({
      subtype: 'error_during_execution',
      errors: [line],
      terminal_reason: 'api_error',
      stop_reason: null,
    });
    const json = await runProgram(['-p', 'go', '--output-format', 'json'], stage.at);
    expect(JSON.parse(json.stdout)).toMatchObject({
      is_error: true,
      errors: [line],
      duration_api_ms: expect.any(Number),
    });
  });
});

describe('system lines', () => {
  it('CL-4: api_retry shows which attempt failed, why, and when the next is', async () => {
    const stage = await setStage([{ fault: { kind: 'overloaded', retryAfter: 0, times: 2 }, reply: 'at last' }]);
    const { all } = await run(stage);
    const common = { max_retries: 8, retry_delay_ms: 0, error_status: 529, error: 'overloaded' };
    expect(ofSystem(all, 'api_retry')).toMatchObject([
      { attempt: 1, ...common },
      { attempt: 2, ...common },
    ]);
    expect(ofSystem(all, 'informational')).toEqual([]);
  });

  it('CL-4: a compaction is a status and a boundary, with the sizes', async () => {
    const stage = await setStage([
      { when: { user: '<compaction>' }, reply: 'All that was said.' },
      { when: { nth: 1 }, reply: ['I look.', { tool: 'Glob', input: { pattern: '*' } }] },
      { when: { nth: 2 }, fault: { kind: 'overflow', times: 1 }, reply: 'Done.' },
      { reply: 'Done.' },
    ]);
    const { all } = await run(stage);
    expect(ofSystem(all, 'status').map(({ status }) => status)).toEqual(['compacting', null]);
    expect(ofSystem(all, 'compact_boundary')).toMatchObject([
      { compact_metadata: { trigger: 'auto', pre_tokens: expect.any(Number), post_tokens: expect.any(Number) } },
    ]);
    expect(ofSystem(all, 'compact_boundary')[0]?.compact_metadata.pre_tokens).toBeGreaterThan(1_000);
  });

  it('CL-4: what is denied without a question is a line', async () => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'touch x' } }] },
      { reply: 'Not allowed.' },
    ]);
    const { all } = await run(stage, '--disallowedTools', 'Bash(touch:*)');
    const [denied] = ofSystem(all, 'permission_denied');
    expect(denied).toMatchObject({ tool_name: 'Bash', message: expect.any(String) });
    expect(all.at(-1)?.permission_denials).toMatchObject([{ tool_use_id: denied?.tool_use_id }]);
  });

  it('CL-4: --include-hook-events reports what hooks did, and nothing is reported without it', async () => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [{ tool: 'Glob', input: { pattern: '*' } }] },
      { reply: 'Done.' },
    ]);
    const command = 'echo said; echo complained >&2; exit 3';
    await stage.settings({ hooks: { PreToolUse: [{ matcher: 'Glob', hooks: [{ type: 'command', command }] }] } });
    const { all } = await run(stage, '--include-hook-events');
    const [began] = ofSystem(all, 'hook_started');
    const hook = { hook_id: began?.hook_id, hook_name: 'PreToolUse:Glob', hook_event: 'PreToolUse' };
    expect(began).toMatchObject(hook);
    expect(ofSystem(all, 'hook_response')).toMatchObject([
      { ...hook, stdout: 'said\n', stderr: 'complained\n', exit_code: 3, outcome: 'error' },
    ]);
    stage.sim.use([{ when: { nth: 1 }, reply: [{ tool: 'Glob', input: { pattern: '*' } }] }, { reply: 'Done.' }]);
    expect((await run(stage)).all.filter(({ subtype }) => subtype?.startsWith('hook_'))).toEqual([]);
  });

  it('CL-4: a task in the background: started, updated, notified', async () => {
    const stage = await setStage([
      {
        when: { nth: 1 },
        reply: [{ tool: 'Bash', input: { command: 'sleep 0.2; echo out', run_in_background: true } }],
      },
      { reply: 'Done.' },
    ]);
    const { all } = await run(stage, '--allowedTools', 'Bash');
    const [started] = ofSystem(all, 'task_started');
    expect(started).toMatchObject({
      task_type: 'local_bash',
      is_backgrounded: true,
      description: 'sleep 0.2; echo out',
    });
    expect(ofSystem(all, 'task_updated')).toMatchObject([
      { task_id: started?.task_id, patch: { status: 'completed', end_time: expect.any(Number) } },
    ]);
    expect(ofSystem(all, 'task_notification')).toMatchObject([
      {
        task_id: started?.task_id,
        status: 'completed',
        output_file: expect.stringMatching(/./),
        summary: expect.any(String),
      },
    ]);
  });
});
