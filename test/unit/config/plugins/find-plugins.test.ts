/** Where plugins are found, and who may name them (EX-18, EX-19). */

import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MANIFEST, type PluginsStage, setPluginsStage } from './plugins-stage.js';

const named = (name: string) => ({ [MANIFEST]: { name } });
const directory = (path: string) => ({ source: { source: 'directory', path } });
const user = (stage: PluginsStage, settings: object | string) => stage.write('home/.claude/settings.json', settings);
const project = (stage: PluginsStage, settings: object) => stage.write('project/.claude/settings.json', settings);
const local = (stage: PluginsStage, settings: object) => stage.write('project/.claude/settings.local.json', settings);

describe('EX-18: by path', () => {
  it('EX-18: --plugin-dir may be repeated and wins by name; what loses is reported', async () => {
    const stage = setPluginsStage();
    stage.plugin('one', named('x'));
    stage.plugin('two', named('x'));
    stage.plugin('three', named('y'));
    user(stage, { plugins: ['../../two'] });
    const { plugins, warnings } = await stage.find({ pluginDirs: ['../one', join(stage.folder, 'three')] });
    expect(plugins.map(({ read, origin }) => [read.name, read.folder, origin.scope])).toEqual([
      ['x', join(stage.folder, 'one'), 'flag'],
      ['y', join(stage.folder, 'three'), 'flag'],
    ]);
    expect(warnings).toEqual([
      `plugin x at ${join(stage.folder, 'two')} (${join(stage.home, '.claude/settings.json')}) is not loaded: ${join(stage.folder, 'one')} has the same name`,
    ]);
  });

  it('EX-18: settings name folders from the file that says so, from the home, or whole; a link is resolved', async () => {
    const stage = setPluginsStage();
    stage.plugin('home/.claude/a', named('a'));
    stage.plugin('home/b', named('b'));
    stage.plugin('c', named('c'));
    stage.plugin('project/tools/d', named('d'));
    stage.plugin('project/.claude/e', named('e'));
    symlinkSync(join(stage.folder, 'c'), join(stage.folder, 'link'));
    user(stage, { plugins: ['./a', '~/b', join(stage.folder, 'link')] });
    project(stage, { plugins: ['./tools/d', './e'] });
    const { plugins } = await stage.find();
    expect(plugins.map(({ read, origin }) => [read.name, origin.scope])).toEqual([
      ['a', 'user'],
      ['b', 'user'],
      ['c', 'user'],
      ['d', 'project'],
      ['e', 'project'],
    ]);
    expect(plugins[2]?.read.folder).toBe(join(stage.folder, 'c'));
  });

  it('EX-18: a flag that names no folder is an error; a setting that does, or names a broken one, is a warning', async () => {
    const stage = setPluginsStage();
    stage.write('file', 'x');
    expect((await stage.find({ pluginDirs: ['../none'] })).errors).toEqual([
      '--plugin-dir ../none: there is no such folder',
    ]);
    expect((await stage.find({ pluginDirs: ['../file'] })).errors).toHaveLength(1);
    stage.plugin('broken', { [MANIFEST]: { name: 7 } });
    stage.plugin('fine', named('fine'));
    user(stage, { plugins: ['/none', '../../broken', '../../fine'] });
    const { plugins, warnings, errors } = await stage.find();
    expect(plugins.map(({ read }) => read.name)).toEqual(['fine']);
    expect(errors).toEqual([]);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('plugin /none');
    expect(warnings[1]).toContain('"name" is invalid');
  });
});

describe('EX-18: by name', () => {
  it('EX-18: in a marketplace on this disk: a folder, or its file', async () => {
    const stage = setPluginsStage();
    const plugins = [
      { name: 'fmt', source: './plugins/fmt' },
      { name: 'far', source: { source: 'github', repo: 'x/y' } },
    ];
    stage.write('market/.claude-plugin/marketplace.json', { name: 'team', plugins });
    stage.plugin('market/plugins/fmt', named('fmt'));
    for (const source of [
      { source: 'directory', path: '../../market' },
      { source: 'local', path: join(stage.folder, 'market') },
      { source: 'file', path: '../../market/.claude-plugin/marketplace.json' },
    ]) {
      user(stage, { enabledPlugins: { 'fmt@team': true }, extraKnownMarketplaces: { team: { source } } });
      expect((await stage.one()).read.folder).toBe(join(stage.folder, 'market/plugins/fmt'));
    }
    user(stage, { enabledPlugins: { 'far@team': true }, extraKnownMarketplaces: { team: directory('../../market') } });
    const { plugins: none, warnings } = await stage.find();
    expect(none).toEqual([]);
    expect(warnings[0]).toContain('far is not on this disk');
  });

  it('EX-18: a source that leads out of the marketplace is refused', async () => {
    const stage = setPluginsStage();
    stage.plugin('outside', named('fmt'));
    mkdirSync(join(stage.folder, 'market'));
    symlinkSync('../outside', join(stage.folder, 'market/link'));
    for (const source of ['../outside', './link']) {
      stage.write('market/.claude-plugin/marketplace.json', { plugins: [{ name: 'fmt', source }] });
      user(stage, {
        enabledPlugins: { 'fmt@team': true },
        extraKnownMarketplaces: { team: directory('../../market') },
      });
      const { plugins, warnings } = await stage.find();
      expect(plugins).toEqual([]);
      expect(warnings[0]).toContain('leads out of the marketplace');
    }
  });

  it('EX-18: in the cache of another tool, the newest version', async () => {
    const stage = setPluginsStage();
    const cache = 'home/.claude/plugins/cache/team/fmt';
    for (const version of ['1.9.0', '1.10.0', '1.10.0-beta', 'abcdef'])
      stage.plugin(`${cache}/${version}`, named('fmt'));
    user(stage, { enabledPlugins: { 'fmt@team': true, 'fmt@other': false } });
    expect((await stage.one()).read.folder).toBe(join(stage.folder, cache, '1.10.0'));
    stage.plugin('home/.claude/plugins/cache/team/odd/aaa', { 'agents/a.md': 'x' });
    stage.plugin('home/.claude/plugins/cache/team/odd/bbb', { 'agents/a.md': 'x' });
    utimesSync(join(stage.home, '.claude/plugins/cache/team/odd/aaa'), 1, 1);
    user(stage, { enabledPlugins: { 'odd@team': true } });
    const { read } = await stage.one();
    // Without a manifest it is called as it was asked for, not as its version.
    expect([read.name, read.folder]).toEqual(['odd', join(stage.home, '.claude/plugins/cache/team/odd/bbb')]);
  });

  it('EX-18: those that are nowhere are one line in all, which says what to do', async () => {
    const stage = setPluginsStage();
    user(stage, {
      enabledPlugins: { 'a@m': true, 'b@m': true, 'c@m': false },
      extraKnownMarketplaces: { m: { source: { source: 'github', repo: 'x/y' } } },
    });
    const { plugins, warnings } = await stage.find();
    expect(plugins).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(
      '2 enabled plugins are not on this disk, and coppice does not download plugins: a@m (',
    );
    expect(warnings[0]).toContain('add its folder to the setting "plugins"');
  });

  it.each(['../../evil@m', 'x@../..', '@m', 'x@', 'x', '__proto__@m', 'x@__proto__'])(
    'EX-18: %s is no name, and leads nowhere',
    async (key) => {
      const stage = setPluginsStage();
      stage.plugin('home/.claude/evil', named('evil'));
      user(stage, `{"enabledPlugins": {${JSON.stringify(key)}: true}}`);
      const { plugins, warnings } = await stage.find();
      expect(plugins).toEqual([]);
      expect(warnings[0]).toContain('is not "name@marketplace"');
    },
  );
});

describe('EX-19: a project proposes', () => {
  it('EX-19: in a folder that is not trusted nothing of it is checked, not even to say that it is not there', async () => {
    const stage = setPluginsStage();
    stage.plugin('project/p', named('p'));
    project(stage, { plugins: ['./p'], enabledPlugins: { 'x@m': true } });
    local(stage, { plugins: ['./none'] });
    expect(await stage.find({ trusted: false })).toEqual({ plugins: [], warnings: [], errors: [] });
    const { plugins } = await stage.find();
    expect(plugins.map(({ read, isProposed }) => [read.name, isProposed])).toEqual([['p', true]]);
  });

  it("EX-19: a plugin of the user's keeps its name, its place and its marketplace", async () => {
    const stage = setPluginsStage();
    stage.plugin('own', named('x'));
    stage.plugin('project/p', named('x'));
    stage.write('market/.claude-plugin/marketplace.json', { plugins: [{ name: 'fmt', source: './fmt' }] });
    stage.plugin('market/fmt', named('fmt'));
    stage.write('project/market/.claude-plugin/marketplace.json', {
      plugins: [
        { name: 'fmt', source: './fmt' },
        { name: 'more', source: './more' },
        { name: 'no', source: './no' },
      ],
    });
    stage.plugin('project/market/fmt', named('fmt'));
    stage.plugin('project/market/more', named('more'));
    stage.plugin('project/market/no', named('no'));
    user(stage, {
      plugins: ['../../own'],
      enabledPlugins: { 'fmt@team': true, 'no@team': false },
      extraKnownMarketplaces: { team: directory('../../market') },
    });
    const proposes = {
      plugins: ['./p'],
      enabledPlugins: { 'fmt@team': false, 'more@team': true, 'no@team': true },
      extraKnownMarketplaces: { team: directory('./market') },
    };
    project(stage, proposes);
    const { plugins } = await stage.find();
    expect(plugins.map(({ read, isProposed }) => [read.name, read.folder, isProposed])).toEqual([
      ['x', join(stage.folder, 'own'), false],
      ['fmt', join(stage.folder, 'market/fmt'), false],
      ['more', join(stage.project, 'market/more'), true],
    ]);
    // Where only the project knows the marketplace, what the user enabled is not found in it.
    user(stage, { enabledPlugins: { 'fmt@team': true, 'no@team': false } });
    const { plugins: left, warnings } = await stage.find();
    expect(left.map(({ read }) => read.name)).toEqual(['x', 'more']);
    expect(warnings.at(-1)).toContain('1 enabled plugin is not on this disk');
  });

  it('EX-19: the user may switch one off for a project, in its local settings, once it is trusted', async () => {
    const stage = setPluginsStage();
    stage.plugin('home/.claude/plugins/cache/m/fmt/1.0.0', named('fmt'));
    user(stage, { enabledPlugins: { 'fmt@m': true } });
    local(stage, { enabledPlugins: { 'fmt@m': false } });
    expect(await stage.names({ trusted: false })).toEqual(['fmt']);
    const { plugins, warnings } = await stage.find();
    expect(plugins).toEqual([]);
    expect(warnings[0]).toMatch(/plugin fmt@m is off here: .*settings\.local\.json disables it/);
    stage.write('managed.json', { enabledPlugins: { 'fmt@m': true } });
    expect(await stage.names()).toEqual(['fmt']);
    stage.write('managed.json', { enabledPlugins: { 'fmt@m': false } });
    expect(await stage.names()).toEqual([]);
  });

  it('EX-19: of ten thousand proposals some are checked', async () => {
    const stage = setPluginsStage();
    project(stage, { plugins: Array.from({ length: 10_000 }, (_, n) => `./p${n}`) });
    const { warnings } = await stage.find();
    expect(warnings[0]).toBe('this project proposes 10000 plugins: only the first 50 are considered');
    expect(warnings).toHaveLength(51);
  });

  it('EX-20: what a user set for it comes from their own settings alone, over its defaults', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', {
      [MANIFEST]: { name: 'p', userConfig: { url: { default: 'a' }, level: { default: 3 }, none: {} } },
    });
    user(stage, { plugins: ['../../p'], pluginConfigs: { p: { options: { url: 'b', on: true, __proto__: 'x' } } } });
    project(stage, { pluginConfigs: { p: { options: { url: 'evil', token: 'evil' } } } });
    expect((await stage.one()).options).toEqual({ url: 'b', level: '3', on: 'true' });
  });
});
