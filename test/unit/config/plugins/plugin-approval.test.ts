/** What of a plugin acts, shown whole, and approved as it is: any change asks again (EX-19). */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of plugins are written so.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashFolder, isSameFolder } from '../../../../src/config/plugins/plugin-hash.js';
import { hooksJson, MANIFEST, type PluginsStage, setPluginsStage, writeLarge } from './plugins-stage.js';

const DIR = { pluginDirs: ['../p'] };

const skill = (front: string) => `---\n${front}\n---\nDo it.\n`;
const only = async (stage: PluginsStage, asked: object = DIR) => {
  const [first] = await stage.review(asked);
  if (first === undefined) throw new Error('there is none');
  return first;
};

describe('EX-19: what is shown', () => {
  it('EX-19: what a session would load grants nothing unseen: a link to another kind of file, a field twice', async () => {
    const stage = setPluginsStage();
    const folder = stage.plugin('p', {
      'notes.txt': skill('description: d\nallowed-tools: Bash(curl *)'),
      'skills/linked/.keep': '',
      'skills/twice/SKILL.md': skill('description: d\nallowed-tools: Read\nallowed_tools: Bash(rm *)'),
      'bin/tool': 'x',
    });
    symlinkSync('../../notes.txt', join(folder, 'skills/linked/SKILL.md'));
    const { acts } = await only(stage);
    expect(acts).toContain('skills/linked/SKILL.md allows, while it is used: Bash(curl *)');
    expect(acts).toContain('skills/twice/SKILL.md allows, while it is used: Bash(rm *)');
  });

  it('EX-17 EX-19: no part of a plugin lies where git keeps its data, which is not in the hash', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', {
      [MANIFEST]: { name: 'p', skills: './.git/refs' },
      '.git/refs/x/SKILL.md': skill('description: d\nallowed-tools: Bash'),
    });
    const { errors } = await stage.find(DIR);
    expect(errors[0]).toContain('it is in a folder of git');
  });

  it('EX-19: all hooks, servers, programs and granted tools, and nothing else', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', {
      'hooks/hooks.json': {
        hooks: {
          PreToolUse: [
            { matcher: 'Bash', hooks: [{ type: 'command', command: '${CLAUDE_PLUGIN_ROOT}/a.sh', timeout: 5 }] },
            { hooks: [{ type: 'http', url: 'https://example.com' }] },
          ],
        },
      },
      '.mcp.json': {
        mcpServers: { s: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/s.mjs'], env: { T: '${TOKEN}' } } },
      },
      'bin/one': 'x',
      'bin/two': 'x',
      'skills/deploy/SKILL.md': skill('description: d\nallowed-tools: Bash(git *), Read'),
      'skills/quiet/SKILL.md': skill('description: only words'),
      'commands/c.md': skill('allowed-tools:\n  - Bash(rm *)\nhooks:\n  Stop:\n    - hooks: []'),
      'agents/a.md': skill('name: a\ndescription: d\nhooks:\n  Stop: []\nallowed-tools: Bash'),
    });
    const { acts, isWaiting, whyNot } = await only(stage);
    expect(acts).toEqual([
      'hooks (hooks/hooks.json)',
      '  PreToolUse',
      '    for "Bash"',
      '    runs ${CLAUDE_PLUGIN_ROOT}/a.sh',
      '    with {"timeout":5}',
      '  PreToolUse',
      '    posts what happens to https://example.com',
      'MCP servers (.mcp.json)',
      '  s',
      '    runs node ${CLAUDE_PLUGIN_ROOT}/s.mjs',
      '    with the environment {"T":"${TOKEN}"}',
      '    gets the values of TOKEN from your environment',
      'programs (bin), found after all others',
      '  one',
      '  two',
      'commands/c.md allows, while it is used: Bash(rm *)',
      'commands/c.md has hooks, from its first use on: {"Stop":[{"hooks":[]}]}',
      'skills/deploy/SKILL.md allows, while it is used: Bash(git *), Read',
    ]);
    expect([isWaiting, whyNot]).toEqual([true, undefined]);
  });

  it.each([
    ['another spelling', 'allowed_tools: Bash'],
    ['quotes', '"allowed-tools": Bash'],
    ['a letter written otherwise', '"allowed\\u002dtools": Bash'],
    ['one line', '{description: d, allowed-tools: Bash}'],
  ])('EX-19: a grant is seen in %s, wherever its file is', async (_, front) => {
    for (const file of ['SKILL.md', 'skills/.hidden/SKILL.md', 'elsewhere/deep/SKILL.MD', 'commands/x.markdown']) {
      const stage = setPluginsStage();
      stage.plugin('p', { [file]: skill(front) });
      expect((await only(stage)).acts.join()).toContain('Bash');
    }
  });

  it('EX-19: where nothing acts nothing is asked, and nothing is treated as approved', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', { 'agents/a.md': 'x', 'skills/s/SKILL.md': skill('description: d') });
    expect(await only(stage)).toMatchObject({ acts: [], isWaiting: false, isApproved: false });
  });

  it('EX-19: what nobody could read through cannot be approved', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', { 'hooks/hooks.json': hooksJson(`true ${'x'.repeat(25_000)}`) });
    const { whyNot, isApproved } = await only(stage, { ...DIR, trustThisRun: true });
    expect([whyNot, isApproved]).toEqual(['it has too many hooks, servers and granted tools to show', false]);
  });
});

describe('EX-19: approved as it is', () => {
  it.each<[string, (folder: string) => void]>([
    ['another script', (folder) => writeFileSync(join(folder, 'a.sh'), 'echo two\n')],
    ['a new file', (folder) => writeFileSync(join(folder, 'new'), '')],
    ['a file that is gone', (folder) => rmSync(join(folder, 'data.txt'))],
    ['another name', (folder) => renameSync(join(folder, 'data.txt'), join(folder, 'datb.txt'))],
    ['another mode', (folder) => chmodSync(join(folder, 'data.txt'), 0o755)],
    ['a new folder', (folder) => mkdirSync(join(folder, 'empty'))],
    ['another link', (folder) => symlinkSync('data.txt', join(folder, 'link'))],
    ['a git hook', (folder) => writeFileSync(join(folder, '.git/config'), '[core]\nfsmonitor = evil\n')],
  ])('EX-19: %s asks again, and what was approved is reported', async (_, change) => {
    const stage = setPluginsStage();
    const folder = stage.plugin('p', {
      'hooks/hooks.json': hooksJson('sh a.sh'),
      'a.sh': 'echo one\n',
      'data.txt': 'x',
    });
    mkdirSync(join(folder, '.git'));
    await stage.approveAll(DIR);
    expect((await only(stage)).isApproved).toBe(true);
    change(folder);
    expect(await only(stage)).toMatchObject({
      isApproved: false,
      isWaiting: true,
      before: ['hooks (hooks/hooks.json) · SessionStart · runs sh a.sh'],
    });
  });

  it('EX-19: files that git rewrites whenever it runs change nothing', async () => {
    const stage = setPluginsStage();
    const folder = stage.plugin('p', { 'hooks/hooks.json': hooksJson('sh a.sh'), 'a.sh': 'x' });
    execFileSync('git', ['init', '-q', folder]);
    await stage.approveAll(DIR);
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args]);
    git('add', '.');
    git('commit', '-qm', 'x');
    utimesSync(join(folder, 'a.sh'), 1, 1);
    expect((await only(stage)).isApproved).toBe(true);
  });

  it('EX-19: a yes in one place is none in another, and the one of a project is that project’s', async () => {
    const stage = setPluginsStage();
    const files = { [MANIFEST]: { name: 'p' }, 'hooks/hooks.json': hooksJson('true') };
    stage.plugin('p', files);
    stage.plugin('copy', files);
    await stage.approveAll(DIR);
    expect((await only(stage, { pluginDirs: ['../copy'] })).isApproved).toBe(false);
    stage.write('project/.claude/settings.json', { plugins: ['../p'] });
    expect(await only(stage, {})).toMatchObject({ isProposed: true, isApproved: false, isWaiting: true });
    await stage.approveAll({});
    expect((await only(stage, {})).isApproved).toBe(true);
    const trust = await import('../../../../src/config/trust.js');
    await trust.openTrust(stage.host).distrust(stage.project);
    expect((await only(stage, {})).isApproved).toBe(false);
    expect((await only(stage)).isApproved).toBe(true);
  });

  it('EX-19: a proposed plugin waits even if nothing in it acts', async () => {
    const stage = setPluginsStage();
    stage.plugin('project/p', { 'agents/a.md': 'x' });
    stage.write('project/.claude/settings.json', { plugins: ['./p'] });
    expect(await only(stage, {})).toMatchObject({ acts: [], isWaiting: true });
    expect(await only(stage, { trustThisRun: true })).toMatchObject({ isWaiting: true });
    await stage.approveAll({});
    expect(await only(stage, {})).toMatchObject({ isWaiting: false, isApproved: true });
  });

  it('EX-19: --trust approves for this run what --plugin-dir gives, and not what settings name', async () => {
    const stage = setPluginsStage();
    stage.plugin('p', { 'hooks/hooks.json': hooksJson('true') });
    stage.plugin('q', { 'hooks/hooks.json': hooksJson('true') });
    stage.write('home/.claude/settings.json', { plugins: ['../../q'] });
    const run = async (asked: object) =>
      (await stage.review(asked)).map(({ read, isApproved }) => [read.name, isApproved]);
    expect(await run({ ...DIR, trustThisRun: true })).toEqual([
      ['p', true],
      ['q', false],
    ]);
    expect(await run(DIR)).toEqual([
      ['p', false],
      ['q', false],
    ]);
  });
});

describe('EX-19: there is an end to what is checked', () => {
  it.each<[string, (folder: string) => void, RegExp]>([
    ['a pipe', (folder) => execFileSync('mkfifo', [join(folder, 'pipe')]), /^pipe is not a regular file$/],
    ['a link out', (folder) => symlinkSync('/etc', join(folder, 'etc')), /^etc is a link out of the plugin$/],
    ['a broken link', (folder) => symlinkSync('/none', join(folder, 'gone')), /^gone is a link out of the plugin$/],
    [
      'far too many files',
      (folder) => {
        for (let n = 0; n < 2_001; n++) writeFileSync(join(folder, `f${n}`), '');
      },
      /^it has more than 2000 files$/,
    ],
    ['far too much', (folder) => writeLarge(join(folder, 'big')), /^it has more than 32 MB$/],
    [
      'far too deep',
      (folder) => mkdirSync(join(folder, ...Array.from({ length: 40 }, () => 'd')), { recursive: true }),
      /is nested more than 32 folders deep$/,
    ],
  ])('EX-19: with %s it cannot be approved, and the reason is reported', async (_, make, reason) => {
    const stage = setPluginsStage();
    make(stage.plugin('p', { 'hooks/hooks.json': hooksJson('true') }));
    const one = await only(stage, { ...DIR, trustThisRun: true });
    expect(one.whyNot).toMatch(reason);
    expect([one.isApproved, one.isWaiting]).toEqual([false, true]);
  });

  it('EX-19: names and times tell that nothing changed only once they have settled', () => {
    const stage = setPluginsStage();
    const folder = stage.plugin('p', { 'a.sh': 'one\n' });
    const young = hashFolder(stage.host, folder);
    expect(young).toMatchObject({ ok: true, stamp: '' });
    const later = { ...stage.host, clock: { ...stage.host.clock, now: () => stage.host.clock.now() + 10_000 } };
    const settled = hashFolder(later, folder);
    if (!settled.ok || !young.ok) throw new Error('not read');
    expect(settled.hash).toBe(young.hash);
    expect(isSameFolder(later, folder, settled.stamp)).toBe(true);
    expect(isSameFolder(later, folder, '')).toBe(false);
    writeFileSync(join(folder, 'a.sh'), 'two\n');
    expect(isSameFolder(later, folder, settled.stamp)).toBe(false);
  });
});
