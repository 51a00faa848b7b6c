/** Files given by name that have no end are refused at once, before they are read (GT-32). */

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SessionOptions } from '../../../src/engine/session-options.js';
import { openSession } from '../../../src/front/sdk/open-session.js';
import { setStage } from '../../support/story.js';

it.each<[string, (file: string) => SessionOptions]>([
  ['--replay', (file) => ({ replay: file })],
  ['--settings', (file) => ({ settings: file })],
  ['--mcp-config', (file) => ({ mcpConfig: [file] })],
])('GT-32: a device as %s is refused', async (_, optionsFor) => {
  const stage = await setStage();
  const opened = await openSession({ ...stage.at, ...optionsFor('/dev/zero') });
  if (opened.ok) await opened.session.close();
  expect(opened).toMatchObject({ ok: false, reason: expect.stringMatching(/\/dev\/zero/) });
});

it.each([
  ['.claude/settings.json', 'project'],
  ['.claude/settings.json', 'home'],
  ['.mcp.json', 'project'],
  ['CLAUDE.md', 'project'],
  ['.claude/CLAUDE.md', 'home'],
  ['.claude/agents/a.md', 'project'],
  ['.claude/skills/a/SKILL.md', 'project'],
  ['.claude/agent-memory/a/MEMORY.md', 'project'],
] as const)('GT-32: a device or a pipe as %s of the %s stops no start', async (name, where) => {
  const stage = await setStage();
  const path = join(where === 'home' ? stage.home : stage.folder, name);
  for (const make of [() => symlinkSync('/dev/zero', path), () => execFileSync('mkfifo', [path])]) {
    mkdirSync(join(path, '..'), { recursive: true });
    rmSync(path, { force: true });
    make();
    const opened = await openSession({ ...stage.at, trust: true });
    // Settings of the user that can't be read may refuse the start; nothing may wait.
    if (opened.ok) await opened.session.close();
    else expect(opened.reason).toContain(name);
  }
});
