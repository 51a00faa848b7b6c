/** A checkpoint: reading with it equals reading everything, or it is not used. */

import { describe, expect, it } from 'vitest';
import type { DurableEvent } from '../../../../src/protocol/events.js';
import { readCheckpoint } from '../../../../src/session/checkpoint/checkpoint.js';
import { createState } from '../../../../src/session/state/agent-state.js';
import { readState } from '../../../../src/session/state/read-state.js';
import { LiveModel } from '../live-model.js';
import { admitted, epoch, finished, intended, linesOf, replied, show, started, turn } from '../sample-events.js';
import { DURABLE } from '../sample-kinds.js';
import { allOf, checkpointAfter, holding, PLACE, read, TRANSCRIPT } from './checkpoint-stage.js';

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

describe('the state read through a checkpoint', () => {
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
