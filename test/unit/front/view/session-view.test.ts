/** Events → view, a row each. */

import { describe, expect, it } from 'vitest';
import { openCalls } from '../../../../src/front/view/agent-calls.js';
import { createView, type SessionView, subtractTotals, totalCost } from '../../../../src/front/view/session-view.js';
import { snapshots } from '../../../../src/front/view/snapshots.js';
import { Tally } from '../../../../src/front/view/tally.js';
import { text } from '../../../../src/protocol/blocks.js';
import { type AgentEvent, MOVED, RESUMED_AUTOMATICALLY, type SessionEvent } from '../../../../src/protocol/events.js';
import { freezeBlock, freezeToolUse } from '../../../../src/protocol/frozen-block.js';
import type { PermissionQuestion } from '../../../../src/protocol/permission.js';
import { NO_USAGE, type Usage } from '../../../../src/protocol/usage.js';

const MODEL = 'claude-opus-5-5';

const of = (agent: string, event: AgentEvent, seq?: number): SessionEvent => ({ agent, seq, event });
const main = (event: AgentEvent, seq?: number) => of('main', event, seq);
const child = (event: AgentEvent, seq?: number) => of('kid', event, seq);

/** The n-th event comes at 10 n. */
function fold(events: readonly SessionEvent[], view = createView()): SessionView {
  events.forEach((event, index) => {
    view.apply(event, 10 * (index + 1));
  });
  return view;
}

const used = (input: number, output = 0): Usage => ({ ...NO_USAGE, input, output });

const began = main(
  { kind: 'session-started', session: 's', cwd: '/project', version: '1', model: MODEL, mode: 'plan' },
  1,
);
const born = {
  kind: 'agent-spawned',
  agent: 'kid',
  type: 'scout',
  name: 'finder',
  description: 'find it',
  parent: 'main',
  call: 'call-0',
  depth: 1,
  origin: 'agent:built-in:scout',
  model: 'claude-haiku-5-5',
  mode: 'default',
  readOnly: false,
  background: false,
  oneShot: false,
  maxTurns: 10,
  cwd: '/project/sub',
  tools: [],
} as const satisfies AgentEvent;
const spawned = child(born, 1);

const turn: AgentEvent = { kind: 'turn-started', turn: 1 };
const ended = (usage: Usage): AgentEvent => ({ kind: 'run-ended', reason: 'completed', usage });
const state = (to: 'running' | 'waiting' | 'completed' | 'interrupted', run = 1, reason?: string): AgentEvent => ({
  kind: 'agent-state-changed',
  state: to,
  run,
  ...(reason === undefined ? {} : { reason }),
});
const replied = (usage: Usage, ...calls: readonly [id: string, name: string, input: string][]): AgentEvent => ({
  kind: 'assistant-replied',
  response: 'r',
  model: MODEL,
  stop: 'end_turn',
  usage,
  requestBytes: 1,
  blocks: calls.map(([id, name, input]) => freezeToolUse(id, name, input)),
});
const started = (call: string, tool = 'Read', input: unknown = {}): AgentEvent => ({
  kind: 'call-started',
  call,
  tool,
  input,
});
const finished = (call: string, tool = 'Read'): AgentEvent => ({
  kind: 'call-finished',
  call,
  tool,
  isError: false,
  effects: false,
  ms: 1,
  blocks: [],
});
const denied = (call: string, tool = 'Bash'): AgentEvent => ({
  kind: 'permission-answered',
  call,
  tool,
  behavior: 'deny',
  by: 'rule',
});
const shell: AgentEvent = { kind: 'task-started', task: 'sh-1', call: 'c1', command: 'make', output: '/out' };
const notice = (status: string, agent = 'sh-1'): AgentEvent => ({
  kind: 'input-admitted',
  origin: 'notice',
  notice: { agent, run: 1 },
  blocks: [freezeBlock(text(`<task-notification>\n<status>${status}</status>\n<result><status>x</status></result>`))],
});
const question = (id: string): PermissionQuestion => ({
  id,
  agent: { id: 'kid', type: 'scout', depth: 1 },
  call: { id: 'c1', tool: 'Bash', input: { command: 'ls' } },
  cwd: '/project',
  reason: 'it may change something',
  destroys: [],
  offers: [],
});

type Row = readonly [
  name: string,
  events: readonly SessionEvent[],
  look: (view: SessionView) => unknown,
  seen: unknown,
];

const kid = ({ agents }: SessionView) => agents.get('kid');
const root = ({ agents }: SessionView) => agents.get('main');

const AGENTS: readonly Row[] = [
  [
    'a session begins: the main agent waits, mode and folder are known',
    [began],
    (view) => [view.mode, root(view)],
    ['plan', expect.objectContaining({ status: 'waiting', folder: '/project', model: MODEL, depth: 0, startedAt: 10 })],
  ],
  [
    'the main agent runs from its first message',
    [began, main({ kind: 'message-joined', from: [] })],
    (view) => root(view)?.status,
    'running',
  ],
  [
    'the end of its run lets it wait',
    [began, main(turn), main(ended(NO_USAGE))],
    (view) => root(view)?.status,
    'waiting',
  ],
  [
    'a child is queued where it was spawned',
    [began, spawned],
    kid,
    expect.objectContaining({
      parent: 'main',
      call: 'call-0',
      name: 'finder',
      folder: '/project/sub',
      status: 'queued',
      resumed: false,
    }),
  ],
  [
    'its time is that of its run: neither the queue before nor the rest after counts',
    [
      spawned,
      child({ kind: 'agent-queued' }),
      child(state('running')),
      child(state('waiting')),
      child(state('running')),
      child(state('completed')),
      main(turn),
    ],
    (view) => snapshots(view, 1000, {}).map(({ id, status, elapsedMs }) => [id, status, elapsedMs]),
    [
      ['kid', 'completed', 30],
      ['main', 'running', 930],
    ],
  ],
  [
    'a move to the background is kept',
    [spawned, child(state('running', 1, MOVED)), child(state('completed'))],
    (view) => kid(view)?.background,
    true,
  ],
  [
    'a continued agent runs in the background, in a run with a time of its own',
    [spawned, child(state('running')), child(state('completed')), child(state('running', 2))],
    kid,
    expect.objectContaining({ background: true, run: 2, startedAt: 40, endedAt: undefined, status: 'running' }),
  ],
  [
    'a resumed agent brings its place and its usage',
    [child({ kind: 'agent-resumed', agent: 'kid', parent: 'main', call: 'call-0', spawned: born, usage: used(7) })],
    kid,
    expect.objectContaining({ type: 'scout', depth: 1, status: 'interrupted', resumed: true, usage: used(7) }),
  ],
  [
    'a resumed agent stands where its call is',
    [child({ kind: 'agent-resumed', agent: 'kid', parent: 'other', call: 'call-9', spawned: born, usage: NO_USAGE })],
    kid,
    expect.objectContaining({ parent: 'other', call: 'call-9', status: 'interrupted' }),
  ],
  [
    'an agent that goes on keeps what is newer than its first record',
    [
      spawned,
      child({ kind: 'epoch-started', reason: 'model-switch', prefix: 'p', model: MODEL, maxTokens: 1 }),
      child(state('running', 1, MOVED)),
      child({ kind: 'agent-resumed', agent: 'kid', parent: 'main', call: 'call-0', spawned: born, usage: NO_USAGE }),
    ],
    kid,
    expect.objectContaining({ background: true, model: MODEL, resumed: false }),
  ],
  [
    'resumed without a word, its time begins again',
    [spawned, child(state('running')), child(state('running', 1, RESUMED_AUTOMATICALLY)), child(state('running'))],
    (view) => kid(view)?.startedAt,
    30,
  ],
];

const CALLS: readonly Row[] = [
  [
    'calls under way stand in the order of their start, with the input the tool reads',
    [
      main(replied(NO_USAGE, ['c1', 'Read', '{}'], ['c2', 'Bash', '{"command":"ls"}'])),
      main(started('c2', 'Bash', { command: 'ls', timeout: 1 })),
      main(started('c1')),
    ],
    (view) =>
      openCalls(root(view) ?? { toolUses: 0, calls: [] }).map(({ id, input, startedAt }) => [id, input, startedAt]),
    [
      ['c2', { command: 'ls', timeout: 1 }, 20],
      ['c1', {}, 30],
    ],
  ],
  [
    'the snapshot names the tool that started last of those under way',
    [
      main(replied(NO_USAGE, ['c1', 'Read', '{}'], ['c2', 'Bash', '{}'], ['c3', 'Edit', '{}'])),
      main(started('c2', 'Bash')),
      main(started('c1')),
      main(finished('c1')),
    ],
    (view) => snapshots(view, 0, {}).map(({ tool }) => tool),
    ['Bash'],
  ],
  [
    'a call that is only asked for is not at work',
    [main(replied(NO_USAGE, ['c1', 'Read', '{}']))],
    (view) => snapshots(view, 0, {}).map(({ tool, toolUses }) => [tool, toolUses]),
    [[undefined, 0]],
  ],
  [
    'each call is counted once: started, intended, or refused before its start',
    [
      main(replied(NO_USAGE, ['c1', 'Read', '{}'], ['c2', 'Bash', '{}'], ['c3', 'Nope', '{}'])),
      main(started('c1')),
      main({ kind: 'call-intended', call: 'c1', tool: 'Read' }),
      main({ kind: 'call-intended', call: 'c2', tool: 'Bash' }),
      main(finished('c1')),
      main(finished('c2')),
      main(finished('c3')),
    ],
    (view) => [root(view)?.toolUses, root(view)?.calls],
    [3, []],
  ],
  [
    'a result for a call of an earlier time is no new call',
    [main(turn), main(finished('old'))],
    (view) => root(view)?.toolUses,
    0,
  ],
  [
    'the end of a run leaves no call and no question',
    [
      child(started('c1')),
      child({ kind: 'question-asked', call: 'c1', tool: 'Bash', question: question('q1') }),
      child(ended(NO_USAGE)),
    ],
    (view) => [kid(view)?.calls, kid(view)?.questions],
    [[], []],
  ],
  [
    'the first open question is shown, and each is settled by its id',
    [
      child({ kind: 'question-asked', call: 'c1', tool: 'Bash', question: question('q1') }),
      child({ kind: 'question-asked', call: 'c1', tool: 'Bash', question: question('q2') }),
      child({ kind: 'question-asked', call: 'c2', tool: 'Edit', question: question('q3') }),
      child({ kind: 'question-settled', call: 'c1', question: 'q1', behavior: 'allow' }),
      child({ kind: 'question-settled', call: 'c2', question: 'q3', behavior: 'deny' }),
    ],
    (view) => [kid(view)?.questions.map((one) => one.question?.id), snapshots(view, 0, {})[0]?.question],
    [['q2'], { call: 'c1', tool: 'Bash', line: 'Bash: ls' }],
  ],
  [
    'the last line a tool reported',
    [
      child({ kind: 'call-progressed', call: 'c1', line: 'half' }),
      child({ kind: 'call-progressed', call: 'c1', line: 'all' }),
    ],
    (view) => kid(view)?.progress,
    'all',
  ],
];

const TOTALS: readonly Row[] = [
  [
    'usage by model: replies, summaries, and what was thrown away',
    [
      main(replied(used(1))),
      main({ kind: 'history-compacted', trigger: 'auto', messages: 1, model: MODEL, usage: used(10), blocks: [] }),
      child({ kind: 'response-discarded', requestBytes: 0, line: '', delayMs: 0, model: 'other', usage: used(100) }),
      child({ kind: 'response-discarded', requestBytes: 0, line: '', delayMs: 0, model: '', usage: NO_USAGE }),
    ],
    ({ totals, agents }) => [[...totals.usageByModel], agents.get('main')?.usage],
    [
      [
        [MODEL, used(11)],
        ['other', used(100)],
      ],
      used(11),
    ],
  ],
  [
    'what no record tells of is counted when the run ends, once',
    [began, main(replied(used(5))), main(ended(used(8, 1))), main(replied(used(2))), main(ended(used(10, 1)))],
    (view) => [[...view.totals.usageByModel], root(view)?.usage],
    [[[MODEL, used(10, 1)]], used(10, 1)],
  ],
  [
    'what was used before the first event is the agent’s, and not of this view’s totals',
    [main(replied(used(5))), main(ended(used(1005))), main(replied(used(2))), main(ended(used(1007)))],
    (view) => [[...view.totals.usageByModel], root(view)?.usage],
    [[[MODEL, used(7)]], used(1007)],
  ],
  [
    'a branch begins with the usage of the session it left',
    [main({ ...began.event } as AgentEvent, 40), main(replied(used(5))), main(ended(used(1005)))],
    ({ totals }) => [...totals.usageByModel],
    [[MODEL, used(5)]],
  ],
  [
    'a denial has the input, from the call or, in a transcript, from the reply',
    [
      main(started('c1', 'Bash', { command: 'rm x' })),
      main(denied('c1')),
      child(replied(NO_USAGE, ['c2', 'Bash', '{"command":"rm y"}'])),
      child(denied('c2')),
      child(denied('c3')),
    ],
    ({ totals }) => totals.denials.map(({ tool_use_id, tool_input }) => [tool_use_id, tool_input]),
    [
      ['c1', { command: 'rm x' }],
      ['c2', { command: 'rm y' }],
      ['c3', {}],
    ],
  ],
  [
    'turns of all agents',
    [main(turn), child(turn), child(turn)],
    (view) => [view.totals.turns, kid(view)?.turns],
    [3, 2],
  ],
];

const SESSION: readonly Row[] = [
  ['a command runs until its notice', [main(shell)], ({ shells }) => shells.get('sh-1')?.status, 'running'],
  [
    'its notice tells how it ended',
    [main(shell), main(notice('failed'))],
    ({ shells }) => shells.get('sh-1'),
    expect.objectContaining({ owner: 'main', call: 'c1', command: 'make', status: 'failed', endedAt: 20 }),
  ],
  [
    'also when the transcript with the notice is read first',
    [main(notice('failed')), child(shell)],
    ({ shells }) => shells.get('sh-1')?.status,
    'failed',
  ],
  [
    'a child’s command ends with it, another’s does not',
    [child(shell), main({ ...shell, task: 'sh-2' }), child(state('interrupted'))],
    ({ shells }) => [...shells.values()].map(({ status }) => status),
    ['stopped', 'running'],
  ],
  [
    'mode and todo list are the main agent’s',
    [
      began,
      main({ kind: 'mode-changed', mode: 'default' }),
      main({ kind: 'todos-changed', items: ['one'] }),
      child({ kind: 'todos-changed', items: ['two'] }),
      child({ kind: 'mode-changed', mode: 'dontAsk' }),
    ],
    ({ mode, todos }) => [mode, todos],
    ['default', ['one']],
  ],
  [
    'a line about nobody makes no agent',
    [of('', { kind: 'line-shown', level: 'error', line: 'x' })],
    ({ agents }) => agents.size,
    0,
  ],
];

describe.each([
  ['agents', AGENTS],
  ['calls and questions', CALLS],
  ['totals', TOTALS],
  ['the session', SESSION],
])('LC-20: %s', (_, rows) => {
  it.each(rows)('%s', (_name, events, look, seen) => {
    expect(look(fold(events))).toEqual(seen);
  });
});

it('a resumed session starts with the facts that its events do not repeat', () => {
  const view = createView({ main: { model: MODEL, folder: '/project', mode: 'acceptEdits' } });
  expect([view.agents.size, view.mode]).toEqual([0, 'acceptEdits']);
  fold([main(turn)], view);
  expect(view.agents.get('main')).toMatchObject({ model: MODEL, folder: '/project', description: 'the session' });
});

it('SF-5: the totals of a prompt are the difference of two totals', () => {
  const view = createView();
  fold([main(turn), main(replied(used(3))), main(denied('c1'))], view);
  const before = view.totals;
  fold(
    [main(turn), main(turn), child({ ...replied(used(4)), model: 'other' } as AgentEvent), main(denied('c2'))],
    view,
  );
  const { turns, usageByModel, denials } = subtractTotals(view.totals, before);
  expect([turns, [...usageByModel], denials.map(({ tool_use_id }) => tool_use_id)]).toEqual([
    2,
    [['other', used(4)]],
    ['c2'],
  ]);
  expect(before.turns).toBe(1);
});

it('SF-6: Tally reads the same totals', () => {
  const tally = new Tally();
  const events = [
    main(turn),
    main(replied(used(1_000_000))),
    main(started('c1', 'Bash', { command: 'x' })),
    main(denied('c1')),
  ];
  for (const event of events) tally.watch(event);
  const { totals } = fold(events);
  expect([tally.turns, tally.usage, tally.denials]).toEqual([1, used(1_000_000), totals.denials]);
  expect(tally.cost()).toBe(totalCost(totals));
  expect(tally.cost()).toBe(4);
});
