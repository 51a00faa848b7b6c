/** Questions of a line-based session that are about agents: whether they may edit, and who it is that asks. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { agentCall } from '../../../support/agent-call.js';
import { count, setPlainStage } from './plain-stage.js';

/** Each prompt starts an agent that writes its own file. */
const WRITERS: Rule[] = [
  ...['one', 'two'].flatMap((name): Rule[] => [
    { when: { user: `WRITE ${name}`, result: { tool: 'Write' } }, reply: 'written' },
    {
      when: { user: `WRITE ${name}` },
      reply: [{ tool: 'Write', input: { file_path: `${name}.txt`, content: name } }],
    },
    { when: { user: `go ${name}` }, reply: [agentCall(`WRITE ${name}`, { description: `write ${name}` })] },
  ]),
  { when: { result: { tool: 'Agent' } }, reply: 'The agent is done.' },
];

const QUESTION = /Let agents edit files in \S+ without asking\?\n {2}y {2}yes, in this session\n/;

async function start() {
  const stage = await setPlainStage(WRITERS);
  const open = () => stage.pipe(['--plain', '--fork', 'off']);
  return { stage, open, own: join(stage.home, '.claude', 'settings.json') };
}

describe('whether agents may change files', () => {
  it('GT-9: yes holds for this session, for every agent, and is asked again in the next', async () => {
    const { stage, open, own } = await start();
    const plain = open();
    for (const line of ['go one', 'r', 'y', 'go two']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toMatch(QUESTION);
    expect(plain.stdout()).not.toContain('asks to use Agent');
    expect(plain.stdout()).toContain('That is not one of the choices.');
    expect(count(plain.stdout(), 'Let agents edit')).toBe(1);
    expect(count(plain.stdout(), 'asks to use Write')).toBe(0);
    expect(count(plain.stdout(), 'The agent is done.')).toBe(2);
    expect(await stage.read('two.txt')).toBe('two');
    await expect(readFile(own, 'utf8')).rejects.toThrow('ENOENT');
    const next = open();
    for (const line of ['go one', 'n', 'n']) next.say(line);
    await next.end();
    expect(next.stdout()).toMatch(QUESTION);
  });

  it('GT-9: always is saved in the user’s own settings, next to what is there', async () => {
    const { stage, open, own } = await start();
    await stage.settings({ model: 'sonnet', subagents: { resultLimit: 5000 } });
    const plain = open();
    for (const line of ['go one', 'a']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain(`  a  always, in every folder (saved in ${own})`);
    expect(JSON.parse(await readFile(own, 'utf8'))).toEqual({
      model: 'sonnet',
      subagents: { resultLimit: 5000, allowEdits: true },
    });
    const next = open();
    next.say('go two');
    expect(await next.end()).toBe(0);
    expect(next.stdout()).not.toContain('Let agents edit');
    expect(await stage.read('two.txt')).toBe('two');
  });

  it('GT-9: no asks for each change, with who asks and what for', async () => {
    const { stage, open } = await start();
    const plain = open();
    for (const line of ['go one', 'n', 'y', 'go two', 'n']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(count(plain.stdout(), 'Let agents edit')).toBe(1);
    expect(plain.stdout()).toMatch(/The agent general-purpose \(\w+\) asks to use Write\n {2}for: write one\n/);
    expect(count(plain.stdout(), 'asks to use Write')).toBe(2);
    expect(await stage.read('one.txt')).toBe('one');
    await expect(stage.read('two.txt')).rejects.toThrow('ENOENT');
  });
});

it('GT-11: the question of a fork carries its name; the folder is shown once', async () => {
  const stage = await setPlainStage([
    { when: { user: 'TRY' }, reply: [{ tool: 'Write', input: { file_path: 'made.txt', content: 'x' } }] },
    { when: { result: { tool: 'Agent' } }, reply: 'The fork is back.' },
    { when: { user: 'fork it' }, reply: [agentCall('TRY', { fork: true, name: 'wren', description: 'try it' })] },
    { reply: 'Hello.' },
  ]);
  const plain = stage.pipe(['--plain']);
  for (const line of ['hello', 'fork it', 'n']) plain.say(line);
  await plain.end();
  expect(plain.stdout()).toMatch(/The agent wren \(fork, \w+\) asks to use Write\n {2}for: try it\n/);
  const [, asked = ''] = /asks to use Write\n([\s\S]*?)Allow it\?/.exec(plain.stdout()) ?? [];
  expect(count(asked, stage.folder)).toBe(1);
});
