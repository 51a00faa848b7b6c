import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { DurableEvent } from '../../../../src/protocol/events.js';
import { parseBlock } from '../../../../src/protocol/frozen-block.js';
import { IndexedTranscript } from '../../../../src/session/transcript/indexed-transcript.js';
import { type EventInForce, readInForce, readLastInForce } from '../../../../src/session/transcript/read-in-force.js';
import { scratchFolder } from '../../../support/scratch.js';
import { admitted, linesOf, started, turn } from '../sample-events.js';

const { files } = nodeHost('/');

/** The messages, and the marks by their kind. */
function outline(events: readonly EventInForce[]): string[] {
  return events.map(({ event }) => {
    if (event.kind !== 'input-admitted') return event.kind;
    return event.blocks.map((block) => (parseBlock(block) as { text: string }).text).join();
  });
}

async function read(events: readonly DurableEvent[]) {
  const path = join(await scratchFolder(), 's.jsonl');
  await writeFile(path, Buffer.concat(linesOf([started(), ...events])));
  const all: EventInForce[] = [];
  for await (const one of readInForce(files, path)) all.push(one);
  const last = async (bytes: number) => readLastInForce(new IndexedTranscript(files, path), bytes);
  const whole = await last(1_000_000);
  expect(outline(whole.events)).toEqual(outline(all));
  expect(whole.isCut).toBe(false);
  return { shown: outline(all), last };
}

const rewound = (before: number, conversation = true): DurableEvent => {
  return { kind: 'history-rewound', before, conversation, files: [] };
};
const CLEARED: DurableEvent = { kind: 'history-cleared' };

it('TU-25: rewound and cleared messages are not shown again, from the beginning or from the end', async () => {
  const one = [admitted('a'), turn(1), admitted('b'), turn(2)];
  expect((await read([...one, rewound(4), admitted('c')])).shown).toEqual(['a', 'history-rewound', 'c']);
  expect((await read([...one, rewound(4, false), admitted('c')])).shown).toEqual(['a', 'b', 'history-rewound', 'c']);
  expect((await read([...one, CLEARED, admitted('c')])).shown).toEqual(['history-cleared', 'c']);
});

it('TU-25: a clear that was itself rewound has cleared nothing', async () => {
  const events = [admitted('a'), admitted('b'), CLEARED, admitted('c'), rewound(3), admitted('d')];
  expect((await read(events)).shown).toEqual(['a', 'history-rewound', 'd']);
});

it('TU-22, TU-25: messages withdrawn before they were read are not shown again', async () => {
  const events: DurableEvent[] = [
    admitted('a'),
    admitted('b'),
    { kind: 'input-withdrawn', inputs: [3] },
    admitted('c'),
  ];
  expect((await read(events)).shown).toEqual(['a', 'c']);
});

it('TU-25: the last screenful is the end of what is in force, and reports that there is more', async () => {
  const events = Array.from({ length: 300 }, (_, index) => admitted(`${index} ${'x'.repeat(2_000)}`));
  const { last } = await read(events);
  const { events: end, isCut } = await last(10_000);
  expect(isCut).toBe(true);
  expect(end.length).toBeLessThan(100);
  expect(outline(end).at(-1)).toMatch(/^299 /);
  expect(end.map(({ seq }) => seq)).toEqual(end.map((_, index) => 301 - end.length + 1 + index));
});
