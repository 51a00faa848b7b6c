/** A plugin's folder and its manifest, well-formed and hostile (EX-6, EX-17). */

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hooksJson, MANIFEST, type PluginsStage, setPluginsStage, writeLarge } from './plugins-stage.js';

const DIR = { pluginDirs: ['../p'] };
const server = (command: string) => ({ command });

async function pathsOf(stage: PluginsStage) {
  const { read } = await stage.one(DIR);
  const short = (paths: readonly string[]) => paths.map((path) => relative(read.folder, path));
  return {
    agents: short(read.agents),
    skills: short(read.skills),
    commands: short(read.commands),
    outputStyles: short(read.outputStyles),
  };
}

const errorOf = async (stage: PluginsStage) => (await stage.find(DIR)).errors[0];

describe('EX-17: the manifest', () => {
  it('EX-6 EX-17: without one the folder names the plugin, and the default folders apply', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', {
      'agents/a.md': 'x',
      'skills/s/SKILL.md': 'x',
      'commands/c.md': 'x',
      'output-styles/o.md': 'x',
      'hooks/hooks.json': hooksJson('echo'),
      '.mcp.json': { mcpServers: { s: server('x') } },
      'bin/tool': '#!/bin/sh\n',
    });
    const { read, origin } = await stage.one(DIR);
    expect(read.name).toBe('p');
    expect(origin).toEqual({ scope: 'flag', file: '--plugin-dir' });
    expect(await pathsOf(stage)).toEqual({
      agents: ['agents'],
      skills: ['skills'],
      commands: ['commands'],
      outputStyles: ['output-styles'],
    });
    expect(read.hooks.map(({ hooks }) => Object.keys(hooks))).toEqual([['SessionStart']]);
    expect(read.servers.map(({ servers }) => servers)).toEqual([{ s: { command: 'x' } }]);
    expect(read.programs).toEqual(['tool']);
    expect(read.problems).toEqual([]);
  });

  it('EX-17: commands, agents and outputStyles replace the default folder; skills adds to it', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', {
      [MANIFEST]: {
        name: 'tidy',
        version: '1.2.0',
        commands: ['./more/one.md', './other/'],
        agents: './more/agent.md',
        outputStyles: './styles',
        skills: ['./more-skills', './single'],
      },
      'agents/a.md': 'x',
      'commands/c.md': 'x',
      'skills/s/SKILL.md': 'x',
      'output-styles/o.md': 'x',
      'more/one.md': 'x',
      'more/agent.md': 'x',
      'other/two.md': 'x',
      'styles/o.md': 'x',
      'more-skills/t/SKILL.md': 'x',
      'single/SKILL.md': 'x',
    });
    const { read } = await stage.one(DIR);
    expect([read.name, read.version]).toEqual(['tidy', '1.2.0']);
    expect(await pathsOf(stage)).toEqual({
      agents: ['more/agent.md'],
      skills: ['skills', 'more-skills', 'single/SKILL.md'],
      commands: ['more/one.md', 'other'],
      outputStyles: ['styles'],
    });
  });

  it('EX-17: hooks and servers of the manifest, by path or in place, merge with the default files', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', {
      [MANIFEST]: {
        name: 'p',
        hooks: ['./extra.json', { Stop: [{ hooks: [] }] }],
        mcpServers: { inline: server('b') },
      },
      'hooks/hooks.json': hooksJson('one'),
      'extra.json': hooksJson('two', 'SessionEnd'),
      '.mcp.json': { flat: server('a') },
    });
    const { read } = await stage.one(DIR);
    expect(read.hooks.map(({ hooks }) => Object.keys(hooks)[0])).toEqual(['SessionStart', 'SessionEnd', 'Stop']);
    expect(read.servers.map(({ servers }) => Object.keys(servers)[0])).toEqual(['flat', 'inline']);
  });

  it('EX-17: a lone SKILL.md at the top is a skill', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', { 'SKILL.md': 'x' });
    expect((await pathsOf(stage)).skills).toEqual(['SKILL.md']);
    stage.plugin('p', { 'skills/s/SKILL.md': 'x' });
    expect((await pathsOf(stage)).skills).toEqual(['skills']);
  });

  it('EX-17: unknown keys are one warning, known ones without effect another; the plugin is loaded', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', {
      [MANIFEST]: { name: 'p', lspServers: {}, themes: './t', author: { name: 'x' }, wat: 1, huh: 2 },
    });
    const { plugins, warnings } = await stage.find(DIR);
    expect(plugins).toHaveLength(1);
    const file = join(stage.folder, 'p', MANIFEST);
    expect(warnings).toEqual([
      `${file}: warning: has no effect here: lspServers, themes`,
      `${file}: warning: unknown keys ignored: wat, huh`,
    ]);
  });

  it.each([
    ['no name', {}, '"name" is invalid'],
    ['a name that is no text', { name: 7 }, '"name" is invalid'],
    ['a name with a path in it', { name: '../x' }, '"name" is invalid'],
    ['a name for a shell', { name: 'x; touch evil' }, '"name" is invalid'],
    ['the name of a prototype', { name: '__proto__' }, '"name" is invalid'],
    ['a version that is no text', { name: 'p', version: 1 }, '"version" is invalid: expected a text'],
    [
      'commands that are a number',
      { name: 'p', commands: 7 },
      '"commands" is invalid: expected a path or a list of paths',
    ],
    ['agents with an object', { name: 'p', agents: [{}] }, '"agents" is invalid'],
    ['hooks that are a number', { name: 'p', hooks: 1 }, '"hooks" is invalid'],
    ['keywords that are a text', { name: 'p', keywords: 'a' }, '"keywords" is invalid'],
    ['a list', [], 'expected a JSON object'],
  ])('EX-17: %s: not loaded, and the error says what is wrong where', async (_, manifest, reason) => {
    const stage = setPluginsStage();
    stage.plugin('p', { [MANIFEST]: JSON.stringify(manifest) });
    const { plugins, errors } = await stage.find(DIR);
    expect(plugins).toEqual([]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('--plugin-dir ../p: ');
    expect(errors[0]).toContain(MANIFEST);
    expect(errors[0]).toContain(reason);
  });

  it('EX-17: a manifest that is not JSON, a pipe, or far too large ends it, without waiting', async () => {
    for (const make of [
      (file: string) => execFileSync('sh', ['-c', 'echo "{" > "$0"', file]),
      (file: string) => execFileSync('mkfifo', [file]),
      writeLarge,
    ]) {
      const stage = setPluginsStage();
      stage.plugin('p', { 'agents/a.md': 'x' });
      mkdirSync(join(stage.folder, 'p/.claude-plugin'));
      make(join(stage.folder, 'p', MANIFEST));
      expect(await errorOf(stage)).toMatch(
        /plugin\.json: (?:it is not valid JSON|it is not a regular file|it is too large)/,
      );
    }
  });
});

describe('EX-17: paths stay inside', () => {
  it.each([
    ['without ./', 'agents', 'begin it with ./'],
    ['absolute', '/etc', 'begin it with ./'],
    ['upward', './../outside', 'it points outside the plugin'],
    ['upward in the middle', './agents/../../outside', 'it points outside the plugin'],
    ['not there', './none', 'there is no such file or folder'],
    ['a link out', './out', 'it points outside the plugin'],
    ['through a link out', './out/deep', 'it points outside the plugin'],
    ['a file that is no Markdown', './agents/run.sh', 'must be a folder or a file that ends in .md'],
  ])('EX-17: a path %s is refused', async (_, path, reason) => {
    for (const key of ['agents', 'commands', 'skills', 'outputStyles']) {
      const stage = setPluginsStage();
      stage.plugin('p', { [MANIFEST]: { name: 'p', [key]: [path] }, 'agents/run.sh': 'x' });
      stage.plugin('outside', { 'deep/a.md': 'x' });
      symlinkSync('../outside', join(stage.folder, 'p/out'));
      expect(await errorOf(stage)).toContain(reason);
    }
  });

  it('EX-17: hooks and servers through a link out are refused, in the manifest and at the default place', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', { [MANIFEST]: { name: 'p', hooks: './h.json' }, 'agents/a.md': 'x' });
    stage.plugin('outside', { 'h.json': hooksJson('evil') });
    symlinkSync('../outside/h.json', join(stage.folder, 'p/h.json'));
    expect(await errorOf(stage)).toContain('it points outside the plugin');
    const other = setPluginsStage();
    other.plugin('p', { 'agents/a.md': 'x' });
    other.plugin('outside', { 'hooks.json': hooksJson('evil'), 'a/b.md': 'x' });
    symlinkSync('../outside', join(other.folder, 'p/hooks'));
    symlinkSync('../outside/hooks.json', join(other.folder, 'p/.mcp.json'));
    symlinkSync('../outside/a', join(other.folder, 'p/skills'));
    const { plugins, warnings } = await other.find(DIR);
    expect(plugins[0]?.read).toMatchObject({ hooks: [], servers: [], skills: [] });
    expect(
      warnings.filter((line) => /a link to a file outside its folder|points outside the plugin/.test(line)),
    ).toHaveLength(3);
  });

  it('EX-17: links inside the plugin are followed', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', { [MANIFEST]: { name: 'p', agents: './linked' }, 'real/a.md': 'x' });
    symlinkSync('real', join(stage.folder, 'p/linked'));
    expect((await pathsOf(stage)).agents).toEqual(['real']);
  });

  it('EX-17: a folder whose name can be no name needs a manifest', async () => {
    const stage = setPluginsStage();
    stage.plugin('a b$(touch evil)', { 'agents/a.md': 'x' });
    const asked = { pluginDirs: ['../a b$(touch evil)'] };
    expect((await stage.find(asked)).errors[0]).toContain("can't be its name: give it one in");
    stage.plugin('a b$(touch evil)', { [MANIFEST]: { name: 'fine' } });
    expect((await stage.one(asked)).read.name).toBe('fine');
  });
});
