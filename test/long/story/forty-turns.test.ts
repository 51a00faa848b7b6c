/** The heart of the matter, on bodies received over the wire: requests only grow, and the cache is read. */

import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool, type UserBlock } from '../../../src/index.js';
import { text } from '../../../src/protocol/blocks.js';
import type { ReplyBlock, SimRequest } from '../../../src/sim/index.js';
import fc from '../../support/fast-check.js';
import { expectAllAccepted, setStage } from '../../support/story.js';
import { comparable, countMarkers } from '../../support/wire-body.js';

const TURNS = 40;
const PNG_HEAD = '89504e470d0a1a0a0000000d494844520000000100000001080200000090';

/** A picture that no other is like. */
const picture = fc.uint8Array({ minLength: 8, maxLength: 60 }).map((bytes) => ({
  type: 'image' as const,
  source: {
    type: 'base64' as const,
    media_type: 'image/png' as const,
    data: Buffer.concat([Buffer.from(PNG_HEAD, 'hex'), bytes]).toString('base64'),
  },
}));
const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }),
  fc.constantFrom('"quoted"', '\u2028', '🌳🌲', '\\n', '{"10":1,"2":2}', 'a\tb', '<system-reminder>', '\u0000x'),
);
const words = fc.array(word, { minLength: 1, maxLength: 12 }).map((list) => `say ${list.join(' ')}`);
/** As a model writes JSON: spaces, integer-like keys, long numbers. */
const inputJson = fc.oneof(
  fc.constantFrom('{"10": 1, "2": 2.50}', '{ }', '', '{"n":12345678901234567890}', '{"b":{"1":[],"0":{}}}'),
  fc.json({ maxDepth: 3 }).map((json) => `{"value":${json}}`),
);
const call = fc.record({ json: inputJson, output: fc.oneof(words, picture) });
const turn = fc.record({
  thinking: fc.option(words),
  says: fc.option(words),
  calls: fc.oneof(
    { weight: 2, arbitrary: fc.constant<never[]>([]) },
    { weight: 5, arbitrary: fc.array(call, { minLength: 1, maxLength: 4 }) },
    { weight: 2, arbitrary: fc.array(call, { minLength: 25, maxLength: 32 }) },
  ),
});
const prompt = fc.array(fc.oneof({ weight: 3, arbitrary: words }, { weight: 1, arbitrary: picture }), {
  minLength: 1,
  maxLength: 3,
});
const story: fc.Arbitrary<Story> = fc.record({
  turns: fc.array(turn, { minLength: TURNS, maxLength: TURNS }),
  prompts: fc.array(prompt, { minLength: TURNS, maxLength: TURNS }),
  chunkSeed: fc.nat(),
});
type Picture = { type: 'image'; source: { type: 'base64'; media_type: 'image/png'; data: string } };
type Output = string | Picture;
type Story = {
  turns: { thinking: string | null; says: string | null; calls: { json: string; output: Output }[] }[];
  prompts: Output[][];
  chunkSeed: number;
};

it('FK-8, FK-10, FK-25: in 40 turns with images, thinking and parallel calls each request is a byte prefix of the next and reads its cache', async () => {
  await fc.assert(fc.asyncProperty(story, playStory), { seed: 20261115, numRuns: 6, endOnFailure: true });
});

async function playStory({ turns, prompts, chunkSeed }: Story): Promise<void> {
  let at = 0;
  const outputs = new Map<string, Output>();
  const stage = await setStage(
    [
      {
        reply: () => {
          const { thinking, says, calls } = turns[at] ?? { thinking: null, says: 'the end', calls: [] };
          const blocks: ReplyBlock[] = [
            ...(thinking === null ? [] : [{ thinking }]),
            ...(says === null ? [] : [says]),
            ...calls.map(({ json, output }, index) => {
              const id = `call_${at}_${index}`;
              outputs.set(id, output);
              return { tool: 'Show', json, id };
            }),
          ];
          at += 1;
          return blocks.length > 0 ? blocks : 'nothing to say';
        },
      },
    ],
    { chunk: { seed: chunkSeed, least: 200, most: 4_000 } },
  );
  const show = defineTool({
    name: 'Show',
    description: 'Shows something.',
    schema: z.looseObject({}),
    readOnly: true,
    run: async (_input, { callId }) => {
      const output = outputs.get(callId) ?? 'nothing';
      return typeof output === 'string' ? output : { isError: false, content: [output] };
    },
  });
  const session = await stage.open({ tools: [show] });
  for (const next of prompts) {
    if (at >= TURNS) break;
    const blocks: UserBlock[] = next.map((part) => (typeof part === 'string' ? text(part) : part));
    expect((await session.send(blocks)).reason).toBe('completed');
  }
  await session.close();
  await stage.sim.close();
  expectAllAccepted(stage.sim);
  expect(stage.sim.requests.length).toBeGreaterThanOrEqual(TURNS);
  stage.sim.requests.forEach((request, index) => {
    expectMarkers(request);
    const previous = stage.sim.requests[index - 1];
    if (previous) expectGrown(previous, request, index);
  });
}

function expectMarkers(request: SimRequest): void {
  expect(countMarkers(request)).toBeLessThanOrEqual(4);
  expect(countMarkers(request)).toBeGreaterThanOrEqual(2);
  const blocks = request.body.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  expect(blocks.filter((block) => block.type.endsWith('thinking') && 'cache_control' in block)).toEqual([]);
}

function expectGrown(previous: SimRequest, request: SimRequest, index: number): void {
  const before = comparable(previous);
  const now = comparable(request);
  if (!now.startsWith(before)) {
    const differs = [...before].findIndex((character, place) => character !== now[place]);
    throw new Error(
      `request ${index} parts from the one before it at ${differs}: …${before.slice(differs - 60, differs + 60)}… / …${now.slice(differs - 60, differs + 60)}…`,
    );
  }
  // By the published rules, the first image in a conversation changes how all its messages are keyed.
  if (holdsImage(request) && !holdsImage(previous)) return;
  const had = (previous.usage?.cache_read_input_tokens ?? 0) + (previous.usage?.cache_creation_input_tokens ?? 0);
  expect(had, `request ${index - 1} cached nothing`).toBeGreaterThan(0);
  expect(
    request.usage?.cache_read_input_tokens ?? 0,
    `request ${index} of ${had} cached tokens`,
  ).toBeGreaterThanOrEqual(had * 0.99);
}

function holdsImage(request: SimRequest): boolean {
  return request.raw.includes('"type":"image"');
}
