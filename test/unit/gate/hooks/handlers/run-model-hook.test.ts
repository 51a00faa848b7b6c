/** `prompt` and `agent` hooks: what is asked, and what an answer means at each event. */

import { describe, expect, it } from 'vitest';
import { readVerdict } from '../../../../../src/gate/hooks/handlers/run-model-hook.js';
import type { HookReply } from '../../../../../src/gate/hooks/hook-ports.js';
import { bashCall, openHooks } from '../open-hooks.js';
import { answeringPorts } from './ports.js';

const call = bashCall('ls');
const said = (words: string, note?: string) => async (): Promise<HookReply> => ({
  kind: 'said',
  text: words,
  ...(note ? { note } : {}),
});

describe.each([
  ['prompt', 'model'],
  ['agent', 'agent'],
] as const)('EX-23: %s hooks', (type, to) => {
  const guard = (more: object = {}) => ({ PreToolUse: [{ hooks: [{ type, prompt: 'Fine?', ...more }] }] });
  const run = (reply: () => Promise<HookReply>, more: object = {}) =>
    openHooks(guard(more), { ports: answeringPorts({ reply }).ports }).hooks.run('PreToolUse', call);

  it('EX-23: it gets the prompt with the input where it says $ARGUMENTS, or at the end', async () => {
    const asked = answeringPorts();
    const config = {
      PreToolUse: [...guard({ prompt: 'A $ARGUMENTS B', model: 'opus' }).PreToolUse, ...guard().PreToolUse],
    };
    const { hooks, folder } = openHooks(config, { ports: asked.ports });
    // What stands in the input is not a pattern.
    await hooks.run('PreToolUse', bashCall("echo $& $' $ARGUMENTS"));
    const input = JSON.stringify({
      session_id: 's1',
      transcript_path: `${folder}/s1.jsonl`,
      cwd: folder,
      permission_mode: 'default',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: "echo $& $' $ARGUMENTS" },
      tool_use_id: 't1',
    });
    const cause = { agent: 'main', of: 't1' };
    expect(asked.questions).toEqual([
      { to, model: 'opus', prompt: `A ${input} B`, cause },
      { to, model: undefined, prompt: `Fine?\n\n${input}`, cause },
    ]);
  });

  it('EX-23: a yes is no opinion, never an allow; a no blocks with its reason; what it cost is shown', async () => {
    expect(await run(said('{"ok": true}'))).toEqual({ ran: 1, context: [], messages: [] });
    const no = await run(said('{"ok": false, "reason": "it deletes things"}', 'asked haiku: $0.0001'));
    expect(no).toMatchObject({ decision: 'deny', reason: 'it deletes things' });
    expect(no.messages).toMatchObject([{ level: 'info', text: 'asked haiku: $0.0001' }]);
    expect((await run(said('{"ok": false}'))).reason).toContain('without giving a reason');
  });

  it.each([
    ['prose', 'Looks fine to me.'],
    ['nothing', ' '],
    ['another shape', '{"decision": "allow"}'],
    ['a yes in quotes', '{"ok": "true"}'],
    ['a list', '[true]'],
    ['half of it', '{"ok": tr'],
    ['a yes that is not the end', '{"ok": true}\nbut look again'],
  ])('GT-17: %s is no answer, and blocks', async (_, words) => {
    const verdict = await run(said(words, 'cost'));
    expect(verdict).toMatchObject({ decision: 'deny', messages: [{ level: 'error' }, { text: 'cost' }] });
  });

  it('GT-17: one that fails or is late blocks, and is ended', async () => {
    const failed = await run(async () => ({ kind: 'failed', reason: 'the budget is used up' }));
    expect(failed).toMatchObject({ decision: 'deny', messages: [{ level: 'error' }] });
    expect(failed.reason).toContain('the budget is used up');
    const silent = answeringPorts({ reply: () => new Promise(() => {}) });
    const { hooks } = openHooks(guard({ timeout: 0.1 }), { ports: silent.ports });
    expect((await hooks.run('PreToolUse', call)).reason).toContain('did not finish within 0.1 s');
    expect(silent.signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('EX-23: at Stop a no keeps the agent going; where nothing can be blocked it is reported; a failure blocks nothing', async () => {
    const own = [{ hooks: [{ type, prompt: 'Fine?' }] }];
    const config = { Stop: own, SessionStart: own };
    const { hooks } = openHooks(config, {
      ports: answeringPorts({ reply: said('{"ok":false,"reason":"tests!"}') }).ports,
    });
    expect(await hooks.run('Stop', { stop_hook_active: false })).toMatchObject({ decision: 'deny', reason: 'tests!' });
    const start = await hooks.run('SessionStart', { source: 'startup' });
    expect(start.messages).toMatchObject([{ level: 'warning', text: 'tests! (nothing can be blocked here)' }]);
    const broken = openHooks(config, { ports: answeringPorts({ reply: said('?') }).ports }).hooks;
    const stop = await broken.run('Stop', { stop_hook_active: false });
    expect(stop).not.toHaveProperty('decision');
    expect(stop.messages).toMatchObject([{ level: 'error' }]);
  });

  it('EX-23: a yes answers no question for the user', async () => {
    const config = { PermissionRequest: guard().PreToolUse };
    const { hooks } = openHooks(config, { ports: answeringPorts().ports });
    expect(await hooks.run('PermissionRequest', call)).not.toHaveProperty('decision');
  });

  it('EX-23: `if` chooses its calls, and it is named by its first words', async () => {
    const asked = answeringPorts({ reply: said('?') });
    const matchesRule = (rule: string, _tool: string, input: unknown) => JSON.stringify(input).includes(rule);
    const { hooks } = openHooks(guard({ if: 'git', prompt: `Is\n this ${'x'.repeat(90)}` }), {
      ports: asked.ports,
      matchesRule,
    });
    await hooks.run('PreToolUse', call);
    expect(asked.questions).toEqual([]);
    const { messages } = await hooks.run('PreToolUse', bashCall('git status'));
    expect(messages[0]?.hook).toMatch(new RegExp(`^PreToolUse hook \`${type} Is this x+…\` `));
  });
});

it.each([
  '{"ok":false,"reason":"r"}',
  '  {"ok": false, "reason": "r"}\n',
  '```json\n{"ok": false, "reason": "r"}\n```',
  '```\n{\n"ok": false,\n"reason": "r"\n}\n```',
  'I looked at a.txt.\n\n{"ok": false, "reason": "r"}',
])('EX-23: %j is read as a no', (words) => {
  expect(readVerdict(words)).toEqual({ kind: 'judged', ok: false, reason: 'r' });
});
