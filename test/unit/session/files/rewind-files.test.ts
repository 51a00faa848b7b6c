import { describe, expect, it } from 'vitest';
import type { DurableEvent, RewoundFile } from '../../../../src/protocol/events.js';
import { planFileRewind } from '../../../../src/session/files/rewind-files.js';
import type { FileState } from '../../../../src/session/state/agent-state.js';
import fc from '../../../support/fast-check.js';
import { admitted, readBack, recordsOf, restore, show } from '../sample-events.js';

const FORWARD_AGAIN = [
  { kind: 'prompt' },
  { kind: 'edit', path: '/a', content: 0 },
  { kind: 'prompt' },
  { kind: 'rewind', to: 0 },
  { kind: 'rewind', to: 1 },
] as const;

describe('going back, as a plan', () => {
  it('DU-23: each file changed since returns to its content at the prompt, whatever happened in between', () => {
    const path = fc.constantFrom('/a', '/b', '/c');
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('edit' as const), path, content: fc.nat(20) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('prompt' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewind' as const), to: fc.nat(5) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const disk = new Map<string, string>();
        const events: DurableEvent[] = [];
        const prompts: { seq: number; disk: Map<string, string> }[] = [];
        const by = { agent: 'main', call: 'c' };
        const at = (file: string) => disk.get(file) ?? null;
        const goBack = (before: number) => {
          const files: RewoundFile[] = [];
          for (const { path: file, target, expected } of planFileRewind(restore(events).fileStates, before)) {
            expect(at(file)).toBe(expected?.sha256);
            if (at(file) === target.sha256) continue;
            files.push({ path: file, ...target, from: at(file) });
            if (target.sha256 === null) disk.delete(file);
            else disk.set(file, target.sha256);
          }
          events.push({ kind: 'history-rewound', before, conversation: false, files });
        };
        for (const one of steps) {
          if (one.kind === 'prompt') {
            events.push(admitted('prompt'));
            prompts.push({ seq: events.length, disk: new Map(disk) });
          } else if (one.kind === 'edit') {
            events.push({ kind: 'file-kept', path: one.path, sha256: at(one.path), ...by });
            disk.set(one.path, String(one.content));
            events.push({ kind: 'file-left', path: one.path, sha256: at(one.path), ...by });
          } else {
            const prompt = prompts[one.to % Math.max(1, prompts.length)];
            if (prompt === undefined) continue;
            goBack(prompt.seq);
            expect(disk).toEqual(prompt.disk);
          }
        }
      }),
      { numRuns: 500, examples: [[[...FORWARD_AGAIN]]] },
    );
  });

  it('DU-23: a change without a recorded end may be anyone’s: the expected content is unknown', () => {
    const states: FileState[] = [
      { seq: 2, kind: 'kept', path: '/a', sha256: null },
      { seq: 3, kind: 'left', path: '/a', sha256: 'x' },
      { seq: 5, kind: 'kept', path: '/a', sha256: 'x' },
    ];
    expect(planFileRewind(states, 1)).toEqual([{ path: '/a', target: { sha256: null }, expected: undefined }]);
    expect(planFileRewind(states, 4)).toEqual([{ path: '/a', target: { sha256: 'x' }, expected: undefined }]);
    expect(planFileRewind(states, 5)).toEqual([]);
  });

  it('DU-10: a rewind without a past state changes no conversation', () => {
    const event: DurableEvent = { kind: 'history-rewound', before: 9, conversation: true, files: [] };
    const { state, records } = readBack(recordsOf([event]));
    expect([show(state.history), records]).toEqual([[], 1]);
    expect(state).toMatchObject({ newEpoch: undefined, generation: 0 });
  });
});
