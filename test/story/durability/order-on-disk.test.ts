/** DU-4, DU-5, DU-7: what is on disk before what happens, and that it is what was sent. */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../src/index.js';
import type { TranscriptRecord } from '../../../src/session/transcript/record.js';
import { expectAllAccepted, readingTool, readTranscript, setStage } from '../../support/story.js';
import { comparable } from '../../support/wire-body.js';

const kinds = (records: readonly TranscriptRecord[]) => records.map(({ event }) => event.kind);

it('DU-4: the assistant message is on disk before its tools run, the intent before the effect, the result before the next request', async () => {
  let insideTool: TranscriptRecord[] = [];
  let atSecondRequest: TranscriptRecord[] = [];
  const stage = await setStage([
    { when: { nth: 1 }, reply: ['I change it.', { tool: 'Change', input: { n: 1 } }] },
    {
      when: { nth: 2 },
      reply: async () => {
        atSecondRequest = await readTranscript(session.transcript);
        return 'done';
      },
    },
  ]);
  const change = defineTool({
    name: 'Change',
    description: 'Changes something.',
    schema: z.object({ n: z.number() }),
    run: async () => {
      insideTool = await readTranscript(session.transcript);
      return 'changed';
    },
  });
  const session = await stage.open({ tools: [change], permissionMode: 'bypassPermissions' });
  expect((await session.send('go')).reason).toBe('completed');
  expect(kinds(insideTool)).toContain('assistant-replied');
  expect(kinds(insideTool).at(-1)).toBe('call-intended');
  expect(kinds(insideTool)).not.toContain('call-finished');
  expect(kinds(atSecondRequest).slice(-3)).toEqual(['call-finished', 'message-joined', 'turn-started']);
});

it('DU-4: the user’s prompt is on disk before the first request, and hooks before a tool see the reply there', async () => {
  let atFirstRequest: TranscriptRecord[] = [];
  let insideHook: TranscriptRecord[] = [];
  const stage = await setStage([
    {
      when: { nth: 1 },
      reply: async () => {
        atFirstRequest = await readTranscript(session.transcript);
        return [{ tool: 'Look' }];
      },
    },
    { when: { nth: 2 }, reply: 'done' },
  ]);
  const session = await stage.open({
    tools: [readingTool('Look', async () => 'seen')],
    hooks: {
      PreToolUse: [
        {
          hooks: [
            async () => {
              insideHook = await readTranscript(session.transcript);
            },
          ],
        },
      ],
    },
  });
  expect((await session.send('remember these words')).reason).toBe('completed');
  const words = atFirstRequest.find(({ event }) => event.kind === 'input-admitted' && event.origin === 'person');
  const said =
    words?.event.kind === 'input-admitted' ? words.event.blocks.map(({ bytes }) => Buffer.from(bytes).toString()) : [];
  expect(said.join()).toContain('remember these words');
  expect(kinds(atFirstRequest).slice(-4)).toEqual([
    'input-admitted',
    'message-joined',
    'turn-started',
    'epoch-started',
  ]);
  expect(kinds(insideHook).at(-1)).toBe('assistant-replied');
});

it('DU-5: records hold the very bytes that went over the wire, integer-like keys and odd numbers as the model wrote them', async () => {
  const odd = '{"b":1.50,"10":"ten","2":"two","n":12345678901234567890,"e":1e2,"u":"\\u00e9"}';
  const stage = await setStage([
    { when: { nth: 1 }, reply: [{ thinking: 'hm' }, { tool: 'Look', json: odd }] },
    { when: { nth: 2 }, reply: 'done' },
  ]);
  const look = defineTool({
    name: 'Look',
    description: 'Looks.',
    schema: z.looseObject({}),
    readOnly: true,
    run: async () => 'seen',
  });
  const session = await stage.open({ tools: [look] });
  expect((await session.send('go')).reason).toBe('completed');
  expectAllAccepted(stage.sim);
  const wire = comparable(await stage.sim.received(2));
  expect(wire).toContain(`"input":${odd}`);
  const records = await readTranscript(session.transcript);
  const raw = await readFile(session.transcript, 'utf8');
  expect(raw).toContain(`"input":${odd}`);
  for (const { event } of records) {
    if (!('blocks' in event) || event.kind === 'assistant-replied') continue;
    for (const block of event.blocks) expect(wire).toContain(Buffer.from(block.bytes).toString('utf8'));
  }
  // Body order: model, parameters, tools, system, messages last.
  expect(wire.startsWith('{"model":')).toBe(true);
  expect(wire.indexOf('"tools":[')).toBeLessThan(wire.indexOf('"system":['));
  expect(wire.indexOf('"system":[')).toBeLessThan(wire.indexOf('"messages":['));
});

it('DU-7: the prefix is stored under the hash of its content before the first request, and once', async () => {
  let stored: string[] = [];
  const stage = await setStage([
    {
      reply: async () => {
        stored = await readdir(session.transcript.replace(/\.jsonl$/, '/prefixes'));
        return 'hello';
      },
    },
  ]);
  const session = await stage.open();
  await session.send('one');
  expect(stored).toHaveLength(1);
  await session.send('two');
  expect(stored).toHaveLength(1);
  const [name = ''] = stored;
  const bytes = await readFile(join(session.transcript.replace(/\.jsonl$/, ''), 'prefixes', name));
  expect(name).toBe(`${createHash('sha256').update(bytes).digest('hex')}.json`);
  const epochs = (await readTranscript(session.transcript)).filter(({ event }) => event.kind === 'epoch-started');
  expect(epochs.map(({ event }) => ('prefix' in event ? `${event.prefix}.json` : ''))).toEqual([name]);
  // Tools, system and parameters are in it byte for byte; how long the reply may be is not.
  const prefix = bytes.toString('utf8');
  const wire = comparable(await stage.sim.received(1));
  expect(wire).toContain(prefix.slice(prefix.indexOf('"tools":'), prefix.lastIndexOf(']}')));
  expect(prefix).toContain('"api_version":"2023-06-01"');
  expect(prefix).not.toContain('max_tokens');
  expect(prefix).not.toContain('"stream"');
});
