/** What a denial tells the model is true: the part that is not covered, and the rule or the trust that would let it run (GT-13). */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionOptions } from '../../../../src/engine/session-options.js';
import { BOX_WORKS } from '../../../program/gate/box/stage.js';
import { type Stage, setStage } from '../../../support/story.js';
import { runLines } from './rows-stage.js';

const isDenied = ({ text }: { readonly text: string }) => text.startsWith('Permission denied');

/** A project with a script, a tool and a folder to tidy up. */
async function setProject(settings: object = {}): Promise<Stage> {
  const stage = await setStage();
  await stage.settings(settings);
  const scripts = { build: 'echo built', test: 'echo tested' };
  await stage.write('package.json', JSON.stringify({ name: 'x', version: '1.0.0', scripts }));
  await stage.write('run.js', 'console.log("ran")\n');
  await stage.write('dist/a.js', 'a\n');
  await stage.write('src/a.js', 'a\n');
  const tool = await stage.write('tool.sh', '#!/bin/sh\necho tool\n');
  await chmod(tool, 0o755);
  return stage;
}

const run = async (stage: Stage, line: string, options: SessionOptions) =>
  (await runLines(stage, [line], options))[0] ?? { text: '', isError: true };

describe.each(BOX_WORKS ? ['auto', 'off'] : ['off'])('confineReads %s', (confineReads) => {
  it('GT-13: the reason names the part that no rule covers, and none that one does', async () => {
    const stage = await setProject({ confineReads });
    const rows: readonly (readonly [line: string, named: RegExp, never: RegExp])[] = [
      ['npm run build && rm -rf dist', /`rm -rf dist`/, /no rule allows npm|`npm run build`/],
      ['npm run build && ./tool.sh && ls', /`\.\/tool\.sh`: /, /`npm run build`|`ls`/],
      ['npm run build 2>&1 | tee out.log', /`tee out\.log`: /, /no rule allows npm|`npm run build/],
      ['npm run build; ./tool.sh; rm -rf src', /`\.\/tool\.sh`: .*`rm -rf src`: /, /`npm run build`/],
    ];
    const lines = rows.map(([line]) => line);
    const results = await runLines(stage, lines, { trust: true, allowedTools: ['Bash(npm run:*)'] });
    for (const [index, [line, named, never]] of rows.entries()) {
      const { text = '' } = results[index] ?? {};
      expect(text, line).toMatch(named);
      expect(text.replace(/the rule .*$/s, ''), line).not.toMatch(never);
    }
  });

  it('GT-13: option clusters, modes, owners and sizes are not taken for paths, nor what is only read for what changes', async () => {
    const stage = await setProject({ confineReads });
    const rows: readonly (readonly [line: string, wrong: RegExp])[] = [
      ['rm -rf dist', /\/project\/r?f\b/],
      ['ln -sf src y', /\/project\/s?f\b/],
      ['chmod -R 755 src', /\/project\/755/],
      ['chown -R root src', /\/project\/root/],
      ['truncate -s 0 src/a.js', /\/project\/0/],
      ['install -m 755 run.js b', /\/project\/755/],
      ['cp -r src lib', /changes \S+\/project\/src/],
    ];
    const lines = rows.map(([line]) => line);
    const results = await runLines(stage, lines, { trust: true });
    expect(results.map(isDenied)).toEqual(lines.map(() => true));
    expect(
      results.flatMap(({ text }, index) => (rows[index]?.[1].test(text) ? [`${lines[index]}: ${text}`] : [])),
    ).toEqual([]);
  });

  it('GT-13: the rule that a denial names lets the same line run, and no denial says "use another way"', async () => {
    const lines = confineReads === 'off' ? ['node run.js && ./tool.sh'] : ['node run.js', './tool.sh'];
    const stage = await setProject({ confineReads });
    const denials = await runLines(stage, lines, { trust: true });
    for (const [index, { text }] of denials.entries()) {
      const line = lines[index] ?? '';
      expect(text, line).toMatch(/^Permission denied/);
      expect(text, line).not.toMatch(/another way/);
      const rules = text.match(/Bash\((?:\\.|[^)\\])*\)/g) ?? [];
      expect(rules.length, text).toBeGreaterThan(0);
      const again = await setProject({ confineReads });
      expect(isDenied(await run(again, line, { trust: true, allowedTools: rules })), `${line} with ${rules}`).toBe(
        false,
      );
      // Also from where it says that it can be written down.
      const kept = await setProject({ confineReads, permissions: { allow: rules } });
      expect(isDenied(await run(kept, line, { trust: true })), `${line} with ${rules} in the settings`).toBe(false);
    }
  });

  it('GT-13, GT-35: in an untrusted folder a runner’s rule from the settings is not enough: --trust is named, and is', async () => {
    const allow = ['Bash(npm:*)', 'Bash(node:*)'];
    for (const line of ['node run.js']) {
      const stage = await setProject({ confineReads, permissions: { allow } });
      const { text } = await run(stage, line, {});
      expect(text).toMatch(/^Permission denied.*--trust/s);
      expect(text).not.toMatch(/with the rule/);
      const trusted = await setProject({ confineReads, permissions: { allow } });
      expect(isDenied(await run(trusted, line, { trust: true }))).toBe(false);
      const said = await setProject({ confineReads });
      expect(isDenied(await run(said, line, { allowedTools: allow }))).toBe(false);
    }
  });

  it('GT-13, GT-27: a version query by a shim in an untrusted folder: what its denial names is true', async () => {
    const ask = async (options: SessionOptions, settings: object = {}) => {
      const stage = await setProject({ confineReads, ...settings });
      await chmod(await stage.write('../home/shims/node', '#!/bin/sh\necho v0\n'), 0o755);
      const env = { ...stage.env, PATH: `${join(stage.home, 'shims')}:${stage.env.PATH}` };
      return run(stage, 'node --version', { env, ...options });
    };
    const { text } = await ask({});
    expect(text).toMatch(/^Permission denied/);
    // A rule given for this run counts; one of the settings does not, whatever its form, and is not recommended.
    expect(isDenied(await ask({ allowedTools: ['Bash(node --version)'] }))).toBe(false);
    for (const rule of ['Bash(node --version)', 'Bash(node:*)', 'Bash'])
      expect(isDenied(await ask({}, { permissions: { allow: [rule] } })), rule).toBe(true);
    expect(text).not.toMatch(/in the settings/);
  });

  it('GT-13: where no rule helps, none is named', async () => {
    const stage = await setProject({
      confineReads,
      permissions: { ask: ['Bash(touch asked)'], deny: ['Bash(npm publish:*)'] },
    });
    const lines = ['echo x > .mcp.json', 'touch asked', 'npm publish'];
    const results = await runLines(stage, lines, { trust: true, allowedTools: ['Bash'] });
    for (const [index, { text }] of results.entries()) {
      expect(text, lines[index]).toMatch(/^Permission denied/);
      expect(text, lines[index]).not.toMatch(/with the rule|write a rule/);
    }
    expect(existsSync(join(stage.folder, '.mcp.json'))).toBe(false);
  });
});

it('GT-26: git status in an untrusted repository with submodules runs under a rule of the person, with their programs off', async () => {
  const stage = await setProject({ permissions: { allow: ['Bash(git:*)'] } });
  const env = { ...process.env, HOME: stage.home, GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'protocol.file.allow=always'];
  const git = (cwd: string, ...args: string[]) => execFileSync('git', [...who, ...args], { cwd, env, stdio: 'pipe' });
  const other = join(stage.home, 'other');
  execFileSync('git', ['init', '-q', other], { env });
  git(other, 'commit', '-q', '--allow-empty', '-m', 'x');
  git(stage.folder, 'init', '-q');
  git(stage.folder, 'submodule', 'add', '-q', other, 'sub');
  git(stage.folder, 'commit', '-qm', 'first');
  const trace = join(stage.home, 'trace');
  git(join(stage.folder, 'sub'), 'config', 'core.fsmonitor', `touch ${trace}; false`);
  const [status] = await runLines(stage, ['git status --short'], {});
  expect(status).toMatchObject({ isError: false, text: expect.stringContaining('?? run.js') });
  expect(existsSync(trace)).toBe(false);
});
