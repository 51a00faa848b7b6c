/** What changes around a session is told as a reminder, before the person's next words; what was sent stays as it is. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { SimRequest } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
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
  it('FK-25: a changed CLAUDE.md is told before the next words, once', async () => {
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

  it('FK-25: what changed while the session was left is told on resume, and only that', async () => {
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

  it('FK-25: a change that a rewind took out of the conversation is told again', async () => {
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

  it('FK-25: a changed CLAUDE.md of a folder below is told with the next use of a file there', async () => {
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

  it('FK-25: agents that start later begin with them; a file that can’t be used any more is told to the person', async () => {
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
  it('FK-25: a new day is told before the next words, in the session and on resume, once', async () => {
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

  it('FK-25: another branch is told', async () => {
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
