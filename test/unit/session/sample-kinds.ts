/** One event of every kind there is. The types see to it that none is missing. */

import { text } from '../../../src/protocol/blocks.js';
import type { DurableEvent, DurableEventOf, LiveEvent } from '../../../src/protocol/events.js';
import { freezeBlock } from '../../../src/protocol/frozen-block.js';
import { admitted, ended, epoch, finished, intended, joined, replied, started, turn, usage } from './sample-events.js';
import { spawned } from './spawned.js';

const HASH = 'a'.repeat(64);
const blocks = [freezeBlock(text('x'))];

export const DURABLE: { readonly [K in DurableEvent['kind']]: DurableEventOf<K> } = {
  'session-started': started(),
  'session-named': { kind: 'session-named', name: 'the move' },
  'epoch-started': epoch(),
  'agent-spawned': spawned('a', { session: 's', agent: 'main', upTo: 3, messages: 1, sha256: HASH }),
  'agent-state-changed': { kind: 'agent-state-changed', state: 'stopped', run: 1, by: 'person' },
  'agent-taken-over': { kind: 'agent-taken-over', run: 1 },
  'agent-handed-back': { kind: 'agent-handed-back', run: 1 },
  'result-made': { kind: 'result-made', run: 1, status: 'completed', text: 'x' },
  'worktree-settled': { kind: 'worktree-settled', run: 1, outcome: 'kept', reasons: ['2 commits'] },
  'notice-queued': { kind: 'notice-queued', run: 1, to: 'main', text: 'x' },
  'input-admitted': admitted('x'),
  'input-released': { kind: 'input-released', inputs: [1] },
  'input-withdrawn': { kind: 'input-withdrawn', inputs: [1] },
  'turn-started': turn(),
  'message-joined': joined(1),
  'assistant-replied': replied([text('x')]),
  'response-discarded': { kind: 'response-discarded', line: 'x', delayMs: 0, model: 'm', usage, requestBytes: 1 },
  'call-intended': intended('a'),
  'call-finished': finished('a'),
  'permission-answered': { kind: 'permission-answered', call: 'a', tool: 'Bash', behavior: 'deny', by: 'person' },
  'history-compacted': { kind: 'history-compacted', trigger: 'auto', messages: 1, blocks },
  'history-cleared': { kind: 'history-cleared' },
  'history-mended': { kind: 'history-mended', reason: 'x', message: 0, block: 0, blocks },
  'task-started': { kind: 'task-started', task: 'sh-1', call: 'a', command: 'make', output: '/out' },
  'file-kept': { kind: 'file-kept', path: '/a', sha256: HASH, agent: 'main', call: 'a' },
  'file-left': { kind: 'file-left', path: '/a', sha256: null, agent: 'main', call: 'a' },
  'files-kept': { kind: 'files-kept', files: [{ path: '/a', sha256: HASH, mode: 0o644 }], agent: 'main', call: 'a' },
  'files-left': {
    kind: 'files-left',
    since: 1,
    files: [{ path: '/b', sha256: HASH, as: 'link', was: { sha256: null } }],
    agent: 'main',
    call: 'a',
  },
  'history-rewound': {
    kind: 'history-rewound',
    before: 1,
    conversation: true,
    files: [{ path: '/a', sha256: null, from: HASH }],
  },
  'todos-changed': { kind: 'todos-changed', items: [] },
  'mode-changed': { kind: 'mode-changed', mode: 'plan' },
  'skill-hooked': { kind: 'skill-hooked', skill: 'guard', what: 'abc' },
  'fault-met': { kind: 'fault-met', fault: 'overloaded', line: 'x' },
  'run-ended': ended(),
};

export const LIVE: { readonly [K in LiveEvent['kind']]: Extract<LiveEvent, { readonly kind: K }> } = {
  'compaction-began': { kind: 'compaction-began', trigger: 'auto' },
  'model-fallback': { kind: 'model-fallback', from: 'a', to: 'b', reason: 'overloaded', line: 'x' },
  'request-sent': { kind: 'request-sent', turn: 1, bytes: 1 },
  'response-began': { kind: 'response-began', turn: 1, response: 'msg_1', model: 'm', usage },
  'block-began': { kind: 'block-began', index: 0, block: { type: 'text' } },
  'block-finished': { kind: 'block-finished', index: 0 },
  'compaction-failed': { kind: 'compaction-failed', reason: 'x' },
  'call-answered': { kind: 'call-answered', call: 'a', response: {} },
  'hook-began': { kind: 'hook-began', run: 'r', event: 'Stop', name: 'Stop' },
  'hook-finished': {
    kind: 'hook-finished',
    run: 'r',
    event: 'Stop',
    name: 'Stop',
    outcome: 'success',
    stdout: '',
    stderr: '',
  },
  'text-streamed': { kind: 'text-streamed', index: 0, text: 'x' },
  'thinking-streamed': { kind: 'thinking-streamed', index: 0, text: 'x' },
  'call-streamed': { kind: 'call-streamed', index: 0, name: 'Bash', json: '{' },
  'call-started': { kind: 'call-started', call: 'a', tool: 'Bash', input: {} },
  'agent-resumed': {
    kind: 'agent-resumed',
    agent: 'a',
    parent: 'main',
    call: 'a',
    spawned: spawned('a'),
    usage,
  },
  'agent-dropped': { kind: 'agent-dropped', reason: 'x' },
  'agent-queued': { kind: 'agent-queued' },
  'question-asked': {
    kind: 'question-asked',
    call: 'a',
    tool: 'Bash',
    question: {
      id: 'q',
      agent: { id: 'a', type: 't', depth: 1 },
      call: { id: 'a', tool: 'Bash', input: { command: 'ls' } },
      cwd: '/',
      reason: 'x',
      destroys: [],
      offers: [],
    },
  },
  'question-settled': { kind: 'question-settled', call: 'a', question: 'q', behavior: 'allow' },
  'call-progressed': { kind: 'call-progressed', call: 'a', line: 'x' },
  'line-shown': { kind: 'line-shown', level: 'info', line: 'x' },
};
