/** SF-12: a session is recorded in one place and replayed in another. */

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { expectWhole, folderIn, record, replay, setMachine, startModel } from './replay-stage.js';

describe('SF-12: replay on another machine', () => {
  it('SF-12: reading, changing and running, in another folder and home, on another day and branch', async () => {
    const sim = await startModel([
      { when: { nth: 1 }, reply: ({ body }) => [{ tool: 'Read', input: { file_path: `${folderIn(body)}/a.txt` } }] },
      {
        when: { nth: 2 },
        reply: ({ body }) => [
          { thinking: `It is in ${folderIn(body)}.` },
          { tool: 'Edit', input: { file_path: `${folderIn(body)}/a.txt`, old_string: 'one', new_string: 'two "2"' } },
        ],
      },
      {
        when: { nth: 3 },
        reply: ({ body }) => [{ tool: 'Bash', input: { command: `cat ${folderIn(body)}/a.txt; pwd` } }],
      },
      { reply: ({ body }) => `Done in ${folderIn(body)}.` },
    ]);
    const here = await setMachine({ project: 'one', home: 'home-one' });
    await here.write('a.txt', 'one\n');
    await here.write('CLAUDE.md', 'Be brief.\n');
    await here.git('main');
    const end: string[] = [];
    const file = await record(here, sim, async (session) => end.push((await session.send('Change it.')).text));
    expect(end, sim.report()).toEqual([`Done in ${here.folder}.`]);

    const there = await setMachine({ project: 'deep/er/two', home: 'users/somebody', days: 40 });
    await there.write('a.txt', 'one\n');
    await there.write('CLAUDE.md', 'Be brief.\n');
    await there.git('0123456789abcdef0123456789abcdef01234567');
    const again: string[] = [];
    const status = await replay(there, file, async (session) => again.push((await session.send('Change it.')).text));
    expectWhole(status);
    expect(again).toEqual([`Done in ${there.folder}.`]);
    expect(await there.read('a.txt')).toBe('two "2"\n');
    const text = await readFile(file, 'utf8');
    for (const gone of [here.folder, here.home, 'a-key-of-this-test']) expect(text).not.toContain(gone);
  });
});
