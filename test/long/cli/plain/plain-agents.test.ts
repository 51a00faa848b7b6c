/** Agents in a line-based session: compared, written to, taken over; going back; shell and note lines (TU-29). */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setPlainStage } from '../../../program/cli/plain/plain-stage.js';
import { gate, onceOpen } from '../../../support/gate.js';
import { makeRepository } from '../../../support/worktrees.js';

const NOTICE = { when: { user: '<task-notification>' }, reply: 'I was told.' };

describe('agents', () => {
  it('TU-31, WT-12: /compare has results, cost, time and files that several changed; /diff what one made', async () => {
    const write = (content: string) => [{ tool: 'Write', input: { file_path: 'made', content } }];
    const stage = await setPlainStage([
      NOTICE,
      { when: { result: { tool: 'Write' } }, reply: 'Made it.' },
      { when: { user: 'by a map' }, reply: write('map\n') },
      { when: { user: 'by a list' }, reply: write('list\n') },
      { reply: 'Hello.' },
    ]);
    await makeRepository(stage.folder, { f: 'one\n' });
    const screen = stage.screen(['--plain', '--permission-mode', 'acceptEdits']);
    await screen.until(/> $/m);
    screen.type('/compare\r');
    await screen.until('No agents to compare yet.');
    screen.type('/diff\r');
    await screen.until('No changes here.');
    screen.type('hello\r');
    await screen.until(/Hello\.\n/);
    screen.type('/fork --worktree do it by a map\r');
    await screen.until(/I was told\.\n/);
    screen.type('/fork --worktree do it by a list\r');
    await screen.until(/I was told\.[\s\S]*I was told\.\n/);
    screen.type('/compare\r');
    await screen.until('/apply AGENT applies them here.');
    const shown = screen.text();
    expect(shown).toMatch(
      /^fork \(\w{8}\): .*\n {2}completed · \d+s · 2 turns · [\d,]+ tokens in \(\d+% from cache\), \d+ out · \$0\.\d+\n {2}\| Made it\.\n {2}files:\n {5}made \| 1 \+/m,
    );
    expect(shown).toMatch(/Changed by several agents:\n {2}made: fork \(\w{8}\), fork \(\w{8}\)\n/);
    const [, id = ''] = /^fork \((\w{8})\)/m.exec(shown) ?? [];
    screen.type(`/diff ${id}\r`);
    await screen.until(/\+map\n\/apply agent-\w+ applies it here\./);
    screen.type('/compare nobody\r');
    await screen.until('Unknown agent nobody. /tasks all lists all agents.');
    expect(existsSync(join(stage.folder, 'made'))).toBe(false);
  });

  it('TU-11, TU-29: /tasks take has an agent wait for the user; write tells it more, give lets it end', async () => {
    const working = gate();
    const stage = await setPlainStage([
      NOTICE,
      { when: { user: 'also the other' }, reply: 'Scope: both.' },
      { when: { user: 'look at one' }, reply: onceOpen(working, 'Scope: one.') },
      { reply: 'Hello.' },
    ]);
    const screen = stage.screen(['--plain', 'hello']);
    await screen.until(/Hello\.\n> $/m);
    screen.type('/fork look at one\r');
    await screen.until(/Forked as \w+\./);
    const [, id = ''] = /Forked as (\w+)\./.exec(screen.text()) ?? [];
    await stage.sim.received(2);
    screen.type(`/tasks take ${id.slice(0, 6)}\r`);
    await screen.until(`You have taken over ${id}: it pauses for you after each turn.`);
    working.open();
    screen.type(`/tasks write ${id} also the other\r`);
    await screen.until(`Sent to ${id}:`);
    await stage.sim.received(3);
    screen.type(`/tasks give ${id}\r`);
    await screen.until(`Handed back ${id}: it continues on its own.`);
    await screen.until(/I was told\.\n/);
    screen.type(`/tasks give ${id}\r`);
    await screen.until(`Can't hand back ${id}:`);
    screen.type(`/tasks output ${id}\r`);
    await screen.until(new RegExp(`^${id} {2}completed`, 'm'));
  });

  it('TU-29: /btw answers next to the conversation, which is unchanged', async () => {
    const stage = await setPlainStage([{ when: { user: 'which file' }, reply: 'It is a.ts.' }, { reply: 'Hello.' }]);
    const plain = stage.pipe();
    for (const line of ['/btw', 'hello', '/btw which file is it?', 'go on']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('Add a question');
    expect(plain.stdout()).toMatch(/It is a\.ts\.\n\(\$0\.\d+; not part of the conversation\)/);
    const last = JSON.stringify(stage.sim.requests.at(-1)?.body.messages);
    expect(last).toContain('go on');
    expect(last).not.toContain('which file');
  });
});

describe('going back', () => {
  it('TU-24: /rewind lists prompts with age, files and agents since, shows what changes, and asks about running agents', async () => {
    const held = gate();
    const stage = await setPlainStage([
      NOTICE,
      { when: { user: 'work on' }, reply: onceOpen(held, 'Scope: done') },
      { when: { result: { tool: 'Write' } }, reply: 'Written.' },
      { when: { user: 'write' }, reply: [{ tool: 'Write', input: { file_path: 'a.txt', content: 'new\n' } }] },
      { reply: 'Hello.' },
    ]);
    const screen = stage.screen(['--plain', '--permission-mode', 'acceptEdits', 'hello']);
    await screen.until(/Hello\.\n/);
    screen.type('write\r');
    await screen.until(/Written\.\n/);
    screen.type('/fork work on\r');
    await screen.until(/Forked as \w+\./);
    const [, id = ''] = /Forked as (\w+)\./.exec(screen.text()) ?? [];
    screen.type('/rewind\r');
    await screen.until(
      / {2}1 {2}hello {2}\(just now, 1 file changed since, 1 agent since\)\n {2}2 {2}write {2}\(just now, 1 file changed since, 1 agent since\)\nRewind to before which prompt/,
    );
    screen.type('2\r');
    await screen.until('Restore: 1 conversation and files');
    screen.type('b\r');
    await screen.until(/-new\nThis changes 1 file \(\+0 −1\)\. Rewind\? \(y\/n\)/);
    screen.type('y\r');
    await screen.until(new RegExp(`1 agent is running: fork \\(${id}\\)\\. Stop and rewind\\? \\(y/n\\)`));
    screen.type('n\r');
    await screen.until(/Nothing was changed\.\n/);
    expect(existsSync(join(stage.folder, 'a.txt'))).toBe(true);
    screen.type('/rewind 2 both\r');
    await screen.until(/Stop and rewind\?[\s\S]*Stop and rewind\? \(y\/n\)/);
    screen.type('y\r');
    await screen.until('Rewound the conversation to before "write".');
    expect(existsSync(join(stage.folder, 'a.txt'))).toBe(false);
    held.open();
  });
});

describe('lines that are not for the model', () => {
  it('SF-16: ! runs a command, which the agent is notified of with the next prompt; # keeps a line where the user says', async () => {
    const stage = await setPlainStage([{ reply: 'Hello.' }]);
    const plain = stage.pipe();
    for (const line of ['!echo o$((1+1))k', 'hello', '# use tabs', '', '#use tabs', '2', '# Heading \\', 'and text'])
      plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('o2k\n');
    expect(plain.stdout()).toContain('Nothing saved.');
    expect(plain.stdout()).toMatch(/Saved to \S+\/CLAUDE\.local\.md\.\n/);
    expect(await readFile(join(stage.folder, 'CLAUDE.local.md'), 'utf8')).toContain('use tabs');
    expect(stage.sim.requests).toHaveLength(2);
    expect(JSON.stringify(stage.sim.requests[0]?.body.messages)).toContain('o2k');
    expect(JSON.stringify(stage.sim.requests[1]?.body.messages)).toContain('# Heading');
  });

  it('TU-22: /queue lists what was sent and not read, and takes it back', async () => {
    const turn = gate();
    const stage = await setPlainStage([
      { when: { user: 'slowly' }, reply: onceOpen(turn, 'The turn is over.') },
      { reply: 'Hello.' },
    ]);
    const screen = stage.screen(['--plain', 'slowly']);
    await stage.sim.received(1);
    screen.type('and the changelog\r');
    // It is recorded first, and listed then.
    for (let asked = 1; !screen.text().includes('takes one back.'); asked += 1) {
      screen.type('/queue\r');
      await screen.until(new RegExp(`(?:(?:The queue is empty|takes one back)\\.[\\s\\S]*){${asked}}`));
    }
    await screen.until(/ {2}1 {2}and the changelog {2}\(read at the next step\)/);
    screen.type('/queue take 1\r');
    await screen.until('Taken back: and the changelog');
    screen.type('/queue\r');
    await screen.until(/Taken back: and the changelog[\s\S]*The queue is empty\./);
    screen.type('/queue take 1\r');
    await screen.until('No such number');
    screen.type('/queue send\r');
    await screen.until('no message is held');
    turn.open();
    await screen.until(/The turn is over\.\n> $/m);
    expect(stage.sim.requests).toHaveLength(1);
  });
});
