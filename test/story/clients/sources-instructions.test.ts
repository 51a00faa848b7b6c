/** `settingSources`: what belongs to a source that is left out is not read. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SettingSource } from '../../../src/config/settings/setting-sources.js';
import { findTrustedEffects } from '../../../src/front/cli/interactive/trusted-effects.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';

/** A file of each kind; the word in it says whose it is and what it is. */
const OF_PROJECT: Readonly<Record<string, string>> = {
  'CLAUDE.md': 'project-main. @more.md',
  'more.md': 'project-import',
  '.claude/CLAUDE.md': 'project-inner',
  '.claude/rules/all.md': 'project-rule',
  '.claude/agents/scout.md': '---\nname: scout\ndescription: project-agent\n---\nScout.',
  '.claude/skills/brew/SKILL.md': '---\nname: brew\ndescription: project-skill\n---\nBrew.',
  '.claude/commands/pour.md': '---\ndescription: project-command\n---\nPour.',
  'lib/CLAUDE.md': 'project-nested',
  'lib/x.txt': 'x',
};
const OF_USER: Readonly<Record<string, string>> = {
  'CLAUDE.md': 'user-main',
  'rules/all.md': 'user-rule',
  'agents/guide.md': '---\nname: guide\ndescription: user-agent\n---\nGuide.',
  'skills/sweep/SKILL.md': '---\nname: sweep\ndescription: user-skill\n---\nSweep.',
};
const WORDS = /(project|user|local)-(main|import|inner|rule|agent|skill|command|nested)/g;

async function fill(stage: Stage): Promise<void> {
  for (const [name, text] of Object.entries(OF_PROJECT)) await stage.write(name, text);
  await stage.write('CLAUDE.local.md', 'local-main');
  await stage.write('lib/CLAUDE.local.md', 'local-nested');
  for (const [name, text] of Object.entries(OF_USER)) {
    const path = join(stage.home, '.claude', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

async function readWith(sources: readonly SettingSource[] | undefined): Promise<readonly string[]> {
  const stage = await setStage([
    { when: { nth: 1 }, reply: () => [{ tool: 'Read', input: { file_path: join(stage.folder, 'lib/x.txt') } }] },
    { reply: 'done' },
  ]);
  await fill(stage);
  const session = await stage.open({ trust: true, ...(sources === undefined ? {} : { settingSources: sources }) });
  await session.send('read it');
  expectAllAccepted(stage.sim);
  const sent = stage.sim.requests.at(-1)?.raw.toString('utf8') ?? '';
  return [...new Set(sent.match(WORDS))].sort();
}

const PROJECT = ['agent', 'command', 'import', 'inner', 'main', 'nested', 'rule', 'skill'].map(
  (one) => `project-${one}`,
);
const USER = ['agent', 'main', 'rule', 'skill'].map((one) => `user-${one}`);
const LOCAL = ['local-main', 'local-nested'];

describe('settingSources', () => {
  it.each<readonly [readonly SettingSource[] | undefined, readonly string[]]>([
    [undefined, [...LOCAL, ...PROJECT, ...USER]],
    [[], []],
    [['user'], USER],
    [['project'], PROJECT],
    [['local'], LOCAL],
    [
      ['user', 'project', 'local'],
      [...LOCAL, ...PROJECT, ...USER],
    ],
  ])('CL-2: %j: instructions, imports, rules, agents, skills and commands of these only', async (sources, expected) => {
    expect(await readWith(sources)).toEqual(expected);
  });

  it('CL-2: what the project imports from the user’s folder belongs to the user', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await fill(stage);
    await stage.write('CLAUDE.md', 'project-main. @~/.claude/CLAUDE.md');
    const session = await stage.open({ trust: true, settingSources: ['project'] });
    await session.send('hello');
    const sent = stage.sim.requests[0]?.raw.toString('utf8');
    expect(sent).toContain('project-main');
    expect(sent).not.toContain('user-main');
  });

  it('CL-2: a file that changes later stays unread, and a resumed session is informed that it no longer holds', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await fill(stage);
    const first = await stage.open({ trust: true });
    await first.send('one');
    await first.close();
    const session = await stage.open({ trust: true, settingSources: [], resume: first.id });
    await stage.write('CLAUDE.md', 'changed-main');
    await session.send('two');
    await session.send('three');
    expectAllAccepted(stage.sim);
    const last = JSON.stringify(stage.sim.requests.at(-1)?.body.messages.slice(2));
    expect(last).not.toContain('changed-main');
    expect(last).toContain('CLAUDE.md');
  });

  it('CL-2: the question of trust speaks only of what would be read', async () => {
    const stage = await setStage([]);
    await fill(stage);
    await stage.write('.claude/settings.json', JSON.stringify({ permissions: { allow: ['Bash(make:*)'] } }));
    const question = { host: nodeHost(stage.folder, stage.env), folder: stage.folder, projectRoot: stage.folder };
    const all = await findTrustedEffects(question);
    expect(all.map(({ file }) => file)).toEqual(
      expect.arrayContaining(['.claude/settings.json', '.claude/agents', '.claude/skills', '.claude/commands']),
    );
    expect(await findTrustedEffects({ ...question, sources: ['user', 'local'] })).toEqual([]);
  });
});
