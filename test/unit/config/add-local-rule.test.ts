import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addLocalRule } from '../../../src/config/settings/add-local-rule.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { scratchFolder } from '../../support/scratch.js';

const saved = async (root: string) => JSON.parse(await readFile(join(root, '.claude/settings.local.json'), 'utf8'));

describe('a lasting answer', () => {
  it('GT-11: goes to local settings, once, and leaves everything else there as it was', async () => {
    const root = await scratchFolder();
    const host = nodeHost(root, { HOME: root });
    await mkdir(join(root, '.claude'));
    await writeFile(
      join(root, '.claude/settings.local.json'),
      '{"model":"opus","permissions":{"deny":["Read(x)"],"allow":["A"]}}',
    );
    expect(await addLocalRule(host, root, 'Bash(npm test)')).toEqual({ ok: true });
    expect(await addLocalRule(host, root, 'Bash(npm test)')).toEqual({ ok: true });
    expect(await saved(root)).toEqual({
      model: 'opus',
      permissions: { deny: ['Read(x)'], allow: ['A', 'Bash(npm test)'] },
    });
  });

  it('GT-11: makes the file where there is none', async () => {
    const root = await scratchFolder();
    await addLocalRule(nodeHost(root, { HOME: root }), root, 'Edit');
    expect(await saved(root)).toEqual({ permissions: { allow: ['Edit'] } });
  });

  it('GT-7: follows no link of the repository', async () => {
    const root = await scratchFolder();
    const outside = await scratchFolder();
    await symlink(outside, join(root, '.claude'));
    const result = await addLocalRule(nodeHost(root, { HOME: root }), root, 'Edit');
    expect(result).toMatchObject({ ok: false });
    await expect(readFile(join(outside, 'settings.local.json'))).rejects.toThrow();
  });

  it('leaves a file alone that is no settings file', async () => {
    const root = await scratchFolder();
    await mkdir(join(root, '.claude'));
    await writeFile(join(root, '.claude/settings.local.json'), '{ broken');
    expect(await addLocalRule(nodeHost(root, { HOME: root }), root, 'Edit')).toMatchObject({ ok: false });
    expect(await readFile(join(root, '.claude/settings.local.json'), 'utf8')).toBe('{ broken');
  });
});
