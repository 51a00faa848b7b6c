/** A checkpoint: reading with it equals reading everything, or it is not used. */

import { describe, expect, it } from 'vitest';
import type { Files } from '../../../../src/host/files.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { DurableEvent } from '../../../../src/protocol/events.js';
import { encodeCheckpoint, readCheckpoint } from '../../../../src/session/checkpoint/checkpoint.js';
import { createState } from '../../../../src/session/state/agent-state.js';
import { type ReadState, readState } from '../../../../src/session/state/read-state.js';
import fc from '../../../support/fast-check.js';
import { LiveModel } from '../live-model.js';
import { steps } from '../live-steps.js';
import { admitted, epoch, finished, intended, linesOf, replied, show, started, turn } from '../sample-events.js';
import { DURABLE } from '../sample-kinds.js';
import { factsOf } from '../state-facts.js';

const TRANSCRIPT = '/s.jsonl';
const PLACE = { path: '/checkpoint', version: '1' };

/** Files held in memory, by path. */
function holding(content: Record<string, Buffer>): Files {
  const statOf = (path: string) => {
    const bytes = content[path];
    const times = { mtimeMs: 0, ctimeMs: 0 };
    const owner = { user: 0, group: 0 };
    return bytes && { kind: 'file' as const, size: bytes.length, ...times, mode: 0, owner, links: 1, identity: path };
  };
  const bytesOf = (path: string) => {
    const bytes = content[path];
    if (bytes === undefined) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
    return bytes;
  };
  return {
    ...nodeHost('/').files,
    stat: async (path) => statOf(path),
    read: async (path) => bytesOf(path),
    openRead: async (path) => {
      const bytes = bytesOf(path);
      return {
        // Less than asked for, as the system may do.
        read: async (position, length) => bytes.subarray(position, position + Math.min(length, 777)),
        stat: async () => statOf(path) as NonNullable<ReturnType<typeof statOf>>,
        close: async () => {},
      };
    },
  };
}

async function read(files: Files, options = {}): Promise<ReadState> {
  const found = await readState(files, TRANSCRIPT, options);
  if (found.kind !== 'read') throw new Error(found.kind === 'unreadable' ? found.reason : found.kind);
  return found;
}

/** Everything a read comes to but how it came to it. */
function allOf({ state, end, records, unknown, damage }: ReadState) {
  return { ...factsOf(state), cached: state.lastRequest.cached, end, records, unknown, damage };
}

async function checkpointAfter(content: Record<string, Buffer>, seq: number): Promise<Buffer | undefined> {
  const files = holding(content);
  const { point } = await read(files, { upTo: seq });
  return point && encodeCheckpoint(files, TRANSCRIPT, point, PLACE);
}

describe('the state read through a checkpoint', () => {
  it('DU-10: is the state read whole, with compactions, rewinds and repairs before and after it', async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, fc.nat(), async (before, after, at) => {
        const lines = linesOf(new LiveModel([...before, { kind: 'compact' }, ...after]).events);
        const content = { [TRANSCRIPT]: Buffer.concat(lines) };
        const whole = await read(holding(content));
        const seq = 1 + (at % lines.length);
        const checkpoint = (await checkpointAfter(content, seq)) ?? expect.fail('no checkpoint');
        const through = await read(holding({ ...content, [PLACE.path]: checkpoint }), { checkpoint: PLACE });
        expect(allOf(through)).toEqual(allOf(whole));
        expect(show(through.state.history)).toEqual(show(whole.state.history));
        const skipped = Buffer.concat(lines.slice(0, seq)).length;
        expect(through.folded).toBe(whole.folded - skipped);
        // A second checkpoint would be the same as well: one is made from the other.
        expect(through.point && allOf({ ...through, ...through.point })).toEqual(
          whole.point && allOf({ ...whole, ...whole.point }),
        );
      }),
      { numRuns: 150 },
    );
  });

  it('DU-10, DU-11: also with lost, damaged, repeated and rewritten records, and with segments', async () => {
    const fault = fc.record({
      kind: fc.constantFrom('lost', 'damaged', 'repeated', 'rewritten', 'unknown'),
      at: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(fault, { maxLength: 4 }),
        fc.nat(),
        fc.nat(),
        fc.nat(),
        async (made, faults, at, cut, back) => {
          const lines = linesOf(new LiveModel(made).events);
          const kept = damage(lines, faults);
          const middle = cut % (kept.length + 1);
          const content = {
            [TRANSCRIPT]: Buffer.concat(kept.slice(0, middle)),
            // A segment starts with the unsynced records of the one before.
            '/s.1.jsonl': Buffer.concat(kept.slice(Math.max(0, middle - (back % 4)))),
          };
          const checkpoint = await checkpointAfter(content, 1 + (at % lines.length));
          if (checkpoint === undefined) return;
          const whole = await read(holding(content));
          const through = await read(holding({ ...content, [PLACE.path]: checkpoint }), { checkpoint: PLACE });
          expect(allOf(through)).toEqual(allOf(whole));
        },
      ),
      { numRuns: 250 },
    );
  });

  it('DU-10: holds every field of the state', async () => {
    const lines = linesOf(EVERYTHING);
    const content = { [TRANSCRIPT]: Buffer.concat(lines) };
    const whole = await read(holding(content));
    const checkpoint = (await checkpointAfter(content, lines.length)) ?? expect.fail('no checkpoint');
    const through = await read(holding({ ...content, [PLACE.path]: checkpoint }), { checkpoint: PLACE });
    expect(through.folded).toBe(0);
    expect(allOf(through)).toEqual(allOf(whole));
    const empty = allOf({ ...whole, state: createState() });
    const untold = [
      'inherited',
      'newEpoch',
      'spawned',
      'cached',
      'records',
      'unknown',
      'damage',
      'end',
      'gap',
      'runEnd',
    ];
    for (const [field, value] of Object.entries(allOf(through))) {
      if (!untold.includes(field)) expect(value, field).not.toEqual(empty[field as keyof typeof empty]);
    }
  });
});

describe('a checkpoint is not used', () => {
  const lines = linesOf(
    new LiveModel([{ kind: 'prompt', words: 'go' }, { kind: 'todos', count: 2 }, { kind: 'end' }]).events,
  );
  const content = { [TRANSCRIPT]: Buffer.concat(lines) };
  const AFTER = 4;

  async function expectUnused(transcript: Record<string, Buffer>, checkpoint: Buffer, place = PLACE): Promise<void> {
    const files = holding({ ...transcript, [place.path]: checkpoint });
    expect(await readCheckpoint(files, TRANSCRIPT, place)).toBeUndefined();
    const whole = await readState(holding(transcript), TRANSCRIPT);
    const through = await readState(files, TRANSCRIPT, { checkpoint: place });
    if (whole.kind !== 'read' || through.kind !== 'read') return expect(through).toEqual(whole);
    expect(allOf(through)).toEqual(allOf(whole));
  }

  async function made(): Promise<Buffer> {
    return (await checkpointAfter(content, AFTER)) ?? expect.fail('no checkpoint');
  }

  it('DU-10: with any byte flipped, or cut anywhere', async () => {
    const checkpoint = await made();
    expect(await readCheckpoint(holding({ ...content, [PLACE.path]: checkpoint }), TRANSCRIPT, PLACE)).toBeDefined();
    for (let at = 0; at < checkpoint.length; at += 1) {
      const flipped = Buffer.from(checkpoint);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      const files = holding({ ...content, [PLACE.path]: flipped });
      expect(await readCheckpoint(files, TRANSCRIPT, PLACE), `byte ${at}`).toBeUndefined();
    }
    for (let length = 0; length < checkpoint.length; length += 13) {
      const files = holding({ ...content, [PLACE.path]: checkpoint.subarray(0, length) });
      expect(await readCheckpoint(files, TRANSCRIPT, PLACE), `cut at ${length}`).toBeUndefined();
    }
  });

  it('DU-10: of another version', async () => {
    await expectUnused(content, await made(), { ...PLACE, version: '2' });
  });

  it('DU-10: where the transcript was cut before or inside its record, or is gone', async () => {
    const end = Buffer.concat(lines.slice(0, AFTER)).length;
    const whole = Buffer.concat(lines);
    for (const length of [end - 1, end - 2, end - 40, 0]) {
      await expectUnused({ [TRANSCRIPT]: whole.subarray(0, length) }, await made());
    }
    await expectUnused({}, await made());
  });

  it('DU-10: where the transcript is another one, or its record was changed', async () => {
    const other = linesOf(new LiveModel([{ kind: 'prompt', words: 'else' }, { kind: 'end' }]).events);
    await expectUnused({ [TRANSCRIPT]: Buffer.concat([Buffer.from('\n'), ...lines]) }, await made());
    await expectUnused({ [TRANSCRIPT]: Buffer.concat(other.slice(2)) }, await made());
    const changed = Buffer.concat(lines);
    const at = Buffer.concat(lines.slice(0, AFTER)).length - 5;
    changed[at] = (changed[at] ?? 0) ^ 1;
    await expectUnused({ [TRANSCRIPT]: changed }, await made());
  });

  it('DU-10: where a segment before its own has another length', async () => {
    const parts = { [TRANSCRIPT]: Buffer.concat(lines.slice(0, 2)), '/s.1.jsonl': Buffer.concat(lines.slice(2)) };
    const checkpoint = (await checkpointAfter(parts, AFTER)) ?? expect.fail('no checkpoint');
    await expectUnused({ ...parts, [TRANSCRIPT]: Buffer.concat(lines.slice(0, 1)) }, checkpoint);
    await expectUnused({ '/s.1.jsonl': parts['/s.1.jsonl'] }, checkpoint);
  });

  it('DU-10, DU-23: for a rewind to before it; the state to return to is read whole', async () => {
    const events = new LiveModel([
      { kind: 'turn', calls: [], thinks: false, words: 'one' },
      { kind: 'prompt', words: 'more' },
      { kind: 'turn', calls: [], thinks: false, words: 'two' },
      { kind: 'compact' },
      { kind: 'prompt', words: 'again' },
      { kind: 'rewind', to: 1 },
    ]).events;
    const compacted = events.findIndex(({ kind }) => kind === 'history-compacted') + 1;
    expect(compacted).toBeGreaterThan(0);
    expect(events.at(-1)?.kind).toBe('history-rewound');
    const transcript = { [TRANSCRIPT]: Buffer.concat(linesOf(events)) };
    const checkpoint = (await checkpointAfter(transcript, compacted)) ?? expect.fail('no checkpoint');
    const through = await read(holding({ ...transcript, [PLACE.path]: checkpoint }), { checkpoint: PLACE });
    expect(allOf(through)).toEqual(allOf(await read(holding(transcript))));
    expect(through.state.generation).toBe(2);
    expect(show(through.state.history).join()).toContain('one');
  });
});

type Fault = { readonly kind: string; readonly at: number };

function damage(lines: readonly Buffer[], faults: readonly Fault[]): Buffer[] {
  return lines.flatMap((line, index) => {
    switch (faults.find(({ at }) => at % lines.length === index)?.kind) {
      case 'lost':
        return [];
      case 'damaged':
        return [Buffer.from('{"v":1,"seq":\n')];
      case 'repeated':
        return [line, line];
      case 'rewritten':
        return [Buffer.from(line.toString('utf8').replace(/"uuid":"u/, '"uuid":"x')), line];
      case 'unknown':
        return [Buffer.from(line.toString('utf8').replace(/"kind":"[a-z-]+"/, '"kind":"of-later-days"'))];
      default:
        return [line];
    }
  });
}

/** Leaves something in every field. */
const EVERYTHING: DurableEvent[] = [
  started(),
  { ...admitted('first words'), key: 'a key' },
  { ...DURABLE['message-joined'], from: [2] },
  turn(),
  epoch(),
  replied(
    [
      { type: 'text', text: 'so' },
      { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
    ],
    'tool_use',
  ),
  DURABLE['history-compacted'],
  turn(),
  replied(
    [
      { type: 'text', text: 'on' },
      { type: 'tool_use', id: 'toolu_2', name: 'Bash', input: {} },
    ],
    'tool_use',
  ),
  intended('toolu_2'),
  finished('toolu_2'),
  admitted('done', 'notice', { agent: 'a', run: 1 }),
  admitted('a task', 'message'),
  { ...admitted('it is Monday', 'reminder'), tells: { date: 'Monday' } },
  { kind: 'todos-changed', items: [{ content: 'x' }] },
  DURABLE['mode-changed'],
  DURABLE['session-named'],
  DURABLE['skill-hooked'],
  DURABLE['task-started'],
  DURABLE['file-kept'],
  DURABLE['file-left'],
  DURABLE['agent-state-changed'],
  DURABLE['result-made'],
  DURABLE['notice-queued'],
];
