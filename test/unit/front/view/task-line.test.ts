import { expect, it } from 'vitest';
import { createView } from '../../../../src/front/view/session-view.js';
import { taskLines } from '../../../../src/front/view/stream-json/task-line.js';
import { text } from '../../../../src/protocol/blocks.js';
import { type AgentEvent, MOVED } from '../../../../src/protocol/events.js';
import { freezeBlock } from '../../../../src/protocol/frozen-block.js';
import { NO_USAGE } from '../../../../src/protocol/usage.js';

const born = (background: boolean) =>
  ({
    kind: 'agent-spawned',
    agent: 'kid',
    type: 'scout',
    description: 'find it',
    parent: 'main',
    call: 'call-0',
    depth: 1,
    origin: 'agent:built-in:scout',
    model: 'm',
    mode: 'default',
    readOnly: false,
    background,
    oneShot: false,
    maxTurns: 10,
    cwd: '/',
    tools: [],
  }) as const satisfies AgentEvent;
const glob = (call: string): AgentEvent => ({ kind: 'call-started', call, tool: 'Glob', input: { pattern: '*' } });
const finished = (call: string, isError = false): AgentEvent => ({
  kind: 'call-finished',
  call,
  tool: 'Bash',
  isError,
  effects: true,
  ms: 1,
  blocks: [],
});
const moved: AgentEvent = { kind: 'agent-state-changed', state: 'running', run: 1, reason: MOVED };
const shell: AgentEvent = { kind: 'task-started', task: 'sh-1', call: 'c1', command: 'make', output: '/out' };
const notice: AgentEvent = {
  kind: 'input-admitted',
  origin: 'notice',
  notice: { agent: 'kid', run: 1 },
  blocks: [
    freezeBlock(
      text(
        '<task-notification>\n<task-id>kid</task-id><tool-use-id>call-0</tool-use-id>\n<status>failed</status>\n<summary>a &lt;b&gt;</summary>',
      ),
    ),
  ],
};

/** The lines of events, each by its kind and content. */
function lines(...events: readonly (readonly [agent: string, event: AgentEvent])[]) {
  const view = createView();
  return events.flatMap(([agent, event]) => {
    const watched = { agent, seq: undefined, event };
    const made = taskLines(view, watched, 5);
    view.apply(watched, 0);
    return made;
  });
}

it('LC-19: a background child: started', () => {
  expect(lines(['kid', born(true)], ['kid', glob('c1')], ['kid', glob('c2')], ['kid', moved])).toEqual([
    {
      type: 'system',
      subtype: 'task_started',
      task_id: 'kid',
      tool_use_id: 'call-0',
      description: 'find it',
      subagent_type: 'scout',
      task_type: 'local_agent',
      is_backgrounded: true,
      spawn_depth: 1,
    },
  ]);
});

it('LC-19: an awaited agent is no task until it is moved or continued', () => {
  const again: AgentEvent = { kind: 'agent-state-changed', state: 'running', run: 2 };
  for (const event of [moved, again]) {
    expect(
      lines(['kid', born(false)], ['kid', glob('c1')], ['kid', event], ['kid', event], ['kid', glob('c2')]),
    ).toMatchObject([{ subtype: 'task_started', task_id: 'kid' }]);
  }
});

it('LC-19: the main agent and agents of an earlier process give no lines of their own', () => {
  const resumed: AgentEvent = {
    kind: 'agent-resumed',
    agent: 'kid',
    parent: 'main',
    call: 'call-0',
    spawned: born(true),
    usage: NO_USAGE,
  };
  expect(lines(['main', glob('c1')], ['kid', resumed], ['kid', moved], ['kid', glob('c1')])).toEqual([]);
});

it('LC-19: a command is started when its call returns, for its own call only', () => {
  expect(
    lines(['main', shell], ['kid', finished('c1')], ['main', finished('c0')], ['main', finished('c1')]),
  ).toMatchObject([
    { subtype: 'task_started', task_id: 'sh-1', tool_use_id: 'c1', description: 'make', task_type: 'local_bash' },
  ]);
  expect(lines(['main', shell], ['main', finished('c1', true)])).toEqual([]);
});

it('LC-19: a notice is reported once, however often it is passed on', () => {
  expect(lines(['kid-2', notice], ['main', notice])).toEqual([
    { type: 'system', subtype: 'task_updated', task_id: 'kid', patch: { status: 'failed', end_time: 5 } },
    {
      type: 'system',
      subtype: 'task_notification',
      task_id: 'kid',
      tool_use_id: 'call-0',
      status: 'failed',
      summary: 'a <b>',
      output_file: '',
    },
  ]);
});
