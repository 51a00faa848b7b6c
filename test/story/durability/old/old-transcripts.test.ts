/** A session that version 1 of the transcripts wrote, killed in the middle: what it came to then, it comes to now. */

import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../../src/front/sdk/define-tool.js';
import type { Session } from '../../../../src/front/sdk/session.js';
import type { SimRequest } from '../../../../src/sim/index.js';
import { agentTranscripts } from '../../../support/session-files.js';
import { eventsOf, readTranscript, type Stage } from '../../../support/story.js';
import { resultsById, wireText } from '../../../support/wire-body.js';

import {
  AS_BEFORE,
  beginningOf,
  messagesIn,
  OLD_SESSION,
  type OldRequest,
  oldRequests,
  placeOldSession,
} from './old-session.js';
import { expectAsBefore, expectNothingLost, oldStage } from './old-transcripts-stage.js';

/** The last request of each, by its place among those of the old program. */
const LAST = { scout: 15, 'first part': 26, main: 30, runner: 31, 'second part': 33 };

/** Tokens of the main agent, by the old program's own sum. */
const SPENT = { in: 129_446, out: 336 };

const PROMPTS = [
  'Begin with notes.',
  'Make a list.',
  'Ask the scout.',
  'Change the notes.',
  'Ask the scout again.',
  'Who are you?',
  'Think of it.',
  'It gets long.',
  'Fork in the background.',
  'Start the server.',
  'Fork and wait.',
];

describe('a session of version 1', () => {
  it('DU-10, DU-14: comes back with its history byte for byte, its mode, model, prompts and agents', async () => {
    const stage = await oldStage();
    const old = await oldRequests();
    const session = await stage.open(AS_BEFORE);
    expect(session).toMatchObject({ id: OLD_SESSION, mode: 'acceptEdits', model: 'claude-sonnet-5-5' });
    expect((await session.prompts()).map(({ words }) => words)).toEqual(PROMPTS);
    expect(await session.send('What now?')).toMatchObject({ reason: 'completed', text: 'Well.' });
    expectNothingLost(stage);
    const [request] = stage.sim.requests;
    expectRepeats(request, old[LAST.main]);
    expect(eventsOf(stage, 'epoch-started')).toEqual([]);
    // The call that waited is closed, the notice that had arrived is read, the command's end is reported: each once.
    const sent = wireText(request);
    const ids = await agentIds(session);
    expect(resultsById(request).get('toolu_01waits')).toMatch(
      new RegExp(`${ids['second part']}.*was interrupted before it was done.*SendMessage`),
    );
    expect(sent.split('Ran to the end.')).toHaveLength(2);
    expect(sent.split('echo up; sleep 600: interrupted')).toHaveLength(2);
    expect(sent).toContain(`- ${ids['second part']} (fork): second part`);
    await expectAsBefore('asked-again', messagesIn(stage, request as SimRequest));
    // What was spent before counts still.
    const main = session.snapshot().find(({ id }) => id === 'main');
    const spent = { in: main?.tokensIn ?? 0, out: (main?.tokensOut ?? 0) - (request?.usage?.output_tokens ?? 0) };
    expect({ in: spent.in - inputOf(request), out: spent.out }).toEqual(SPENT);
    const states = session.tasks().map(({ id, status }) => [id, status] as const);
    expect(new Map(states)).toEqual(
      new Map([
        [ids['first part'], 'completed'],
        [ids.runner, 'completed'],
        // Written to after it had ended: nobody waited for that run.
        [ids.scout, 'completed'],
        [ids['second part'], 'interrupted'],
      ]),
    );
  });

  it('DU-14: the todo list comes back as it was', async () => {
    const stage = await oldStage();
    await stage.sim.use([{ when: { user: 'look' }, reply: [{ tool: 'Peek', input: {} }] }, { reply: 'Well.' }]);
    let found: unknown;
    const peek = defineTool({
      name: 'Peek',
      description: 'Looks at the list.',
      schema: z.object({}),
      readOnly: true,
      run: async (_, { todos }) => {
        found = todos.items;
        return 'seen';
      },
    });
    const session = await stage.open({ resume: OLD_SESSION, tools: [peek] });
    await session.send('look');
    expectNothingLost(stage);
    expect(found).toEqual([
      { content: 'write notes', status: 'completed', activeForm: 'writing notes' },
      { content: 'number 1e2, keys {"10":1,"9":2}, "é\u2028"', status: 'in_progress', activeForm: 'doing parts' },
    ]);
  });

  it('DU-15, DU-18: the fork that died continues automatically from its last bytes; its result stands where its call waits', async () => {
    const stage = await oldStage({ COPPICE_RESUME_AGENTS: 'auto' });
    const old = await oldRequests();
    const session = await stage.open(AS_BEFORE);
    await session.send('What now?');
    await session.settled();
    expectNothingLost(stage);
    const [fork, main] = stage.sim.requests;
    expectRepeats(fork, old[LAST['second part']]);
    expectRepeats(main, old[LAST.main]);
    expect(resultsById(main).get('toolu_01waits')).toContain('Part two is done.');
    expect(wireText(main).split('Ran to the end.')).toHaveLength(2);
    await expectAsBefore(
      'resumed-by-itself',
      stage.sim.requests.map((request) => messagesIn(stage, request)),
    );
    expect(await stage.read('part-two.txt')).toBe('half\n');
  });

  it('DU-16, DU-18: every agent continues from its own last bytes: the named ones, the forks', async () => {
    const old = await oldRequests();
    for (const name of ['scout', 'first part', 'runner', 'second part'] as const) {
      const stage = await oldStage();
      const session = await stage.open(AS_BEFORE);
      await session.send('What now?');
      const before = stage.sim.requests.length;
      const ids = await agentIds(session);
      expect(await session.resumeAgent(ids[name] ?? name, 'And now?'), name).toBeUndefined();
      await session.settled();
      expectNothingLost(stage);
      const [request] = stage.sim.requests.slice(before);
      expectRepeats(request, old[LAST[name]]);
      expect(wireText(request), name).toContain('And now?');
    }
  });

  it('LC-12: a name of then is a name now', async () => {
    const stage = await oldStage();
    const old = await oldRequests();
    const session = await stage.open(AS_BEFORE);
    await session.send('write to scout');
    await session.settled();
    expectNothingLost(stage);
    const isScout = (request: SimRequest) => wireText(request).includes('SCOUT TASK');
    const scout = stage.sim.requests.find(isScout) as SimRequest;
    expectRepeats(scout, old[LAST.scout]);
    // What is sent later depends on who is faster.
    const [main] = stage.sim.requests;
    await expectAsBefore(
      'written-to-the-scout',
      [main as SimRequest, scout].map((request) => messagesIn(stage, request)),
    );
  });

  it('DU-23, FK-25: goes back to before each of its prompts, without what a model thought that it is not on any more', async () => {
    const came: unknown[] = [];
    const stage = await oldStage();
    for (const [index, words] of PROMPTS.entries()) {
      await placeOldSession(stage);
      const session = await stage.open(AS_BEFORE);
      expect(await session.rewind({ to: index + 1, part: 'both' }), words).toMatchObject({ ok: true, left: [] });
      await session.send('Otherwise.');
      expect((await session.prompts()).map((prompt) => prompt.words)).toEqual([
        ...PROMPTS.slice(0, index),
        'Otherwise.',
      ]);
      const sent = stage.sim.requests.at(-1) as SimRequest;
      expect(wireText(sent), words).not.toContain(`"${words}"`);
      came.push({ before: words, sent: messagesIn(stage, sent), files: await projectFiles(stage) });
      await session.close();
    }
    expectNothingLost(stage);
    await expectAsBefore('rewound', came);
  });

  it('DU-9: continues as a branch, and stays as it is', async () => {
    const stage = await oldStage();
    const old = await oldRequests();
    const file = await placeOldSession(stage);
    const before = await readFile(file);
    const session = await stage.open({ ...AS_BEFORE, branch: true });
    expect(session.id).not.toBe(OLD_SESSION);
    expect(dirname(session.transcript)).toBe(dirname(file));
    await session.send('What now?');
    expectNothingLost(stage);
    expectRepeats(stage.sim.requests[0], old[LAST.main]);
    expect(await readFile(file)).toEqual(before);
  });
});

/** The request repeats all that the old program sent last, byte for byte. */
function expectRepeats(request: SimRequest | undefined, old: OldRequest | undefined): void {
  const { model, chars, sha256 } = old ?? { model: 'none', chars: 0, sha256: '' };
  expect(beginningOf(request, old)).toEqual({ model, chars, sha256 });
}

function inputOf(request: SimRequest | undefined): number {
  const { usage } = request ?? {};
  return (usage?.input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
}

/** By name, or by what they were described as. */
async function agentIds(session: Session): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const path of await agentTranscripts(session)) {
    const [first] = await readTranscript(path);
    if (first?.event.kind === 'agent-spawned') ids[first.event.name ?? first.event.description] = first.event.agent;
  }
  return ids;
}

/** Name → content of all that is in the project. */
async function projectFiles({ folder }: Stage): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}
