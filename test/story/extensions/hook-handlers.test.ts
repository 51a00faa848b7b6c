/** Hooks that are no commands, through a whole session: a model, an agent, a server's tool, an address, the background. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseBlock } from '../../../src/protocol/frozen-block.js';
import type { Rule, SimRequest } from '../../../src/sim/index.js';
import { gate, onceOpen } from '../../support/gate.js';
import { smallServer } from '../../support/mcp/small-server.js';
import { serve } from '../../support/plain-server.js';
import { runningWith } from '../../support/processes.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, readTranscript, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { cutAfter } from '../durability/crash-stage.js';

const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const touch = [{ when: { nth: 1 }, reply: [bash('touch made')] }, { reply: 'done' }] as const satisfies readonly Rule[];

/** Of the model that decides for a hook. */
const judging = (reply: Rule['reply'], more: Partial<Rule> = {}): Rule => ({ when: { user: 'JUDGE' }, reply, ...more });

type Opening = NonNullable<Parameters<Stage['open']>[0]>;

async function withHooks(hooks: object, rules: readonly Rule[], more: Opening = {}, settings: object = {}) {
  const stage = await setStage(rules);
  await stage.settings({ hooks, ...settings });
  const session = await stage.open({ permissionMode: 'bypassPermissions', ...more });
  const end = await session.send('Go.');
  return { stage, session, end };
}

const shown = (stage: Stage) => eventsOf(stage, 'line-shown').map(({ line }) => line);
const wasMade = ({ folder }: Stage) => existsSync(join(folder, 'made'));
const lastResult = ({ sim }: Stage) => JSON.stringify(sim.requests.at(-1)?.body.messages.at(-1)?.content);
const ofHooks = ({ sim }: Stage): readonly SimRequest[] =>
  sim.requests.filter(({ body }) => body.model === 'claude-haiku-5-5');
const guard = (hook: object) => ({ PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] });

describe('EX-23: prompt', () => {
  const hook = { type: 'prompt', prompt: 'JUDGE: does this only read? $ARGUMENTS' };

  it('EX-23: a no of the small model denies the call with its reason; what it cost is shown', async () => {
    const no = judging('{"ok": false, "reason": "it makes a file"}');
    const { stage } = await withHooks(guard(hook), [no, ...touch]);
    expectAllAccepted(stage.sim);
    expect(wasMade(stage)).toBe(false);
    expect(lastResult(stage)).toContain('it makes a file');
    const [request, ...others] = ofHooks(stage);
    expect(others).toEqual([]);
    expect(request?.body.model).toBe('claude-haiku-5-5');
    expect(request?.body.tools ?? []).toEqual([]);
    expect(request?.raw.toString('utf8')).toContain('touch made');
    const costs = shown(stage).filter((line) => line.includes('asked claude-haiku-5-5'));
    expect(costs).toEqual([expect.stringMatching(/^PreToolUse hook `prompt JUDGE.*tokens in, \d+ out, <?\$0\.\d{4}$/)]);
  });

  it('EX-23: a yes lets the call continue to the gate, and answers nothing there', async () => {
    const yes = [judging('{"ok": true}'), ...touch];
    expect(wasMade((await withHooks(guard({ ...hook, model: 'sonnet' }), yes)).stage)).toBe(true);
    const { stage } = await withHooks(guard(hook), yes, { permissionMode: 'default' });
    expect(wasMade(stage)).toBe(false);
  });

  it('EX-23: a rule that denies is not softened by a yes', async () => {
    const { stage } = await withHooks(guard(hook), [judging('{"ok": true}'), ...touch], {
      disallowedTools: ['Bash(touch:*)'],
    });
    expect(wasMade(stage)).toBe(false);
  });

  it.each([
    ['garbage', judging('Sure, go ahead!'), /neither/],
    ['an error of the model', judging('', { fault: 'unauthorized' }), /failed/],
    ['one that is late', judging('{"ok": true}', { delay: { firstMs: 5_000 } }), /did not finish within 0\.5 s/],
  ])('GT-17: %s blocks the call, visibly', async (_, rule, expected) => {
    const { stage, session } = await withHooks(guard({ ...hook, timeout: 0.5 }), [rule, ...touch]);
    await session.close();
    expect(wasMade(stage)).toBe(false);
    expect(lastResult(stage)).toMatch(expected);
    expect(shown(stage).join('\n')).toMatch(expected);
  });

  it('EX-23: it is paid from the session’s budget', async () => {
    const { stage } = await withHooks(guard(hook), [judging('{"ok": true}'), ...touch], { maxTokens: 60_000 }, {});
    const spent = stage.sim.requests.filter(({ raw }) => !raw.includes('JUDGE')).length;
    expect(spent).toBe(2);
    const dear = [judging('{"ok": true}', { usage: { input: 59_000 } }), ...touch];
    const { end } = await withHooks(guard(hook), dear, { maxTokens: 60_000 });
    expect(end.reason).toBe('max_tokens');
  });

  it('EX-23: at Stop a no keeps the agent going, at most 8 times in a row', async () => {
    const rules = [judging('{"ok": false, "reason": "Run the tests first."}'), { reply: 'done' }];
    const { stage, end } = await withHooks({ Stop: [{ hooks: [hook] }] }, rules);
    expect(end).toMatchObject({ reason: 'completed', text: 'done' });
    expectAllAccepted(stage.sim);
    expect(ofHooks(stage)).toHaveLength(9);
    expect(lastResult(stage)).toContain('done');
  });
});

describe('EX-23: agent', () => {
  const hook = { type: 'agent', prompt: 'JUDGE by the file rules.txt. $ARGUMENTS' };
  const looking: readonly Rule[] = [
    { when: { said: 'JUDGE', nth: 1 }, reply: [{ tool: 'Read', input: { file_path: 'rules.txt' } }] },
    {
      when: { said: 'JUDGE', result: 'no touching' },
      reply: 'I looked.\n{"ok": false, "reason": "the rules forbid it"}',
    },
    { when: { said: 'JUDGE' }, reply: '{"ok": true}' },
    ...touch,
  ];

  async function judged(rules: readonly Rule[], hooks: object = guard(hook), more: Opening = {}, settings = {}) {
    const stage = await setStage(rules);
    await stage.write('rules.txt', 'no touching\n');
    await stage.settings({ hooks, ...settings });
    const session = await stage.open({ permissionMode: 'bypassPermissions', ...more });
    const end = await session.send('Go.');
    return { stage, session, end };
  }

  it('EX-23: it reads a file and denies; it is a child with a transcript, without a notice, and ends with the hook', async () => {
    const { stage, session, end } = await judged(looking);
    expectAllAccepted(stage.sim);
    expect(end).toMatchObject({ reason: 'completed', text: 'done' });
    expect(wasMade(stage)).toBe(false);
    expect(lastResult(stage)).toContain('the rules forbid it');
    const [request] = ofHooks(stage);
    expect(request?.body.model).toBe('claude-haiku-5-5');
    expect(request?.body.tools?.map(({ name }) => name).sort()).toEqual(['Glob', 'Grep', 'Read']);
    const [spawned, ...others] = eventsOf(stage, 'agent-spawned');
    expect(others).toEqual([]);
    expect(spawned).toMatchObject({ readOnly: true, mode: 'dontAsk', maxTurns: 50, parent: 'main', background: false });
    expect(eventsOf(stage, 'notice-queued')).toEqual([]);
    const records = await readTranscript(agentTranscript(session, spawned?.agent ?? ''));
    expect(records.at(-1)?.event).toMatchObject({ kind: 'agent-state-changed', state: 'completed' });
  });

  it('EX-23: it has no hooks, or it would ask itself', async () => {
    const hooks = {
      PreToolUse: [{ hooks: [hook] }],
      SubagentStart: [{ hooks: [{ type: 'command', command: 'touch "$CLAUDE_PROJECT_DIR/started"' }] }],
      SubagentStop: [{ hooks: [{ type: 'command', command: 'touch "$CLAUDE_PROJECT_DIR/stopped"' }] }],
    };
    const { stage } = await judged(looking, hooks);
    expect(eventsOf(stage, 'agent-spawned')).toHaveLength(1);
    expect(['started', 'stopped'].filter((name) => existsSync(join(stage.folder, name)))).toEqual([]);
  });

  it('EX-23: it reads nothing that a rule denies, nor outside the project, and asks nobody', async () => {
    const rules: readonly Rule[] = [
      {
        when: { said: 'JUDGE', nth: 1 },
        reply: [
          { tool: 'Read', input: { file_path: 'rules.txt' } },
          { tool: 'Read', input: { file_path: '/etc/hostname' } },
        ],
      },
      { when: { said: 'JUDGE' }, reply: '{"ok": true}' },
      ...touch,
    ];
    const settings = { permissions: { deny: ['Read(rules.txt)'] } };
    const { stage } = await judged(rules, guard(hook), { permissionMode: 'default' }, settings);
    const second = ofHooks(stage)[1];
    const results = second?.body.messages.at(-1)?.content as readonly { is_error?: boolean }[];
    expect(results.map(({ is_error }) => is_error)).toEqual([true, true]);
    expect(eventsOf(stage, 'question-asked')).toEqual([]);
  });

  it('GT-17: one that is late is stopped for good and blocks; so does one that gives no verdict', async () => {
    const slow: readonly Rule[] = [
      { when: { said: 'JUDGE' }, reply: '{"ok": true}', delay: { firstMs: 5_000 } },
      ...touch,
    ];
    const late = await judged(slow, guard({ ...hook, timeout: 0.5 }));
    expect(wasMade(late.stage)).toBe(false);
    expect(lastResult(late.stage)).toContain('did not finish within 0.5 s');
    await until(
      () => eventsOf(late.stage, 'agent-state-changed').some(({ state }) => state === 'stopped'),
      'the end of its agent',
    );
    const vague = await judged([{ when: { said: 'JUDGE' }, reply: 'Hard to say.' }, ...touch]);
    expect(wasMade(vague.stage)).toBe(false);
    expect(lastResult(vague.stage)).toContain('neither');
  });

  it('EX-23: it can’t be moved to the background: the call waits for its hook', async () => {
    const opens = gate();
    const held: readonly Rule[] = [
      { when: { said: 'JUDGE' }, reply: onceOpen(opens, '{"ok": false, "reason": "no"}') },
      ...touch,
    ];
    const stage = await setStage(held);
    await stage.settings({ hooks: guard(hook) });
    const session = await stage.open({ permissionMode: 'bypassPermissions' });
    const sent = session.send('Go.');
    await until(() => ofHooks(stage).length > 0, 'the hook');
    const moved = await session.execute({ type: 'to-background' });
    opens.open();
    await sent;
    await session.settled();
    expect(moved).toEqual({ ok: true, moved: 0 });
    expect(wasMade(stage)).toBe(false);
    expect(eventsOf(stage, 'notice-queued')).toEqual([]);
  });

  it('EX-23: with one slot for agents, that of a child’s hook still runs', async () => {
    const rules: readonly Rule[] = [
      ...looking.slice(0, 3),
      { when: { said: 'CHILD', nth: 1 }, reply: [bash('touch made')] },
      { when: { said: 'CHILD' }, reply: 'child done' },
      { when: { nth: 1 }, reply: [{ tool: 'Agent', input: { prompt: 'CHILD' } }] },
      { reply: 'done' },
    ];
    const { stage, end } = await judged(rules, guard(hook), {}, { maxConcurrentAgents: 1 });
    expect(end.text).toBe('done');
    expect(wasMade(stage)).toBe(false);
    const [child, own] = eventsOf(stage, 'agent-spawned');
    expect(own).toMatchObject({ parent: child?.agent, type: 'hook' });
  });

  it.each(['ask', 'auto'])(
    'EX-23: when the process died in its midst, nobody continues with it (%s)',
    async (resumeAgents) => {
      const slow = [{ when: { said: 'JUDGE' }, reply: '{"ok": true}', delay: { firstMs: 5_000 } }, ...touch];
      const { stage, session } = await judged(slow, guard({ ...hook, timeout: 0.3 }), {}, { resumeAgents });
      const agent = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
      await session.close();
      await cutAfter(agentTranscript(session, agent), 'input-admitted');
      const asked = ofHooks(stage).length;
      const again = await stage.open({ resume: session.id, permissionMode: 'bypassPermissions' });
      expect(again.past?.agents).toEqual([]);
      await again.send('And now?');
      await again.settled();
      expect(eventsOf(stage, 'agent-resumed')).toEqual([]);
      expect(ofHooks(stage)).toHaveLength(asked);
      const answer = await again.execute({ type: 'message', agent, text: 'go on' });
      expect(answer).toMatchObject({ ok: false, reason: expect.stringContaining("can't be continued") });
    },
  );
});

describe('EX-23: mcp_tool', () => {
  const verdict = { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'says the server' } };
  const answer = { content: [{ type: 'text', text: JSON.stringify(verdict) }] };
  const place = (path: string) => `\${${path}}`;
  const hook = { type: 'mcp_tool', server: 'guard', tool: 'check', input: { line: place('tool_input.command') } };
  const server = (more: object = {}) => smallServer({ tools: [{ name: 'check', result: answer }], ...more });

  it('EX-23: a tool of a connected server decides, without the gate; its own call has no hooks', async () => {
    const { stage } = await withHooks(guard(hook), touch, {}, { mcpServers: { guard: server() } });
    expectAllAccepted(stage.sim);
    expect(wasMade(stage)).toBe(false);
    expect(lastResult(stage)).toContain('says the server');
    expect(eventsOf(stage, 'question-asked')).toEqual([]);
  });

  it('EX-23: it gets the call’s input', async () => {
    const echo = { type: 'mcp_tool', server: 'small', tool: 'echo', input: { words: place('tool_input.command') } };
    const { stage } = await withHooks(guard(echo), touch, {}, { mcpServers: { small: smallServer() } });
    expect(wasMade(stage)).toBe(true);
    expect(shown(stage).join('\n')).toContain('small echo {"words":"touch made"}');
  });

  it.each([
    ['a server that is not configured', {}, hook, /not configured/],
    ['a server that can’t be started', { guard: { command: '/no/such/server' } }, hook, /guard/],
    ['a tool it does not have', { guard: server() }, { ...hook, tool: 'chekc' }, /has no tool chekc/],
    [
      'a tool that fails',
      { guard: server({ tools: [{ name: 'check', result: { ...answer, isError: true } }] }) },
      hook,
      /check of guard failed/,
    ],
  ])('GT-17: %s blocks the call, visibly', async (_, mcpServers, own, expected) => {
    const { stage } = await withHooks(guard(own), touch, {}, { mcpServers });
    expect(wasMade(stage)).toBe(false);
    expect(lastResult(stage)).toMatch(expected);
    expect(shown(stage).join('\n')).toMatch(expected);
  });

  it.each(['mcp__guard__check', 'mcp__guard'])('EX-23: the deny rule %s holds for it, too', async (rule) => {
    const log = join((await setStage()).folder, 'log');
    const settings = { mcpServers: { guard: server({ log }) }, permissions: { deny: [rule] } };
    const { stage } = await withHooks(guard(hook), touch, {}, settings);
    expect(wasMade(stage)).toBe(false);
    expect(lastResult(stage)).toContain('is denied by the rule');
    expect(readFileSync(log, 'utf8')).not.toContain('tools/call');
  });

  it('EX-23: modes that ask or refuse are not for hooks: it runs in plan mode and where nobody is asked', async () => {
    const read: readonly Rule[] = [
      { when: { nth: 1 }, reply: [{ tool: 'Glob', input: { pattern: '*' } }] },
      { reply: 'done' },
    ];
    for (const permissionMode of ['plan', 'dontAsk'] as const) {
      const hooks = { PreToolUse: [{ hooks: [hook] }] };
      const { stage } = await withHooks(hooks, read, { permissionMode }, { mcpServers: { guard: server() } });
      expect(lastResult(stage)).toContain('says the server');
    }
  });
});

describe('EX-23: http', () => {
  it('EX-23: an address of this machine decides', async () => {
    const heard: string[] = [];
    const { url } = await serve((request, response) => {
      request.on('data', (piece: Buffer) => heard.push(piece.toString('utf8')));
      request.on('end', () => response.end('{"decision":"block","reason":"says the address"}'));
    });
    const { stage } = await withHooks(guard({ type: 'http', url }), touch);
    expect(wasMade(stage)).toBe(false);
    expect(lastResult(stage)).toContain('says the address');
    expect(JSON.parse(heard.join(''))).toMatchObject({ tool_input: { command: 'touch made' } });
    const limited = await withHooks(guard({ type: 'http', url }), touch, {}, { allowedHttpHookUrls: [] });
    expect(lastResult(limited.stage)).toContain('allowedHttpHookUrls');
  });
});

describe('EX-23: in the background', () => {
  it('EX-23: asyncRewake wakes the main agent, idle as it is, with what it wrote', async () => {
    const line = 'until [ -e go ]; do sleep 0.02; done; echo the build is broken >&2; exit 2';
    const hooks = { PostToolUse: [{ hooks: [{ type: 'command', command: line, asyncRewake: true, once: true }] }] };
    const woken = { when: { user: 'the build is broken' }, reply: 'I look at it.' };
    const { stage, end } = await withHooks(hooks, [woken, ...touch]);
    expect(end.text).toBe('done');
    expect(stage.sim.requests).toHaveLength(2);
    await stage.write('go', '');
    await until(() => eventsOf(stage, 'assistant-replied').length === 3, 'the answer');
    expectAllAccepted(stage.sim);
    expect(lastResult(stage)).toContain('<system-reminder>');
  });

  it('EX-23: what async says wakes nobody; it goes with the next prompt', async () => {
    const answer = JSON.stringify({ systemMessage: 'linted', additionalContext: 'LINT: two warnings' });
    const hooks = { Stop: [{ hooks: [{ type: 'command', command: `echo '${answer}'`, async: true, once: true }] }] };
    const { stage, session } = await withHooks(hooks, [{ reply: 'ok' }]);
    const told = () =>
      eventsOf(stage, 'input-admitted').filter(({ blocks }) => JSON.stringify(blocks.map(parseBlock)).includes('LINT'));
    await until(() => told().length > 0, 'its words');
    expect(told()).toMatchObject([{ origin: 'reminder' }]);
    expect(shown(stage).some((line) => line.endsWith('linted'))).toBe(true);
    expect(stage.sim.requests).toHaveLength(1);
    await session.send('And now?');
    expectAllAccepted(stage.sim);
    expect(stage.sim.requests).toHaveLength(2);
    expect(lastResult(stage)).toContain('LINT: two warnings');
  });

  it('EX-23: none is left over when the session ends', async () => {
    const mark = `6${process.pid}.125`;
    const sleep = { type: 'command', command: `sleep ${mark}`, async: true };
    const hooks = { SessionStart: [{ hooks: [sleep] }], Stop: [{ hooks: [{ ...sleep, asyncRewake: true }] }] };
    const { session } = await withHooks(hooks, [{ reply: 'ok' }]);
    await until(() => runningWith(`sleep ${mark}`).length > 0, 'the commands');
    await session.close();
    expect(runningWith(`sleep ${mark}`)).toEqual([]);
  });
});
