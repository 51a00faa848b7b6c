/** What changes around a session is reported as a reminder, before the user's next prompt; what was sent stays as it is. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { FrozenBlock } from '../../../src/protocol/frozen-block.js';
import type { SimRequest } from '../../../src/sim/index.js';
import { gate } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, readingTool, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { comparable } from '../../support/wire-body.js';

/** Each request begins with the one before it: nothing was rendered again. */
function expectAppended({ sim }: Stage): void {
  expectAllAccepted(sim);
  sim.requests.slice(1).forEach((request, index) => {
    expect(comparable(request).startsWith(comparable(sim.requests[index] as SimRequest))).toBe(true);
  });
}

/** What stands in the last user message: reminders, then the prompt. */
function lastWords({ sim }: Stage): string {
  return JSON.stringify(sim.requests.at(-1)?.body.messages.at(-1));
}

const count = (text: string, words: string) => text.split(words).length - 1;

/** The real machine on a day that the test chooses. */
function calendar({ env, folder }: Stage, day: { now: string }): Host {
  const at = (place: string): Host => {
    const host = nodeHost(place, env);
    return { ...host, at, clock: { ...host.clock, now: () => Date.parse(day.now) } };
  };
  return at(folder);
}

describe('instructions', () => {
  it('FK-25: a changed CLAUDE.md is reported before the next prompt, once', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.write('CLAUDE.md', 'Use tabs.');
    const session = await stage.open();
    await session.send('one');
    await stage.write('CLAUDE.md', 'Use SPACES.');
    await session.send('two');
    expect(lastWords(stage)).toMatch(/<system-reminder>.*CLAUDE\.md.*Use SPACES\..*two/);
    await session.send('three');
    expect(lastWords(stage)).not.toContain('system-reminder');
    expectAppended(stage);
    expect(eventsOf(stage, 'epoch-started')).toHaveLength(1);
  });

  it('FK-25: back to what it was is a change as well; so is a file that goes or comes', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.write('CLAUDE.md', 'Use tabs.');
    const session = await stage.open();
    for (const text of ['Use tabs.', 'Use SPACES.', 'Use tabs.']) {
      await stage.write('CLAUDE.md', text);
      await session.send('on');
    }
    expect(lastWords(stage)).toContain('Use tabs.');
    await rm(join(stage.folder, 'CLAUDE.md'));
    await stage.write('AGENTS.md', 'Be brief.');
    await session.send('on');
    expect(lastWords(stage)).toMatch(/Be brief\..*no longer hold: .*CLAUDE\.md/);
    expectAppended(stage);
  });

  it('FK-25: what changed while the session was left is reported on resume, and only that', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.write('CLAUDE.md', 'Use tabs.');
    const session = await stage.open();
    await session.send('one');
    await session.close();
    const same = await stage.open({ resume: session.id });
    await same.send('two');
    expect(lastWords(stage)).not.toContain('Use tabs.');
    await same.close();
    await stage.write('CLAUDE.md', 'Use SPACES.');
    const again = await stage.open({ resume: session.id });
    await again.send('three');
    expect(lastWords(stage)).toContain('Use SPACES.');
    await again.close();
    await (await stage.open({ resume: session.id })).send('four');
    expect(lastWords(stage)).not.toContain('Use SPACES.');
    expectAppended(stage);
  });

  it('FK-25: a change that a rewind took out of the conversation is reported again', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.write('CLAUDE.md', 'Use tabs.');
    const session = await stage.open();
    await session.send('one');
    await stage.write('CLAUDE.md', 'Use SPACES.');
    await session.send('two');
    expect(await session.rewind({ to: 2, part: 'both' })).toMatchObject({ ok: true });
    await session.send('again');
    expect(count(JSON.stringify(stage.sim.requests.at(-1)?.body.messages), 'Use SPACES.')).toBe(1);
    expectAllAccepted(stage.sim);
  });

  it('FK-25: after a compaction, which keeps the opening, the change is reported again; after a clear the opening has it', async () => {
    const stage = await setStage([{ when: { user: '<compaction>' }, reply: '## Next\ngo on' }, { reply: 'ok' }]);
    await stage.write('CLAUDE.md', 'Use tabs.');
    const session = await stage.open();
    await session.send('one');
    await stage.write('CLAUDE.md', 'Use SPACES.');
    await session.send('two');
    const last = () => JSON.stringify(stage.sim.requests.at(-1)?.body.messages);
    for (const words of ['three', 'four']) {
      if (words === 'three') expect(await session.execute({ type: 'compact' })).toEqual({ ok: true });
      await session.send(words);
      expect([count(last(), 'Use tabs.'), count(last(), 'Use SPACES.')]).toEqual([1, 1]);
    }
    expect(await session.execute({ type: 'clear' })).toEqual({ ok: true });
    await session.send('five');
    expect([count(last(), 'Use tabs.'), count(last(), 'Use SPACES.')]).toEqual([0, 1]);
    expectAllAccepted(stage.sim);
  });

  it('FK-25: a changed CLAUDE.md of a folder below is reported with the next use of a file there', async () => {
    const read = () => [{ tool: 'Read', input: { file_path: `${stage.folder}/lib/x.txt` } }];
    const stage = await setStage([{ when: { user: 'read' }, reply: read }, { reply: 'ok' }]);
    await stage.write('lib/x.txt', 'content');
    await stage.write('lib/CLAUDE.md', 'In lib, speak softly.');
    const session = await stage.open();
    await session.send('read');
    await session.send('read');
    expect(count(JSON.stringify(stage.sim.requests.at(-1)?.body.messages), 'speak softly')).toBe(1);
    await stage.write('lib/CLAUDE.md', 'In lib, SHOUT.');
    await session.send('read');
    expect(count(JSON.stringify(stage.sim.requests.at(-1)?.body.messages), 'SHOUT')).toBe(1);
    expectAppended(stage);
  });

  it('FK-25: agents that start later begin with them; a file that can’t be used any more is reported to the user', async () => {
    const agent = { tool: 'Agent', input: { prompt: 'TASK', description: 'd', subagent_type: 'general-purpose' } };
    const stage = await setStage([
      { when: { said: 'TASK' }, reply: 'done' },
      { when: { user: 'delegate', not: { result: { tool: 'Agent' } } }, reply: [agent] },
      { reply: 'ok' },
    ]);
    await stage.write('CLAUDE.md', 'Use tabs.');
    const session = await stage.open();
    await session.send('one');
    await stage.write('CLAUDE.md', 'Use SPACES.');
    await session.send('delegate');
    const child = stage.sim.requests.find(
      ({ body }) =>
        !JSON.stringify(body.messages).includes('delegate') && JSON.stringify(body.messages).includes('TASK'),
    );
    expect(JSON.stringify(child?.body.messages)).toContain('Use SPACES.');
    expect(JSON.stringify(child?.body.messages)).not.toContain('Use tabs.');
    await stage.write('CLAUDE.md', Buffer.from([0, 1]));
    await session.send('on');
    const warned = eventsOf(stage, 'line-shown').filter(({ level }) => level === 'warning');
    expect(warned.map(({ line }) => line)).toEqual([expect.stringContaining('CLAUDE.md was not loaded')]);
    expect(lastWords(stage)).toContain('no longer hold');
  });
});

describe('the date and the branch', () => {
  it('FK-25: a new day is reported before the next prompt, in the session and on resume, once', async () => {
    const day = { now: '2031-05-15T12:00:00Z' };
    const stage = await setStage([{ reply: 'ok' }]);
    const host = calendar(stage, day);
    const session = await stage.open({ host });
    await session.send('one');
    expect(lastWords(stage)).toContain('2031-05-15');
    await session.send('two');
    expect(lastWords(stage)).not.toContain('system-reminder');
    day.now = '2031-05-16T00:00:01Z';
    await session.send('three');
    expect(lastWords(stage)).toContain('Today is 2031-05-16.');
    await session.close();
    day.now = '2031-05-17T00:00:01Z';
    const again = await stage.open({ host, resume: session.id });
    await again.send('four');
    expect(count(lastWords(stage), '2031-05-17')).toBe(1);
    await again.send('five');
    expect(lastWords(stage)).not.toContain('system-reminder');
    expectAppended(stage);
  });

  it('FK-25: another branch is reported', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.write('.git/HEAD', 'ref: refs/heads/main\n');
    const session = await stage.open();
    await session.send('one');
    expect(lastWords(stage)).toContain('on branch main');
    await stage.write('.git/HEAD', 'ref: refs/heads/other\n');
    await session.send('two');
    expect(lastWords(stage)).toContain('The repository is on branch other now.');
    expectAppended(stage);
  });
});

describe('within a run', () => {
  it('FK-25: nothing is applied, though the user speaks meanwhile: tools, kinds of agents, instructions', async () => {
    const [held, again] = [gate(), gate()];
    const gates = [held, again];
    const wait = readingTool('Wait', async ({ n = 0 }) => {
      await gates[n]?.opened;
      return 'waited';
    });
    const stage = await setStage([
      { when: { nth: 1 }, reply: [{ tool: 'Wait', input: { n: 0 } }] },
      { when: { nth: 2 }, reply: [{ tool: 'Wait', input: { n: 1 } }] },
      { reply: 'done' },
    ]);
    await stage.write('CLAUDE.md', 'Use tabs.');
    const session = await stage.open({ tools: [wait], trust: true });
    const work = session.send('one');
    await until(() => eventsOf(stage, 'call-started').length === 1);
    session.addTools([readingTool('Late', async () => 'late')]);
    await stage.write('CLAUDE.md', 'Use SPACES.');
    await stage.write('.claude/agents/late.md', '---\nname: late\ndescription: A late kind.\n---\nBe late.\n');
    const spoken = session.send('two');
    await until(() =>
      eventsOf(stage, 'input-admitted').some(({ origin, blocks }) => origin === 'person' && wordsOf(blocks) === 'two'),
    );
    held.open();
    await stage.sim.received(2);
    again.open();
    await Promise.all([work, spoken]);
    expectAppended(stage);
    for (const { body, raw } of stage.sim.requests) {
      expect(body.tools?.map(({ name }) => name)).not.toContain('Late');
      expect(raw.toString()).not.toMatch(/SPACES|A late kind/);
    }
    expect(eventsOf(stage, 'epoch-started')).toHaveLength(1);
    await session.send('three');
    expectAllAccepted(stage.sim);
    const last = stage.sim.requests.at(-1);
    expect(last?.body.tools?.map(({ name }) => name)).toContain('Late');
    expect(lastWords(stage)).toMatch(/SPACES.*A late kind.*three/);
    expect(eventsOf(stage, 'epoch-started').map(({ reason }) => reason)).toEqual(['session-start', 'tools-changed']);
  });
});

function wordsOf(blocks: readonly FrozenBlock[]): string {
  return blocks.map((block) => (JSON.parse(Buffer.from(block.bytes).toString()) as { text: string }).text).join('');
}
