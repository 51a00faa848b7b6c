/** A whole session with forks at the terminal: the tree, its keys, an agent opened, its work applied. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Gate, gate } from '../../../support/gate.js';
import { makeRepository } from '../../../support/worktrees.js';
import { setTerminalStage } from '../terminal-stage.js';
import { choose, fork, openReady, screen, send } from './tree-steps.js';

it('SF-15, TU-3, TU-8, TU-9, TU-10: three forks running, one opened and written to, one stopped, one applied', async () => {
  const gates: Record<string, Gate> = { AUTH: gate(), MAIL: gate(), API: gate() };
  const stage = await setTerminalStage([
    { when: { user: 'AND IN BLUE' }, reply: 'the mail is blue now' },
    {
      when: { said: 'AUTH-PART', result: { tool: 'Bash' } },
      reply: async () => {
        await gates.AUTH?.opened;
        return 'auth is done';
      },
    },
    {
      when: { said: 'AUTH-PART', result: { tool: 'Write' } },
      reply: [{ tool: 'Bash', input: { command: 'git add -A && git commit -qm "auth made"' } }],
    },
    { when: { said: 'AUTH-PART' }, reply: [{ tool: 'Write', input: { file_path: 'auth.txt', content: 'auth\n' } }] },
    {
      when: { said: 'MAIL-PART' },
      reply: async () => {
        await gates.MAIL?.opened;
        return 'the mail is sent';
      },
    },
    {
      when: { said: 'API-PART' },
      reply: async () => {
        await gates.API?.opened;
        return 'the api is there';
      },
    },
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    { when: { result: { tool: 'Agent' } }, reply: 'three forks are at work' },
    {
      when: { user: 'begin' },
      reply: [
        fork('AUTH-PART', { name: 'auth', description: 'the auth part', isolation: 'worktree' }),
        fork('MAIL-PART', { name: 'mail', description: 'the mail part' }),
        fork('API-PART', { name: 'api', description: 'the api part' }),
      ],
    },
  ]);
  const { git } = await makeRepository(stage.folder, { 'a.txt': 'one\n' });
  git('config', 'user.name', 'a');
  git('config', 'user.email', 'a@b');
  const terminal = await openReady(stage, '--permission-mode', 'bypassPermissions');
  send(terminal, 'begin');
  await terminal.until('three forks are at work');
  await terminal.untilSeen(/agents 3 · 3 running · <?\$[\d.]+ · cache \d+%/);
  await terminal.untilSeen(/● auth the auth part · .* · \d:\d\d · [\d.]+k · \d+% · <?\$[\d.]+ · wt/);
  await terminal.untilSeen(/● mail the mail part · waiting for the model · \d:\d\d/);
  await terminal.untilSeen('3 agents');

  // ↓ on an empty editor: the tree has the keys, and its chosen row is marked.
  terminal.press('down');
  await terminal.untilSeen(/^›/m);
  await choose(terminal, 'mail');
  terminal.press('m');
  await terminal.untilSeen('enter send');
  terminal.type('AND IN BLUE');
  await terminal.untilSeen('> AND IN BLUE');
  terminal.press('enter');
  await terminal.untilSeen('sent: AND IN BLUE');
  gates.MAIL?.open();
  await terminal.untilSeen('read: AND IN BLUE');
  await terminal.untilSeen('the mail is blue now');
  await terminal.untilSeen('MAIL-PART');
  terminal.press('esc', 'esc');
  await terminal.untilSeen(/^›/m);

  // Enter opens a running one; `/` searches in it; Esc leaves it running.
  await choose(terminal, 'auth');
  terminal.press('enter');
  await terminal.untilSeen('AUTH-PART');
  await terminal.untilSeen(/worktree-agent-/);
  terminal.press('esc');
  await terminal.untilSeen(/^›/m);

  // `x` acts only the second time.
  await choose(terminal, 'api');
  terminal.press('x');
  await terminal.untilSeen('x again to stop api');
  expect(screen(terminal)).toMatch(/● api/);
  terminal.press('x');
  await terminal.untilSeen(/api .*stopped/);
  gates.AUTH?.open();
  await terminal.untilSeen(/✓ auth/);

  // Its work: viewed, then applied here.
  await choose(terminal, 'auth');
  terminal.press('d');
  await terminal.untilSeen('+auth');
  terminal.press('q');
  await terminal.untilSeen(/^›/m);
  expect(existsSync(join(stage.folder, 'auth.txt'))).toBe(false);
  terminal.press('A');
  await terminal.until(() => existsSync(join(stage.folder, 'auth.txt')), 'applied');
  await terminal.until('Applied agent-');
  terminal.press('esc');
  await terminal.untilGone(/^›/m);
  expect(stage.sim.unmatched).toEqual([]);
});
