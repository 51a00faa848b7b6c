/** What a user's prompt stands for, in detail: skills, files, and what is neither (EX-3). */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SimRequest } from '../../../src/sim/index.js';
import { type Stage, setStage } from '../../support/story.js';

const said = (request: SimRequest | undefined) =>
  JSON.stringify((JSON.parse(request?.raw.toString('utf8') ?? '{}') as { messages: unknown }).messages);
const last = (stage: Stage) => said(stage.sim.requests.at(-1));
const DONE = [{ reply: 'done' }];
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('EX-3: what follows a slash', () => {
  it('EX-3: white space around words is ignored; what follows in other blocks goes along', async () => {
    const stage = await setStage(DONE);
    await stage.write('.claude/commands/say.md', 'SAY[$ARGUMENTS]');
    const session = await stage.open({ trust: true });
    await session.send('  /say   a b  ');
    expect(last(stage)).toContain('SAY[a b]');
    expect(last(stage)).toContain('"text":"/say   a b"');
    await session.send('/say first @note.md');
    expect(last(stage)).toContain('SAY[first @note.md]');
  });

  it('EX-3: a command of the terminal is not one of a prompt; control characters of a name show', async () => {
    const stage = await setStage(DONE);
    const session = await stage.open({ trust: true });
    const ours = await session.send('/compact now');
    expect(ours).toMatchObject({ reason: 'prompt_refused' });
    expect(ours.line).toContain('/compact is available only in the terminal.');
    const near = await session.send('/compct now');
    expect(near.line).toContain('Unknown command /compct. Did you mean /compact?');
    expect((await session.send('/quite-another now')).line).not.toContain('In the terminal');
    expect(stage.sim.requests).toHaveLength(0);
  });

  it.each(['/etc is full', '/nope,not a command', '/a(b) is math', '/nope/deeper is a path', '//comment', '/ alone'])(
    'EX-3: %s is a prompt',
    async (words) => {
      const stage = await setStage(DONE);
      const session = await stage.open({ trust: true });
      expect(await session.send(words)).toMatchObject({ reason: 'completed' });
      expect(last(stage)).toContain(JSON.stringify(words));
    },
  );
});

describe('EX-3: @path', () => {
  it('EX-3: lines of a file, a folder, the home, each file once, after the words', async () => {
    const stage = await setStage(DONE);
    await stage.write('a.txt', 'one\ntwo\nthree\nfour\n');
    await stage.write('docs/inner.md', 'INNER');
    await writeFile(join(stage.home, 'mine.txt'), 'HOME-CONTENT');
    const session = await stage.open({ trust: true, allowedTools: ['Read'] });
    await session.send('see @a.txt#L2-3');
    expect(last(stage)).toContain('two');
    expect(last(stage)).toContain('three');
    expect(last(stage)).not.toMatch(/\\tone|\\tfour|one\\n|four\\n/);
    await session.send('see @a.txt#L3-1 only');
    expect(last(stage)).not.toContain('could not be attached');
    await session.send('in @docs');
    expect(last(stage)).toContain('@docs is attached');
    expect(last(stage)).toContain('inner.md');
    await session.send('and @~/mine.txt, @~/mine.txt. and @~/mine.txt');
    expect(last(stage).split('HOME-CONTENT')).toHaveLength(2);
    expect(last(stage).indexOf('HOME-CONTENT')).toBeGreaterThan(last(stage).indexOf('and @~/mine.txt'));
  });

  it('EX-3: a picture is attached as one', async () => {
    const stage = await setStage(DONE);
    await stage.write('dot.png', PIXEL);
    const session = await stage.open({ trust: true });
    await session.send('look: @dot.png');
    expect(last(stage)).toContain('"type":"image"');
  });

  it('EX-3: twenty files, and how many more were named', async () => {
    const stage = await setStage(DONE);
    const names = Array.from({ length: 22 }, (_, n) => `f${n + 10}.txt`);
    for (const name of names) await stage.write(name, `CONTENT-${name}`);
    const session = await stage.open({ trust: true });
    await session.send(names.map((name) => `@${name}`).join(' '));
    expect(last(stage).split('CONTENT-f')).toHaveLength(21);
    expect(last(stage)).toContain('2 more files that were named are not attached.');
    const next = await stage.open({ trust: true });
    await next.send(
      names
        .slice(0, 21)
        .map((name) => `@${name}`)
        .join(' '),
    );
    expect(last(stage)).toContain('1 more files that were named are not attached.');
  });

  it('EX-3: the user’s own words are attached also for an agent without Read; a skill’s are not', async () => {
    const stage = await setStage(DONE);
    await stage.write('a.txt', 'A-CONTENT');
    await stage.write('b.txt', 'B-CONTENT');
    await stage.write('.claude/commands/see.md', 'See @b.txt');
    await stage.write('.claude/agents/talker.md', '---\nname: talker\ndescription: d\ntools: Skill\n---\nTalk.\n');
    const session = await stage.open({ trust: true, agent: 'talker' });
    await session.send('see @a.txt');
    expect(last(stage)).toContain('A-CONTENT');
    await session.send('/see');
    expect(last(stage)).toContain('See @b.txt');
    expect(last(stage)).not.toContain('B-CONTENT');
  });

  it('EX-1 EX-3: the folder of an attached file may have its own instructions', async () => {
    const stage = await setStage(DONE);
    await stage.write('web/page.txt', 'PAGE');
    await stage.write('web/CLAUDE.md', 'WEB-INSTRUCTIONS');
    const session = await stage.open({ trust: true });
    await session.send('see @web/page.txt');
    expect(last(stage)).toContain('WEB-INSTRUCTIONS');
  });
});
