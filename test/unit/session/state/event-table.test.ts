/** The table of durable events, spelled out once more: it is a promise about existing files. */

import { describe, expect, it } from 'vitest';
import type { DurableEvent, DurableEventOf } from '../../../../src/protocol/events.js';
import {
  checkEvent,
  isDurable,
  isDurableKind,
  LIFE_KINDS,
  needsSync,
  rowOf,
} from '../../../../src/session/state/reduce.js';
import { admitted, finished } from '../sample-events.js';
import { DURABLE, LIVE } from '../sample-kinds.js';

const KINDS = Object.keys(DURABLE) as DurableEvent['kind'][];

describe('the table of durable events', () => {
  it.each(KINDS)('DU-1: has a row for %s, and takes it as it is', (kind) => {
    expect(isDurable(DURABLE[kind])).toBe(true);
    expect(rowOf(kind)).toBeDefined();
    expect(checkEvent(DURABLE[kind])).toBeUndefined();
  });

  it.each(Object.values(LIVE))('DU-1: has no row for what is only seen live: $kind', (event) => {
    expect(isDurable(event)).toBe(false);
  });

  it.each(['toString', 'constructor', '__proto__', 'dance'])('DU-1: has no row for %s', (kind) => {
    expect(isDurableKind(kind)).toBe(false);
  });

  it('DU-3: lists the events that must survive a power loss', () => {
    expect(KINDS.filter((kind) => needsSync(DURABLE[kind])).sort()).toEqual([
      'agent-handed-back',
      'agent-spawned',
      'agent-state-changed',
      'agent-taken-over',
      'call-finished',
      'call-intended',
      'file-kept',
      'files-kept',
      'history-cleared',
      'history-compacted',
      'history-rewound',
      'input-admitted',
      'input-withdrawn',
      'notice-queued',
      'permission-answered',
      'result-made',
      'run-ended',
      'skill-hooked',
      'worktree-settled',
    ]);
  });

  it('DU-3: events that can be recreated, or are useless without the next one, are not synced', () => {
    expect(needsSync(admitted('x', 'reminder'))).toBe(false);
    expect(needsSync(admitted('x', 'fork-placeholders'))).toBe(false);
    expect(
      (['person', 'notice', 'message', 'hook', 'fork-directive'] as const)
        .map((origin) => admitted('x', origin))
        .every(needsSync),
    ).toBe(true);
    expect([true, false].map((effects) => needsSync(finished('a', 'x', effects)))).toEqual([true, false]);
  });

  it('DU-8: lists the events of an agent’s life', () => {
    expect([...LIFE_KINDS].sort()).toEqual([
      'agent-handed-back',
      'agent-spawned',
      'agent-state-changed',
      'agent-taken-over',
      'input-admitted',
      'input-withdrawn',
      'message-joined',
      'notice-queued',
      'result-made',
      'worktree-settled',
    ]);
  });
});

/** Fields as a damaged file may have them, and where the damage is found. */
type Damage = { readonly [field: string]: unknown };
const DAMAGED: { readonly [K in DurableEvent['kind']]: readonly (readonly [at: string, damage: Damage])[] } = {
  'session-started': [
    ['session', { session: 1 }],
    ['mode', { mode: 'root' }],
  ],
  'epoch-started': [
    ['prefix', { prefix: null }],
    ['maxTokens', { maxTokens: '1000' }],
  ],
  'agent-spawned': [
    ['agent', { agent: undefined }],
    ['mode', { mode: 'root' }],
    ['depth', { depth: -1 }],
    ['tools', { tools: 'Bash' }],
    ['limits.only', { limits: { only: 'Bash', never: [] } }],
    ['worktree.path', { worktree: { name: 'a', branch: 'b', from: '/' } }],
    ['fork.upTo', { fork: { session: 's', agent: 'a', upTo: 1.5, messages: 1, sha256: 'x' } }],
  ],
  'agent-state-changed': [
    ['state', { state: 'asleep' }],
    ['run', { run: '1' }],
    ['by', { by: 'nobody' }],
  ],
  'result-made': [['text', { text: null }]],
  'worktree-settled': [
    ['outcome', { outcome: 'lost' }],
    ['reasons', { reasons: 'x' }],
  ],
  'response-discarded': [['usage', { usage: undefined }]],
  'notice-queued': [['to', { to: undefined }]],
  'input-admitted': [
    ['origin', { origin: 1 }],
    ['notice.run', { notice: { agent: 'a', run: 'x' } }],
    ['blocks', { blocks: undefined }],
    ['blocks.0.type', { blocks: [{}] }],
  ],
  'input-released': [['inputs', { inputs: 1 }]],
  'agent-taken-over': [['run', { run: -1 }]],
  'agent-handed-back': [['run', { run: 'x' }]],
  'input-withdrawn': [['inputs.0', { inputs: [-1] }]],
  'message-joined': [['from', { from: 'all' }]],
  'assistant-replied': [
    ['stop', { stop: undefined }],
    ['usage.cacheRead', { usage: { input: 1, output: 1, cacheWrite5m: 1, cacheWrite1h: 1 } }],
    ['blocks', { blocks: 'x' }],
  ],
  'call-intended': [['call', { call: undefined }]],
  'call-finished': [
    ['call', { call: 1 }],
    ['blocks', { blocks: null }],
  ],
  'history-compacted': [['blocks', { blocks: undefined }]],
  'history-cleared': [],
  'history-mended': [
    ['message', { message: 0.5 }],
    ['block', { block: undefined }],
  ],
  'task-started': [['task', { task: undefined }]],
  'file-kept': [['sha256', { sha256: '../../etc/passwd' }]],
  'file-left': [
    ['sha256', { sha256: undefined }],
    ['mode', { mode: 0o10000 }],
  ],
  'files-kept': [
    ['files.0.sha256', { files: [{ path: '/a', sha256: '../../etc/passwd' }] }],
    ['files.0.as', { files: [{ path: '/a', sha256: null, as: 'device' }] }],
  ],
  'files-left': [
    ['since', { since: -1 }],
    ['files.0.was', { files: [{ path: '/a', sha256: null, was: 'x' }] }],
  ],
  'history-rewound': [
    ['before', { before: -1 }],
    ['conversation', { conversation: 'yes' }],
    ['files.0.from', { files: [{ path: '/a', sha256: null, from: 'x' }] }],
  ],
  'session-named': [['name', { name: 1 }]],
  'todos-changed': [['items', { items: {} }]],
  'mode-changed': [['mode', { mode: 'root' }]],
  'skill-hooked': [
    ['skill', { skill: 1 }],
    ['what', { what: undefined }],
  ],
  'run-ended': [
    ['reason', { reason: undefined }],
    ['usage', { usage: undefined }],
  ],
  // These have no effect: they are stored for people, and any content can be shown.
  'turn-started': [],
  'permission-answered': [],
  'fault-met': [],
};

describe('a damaged event', () => {
  it.each(KINDS.flatMap((kind) => DAMAGED[kind].map(([at, damage]) => ({ kind, at, damage }))))(
    'DU-11: is refused, and the place is named: $kind, $at',
    ({ kind, at, damage }) => {
      const event = { ...DURABLE[kind], ...damage } as DurableEventOf<typeof kind>;
      expect(checkEvent(event)).toMatch(new RegExp(`^${kind}: ${at.replaceAll('.', '\\.')}: .+`));
    },
  );
});
