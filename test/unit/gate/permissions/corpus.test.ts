/** Every input of the corpus through the engine: nothing let through, nothing harmless held up (GT-8). */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { link, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createResolver } from '../../../../src/gate/permissions/paths/resolver.js';
import { matchPath, readPathPattern } from '../../../../src/gate/permissions/rules/path-pattern.js';
import { stripControls } from '../../../../src/gate/permissions/strip-controls.js';
import { escapeControls } from '../../../../src/protocol/escape-controls.js';
import type { Decision, PermissionMode } from '../../../../src/protocol/permission.js';
import { makePlayground, type Playground, type PolicyChanges } from './playground.js';

type Row = {
  readonly id: string;
  readonly kind: string;
  readonly class?: string;
  readonly input: unknown;
  readonly expect: string;
  readonly rule?: string;
  readonly allowed_by_a_naive_rule?: string;
};

const file = new URL('../../../fixtures/corpus/bypass.jsonl', import.meta.url);
const rows: readonly Row[] = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as Row);
const of = (kind: string) => rows.filter((row) => row.kind === kind);

type Tally = { tried: number; letThrough: number; needlesslyAsked: number };
const tallies = new Map<string, Tally>();

/** One try, counted. `mustAllow` rows are inverted. */
function count(name: string, behavior: Decision['behavior'], mustAllow = false): void {
  const tally = tallies.get(name) ?? { tried: 0, letThrough: 0, needlesslyAsked: 0 };
  tally.tried += 1;
  if (mustAllow && behavior !== 'allow') tally.needlesslyAsked += 1;
  if (!mustAllow && behavior === 'allow') tally.letThrough += 1;
  tallies.set(name, tally);
}

let place: Playground;
let server: Server;

beforeAll(async () => {
  place = await makePlayground();
  await place.write('f.txt');
  await place.write('big');
  execFileSync('git', ['init', '-q', place.root]);
  await mkdir(join(place.home, '.ssh'));
  await writeFile(join(place.home, '.ssh', 'id_rsa'), 'secret');
  await symlink('/etc', join(place.root, 'link'));
  await mkdir(join(place.root, 'a'));
  await symlink('/etc', join(place.root, 'a', 'link'));
  await symlink(join(place.outside, 'new'), join(place.root, 'dangling'));
  await writeFile(join(place.outside, 'file'), 'outside');
  await link(join(place.outside, 'file'), join(place.root, 'hard'));
  execFileSync('mkfifo', [join(place.root, 'fifo')]);
  server = createServer();
  await new Promise<void>((resolve) => server.listen(join(place.root, 'socket'), resolve));
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await place.remove();
  const lines = [...tallies].map(
    ([name, { tried, letThrough, needlesslyAsked }]) =>
      `${name}: ${tried} tried, ${letThrough} let through, ${needlesslyAsked} needlessly asked`,
  );
  process.stdout.write(`\nGT-8 corpus\n${lines.join('\n')}\n`);
});

describe('GT-8 shell rows', () => {
  const WITH_A_RULE = /separator|syntax|expansion|redirection/;
  it.each(of('shell').map((row) => [row.id, row] as const))('GT-8: %s asks or denies', async (_id, row) => {
    const command = String(row.input);
    const tries: PolicyChanges[] = [{}, { trusted: false }];
    const word = row.allowed_by_a_naive_rule ?? '';
    if (WITH_A_RULE.test(row.class ?? '') && word !== '' && word !== '(') tries.push({ allow: [`Bash(${word}:*)`] });
    for (const changes of tries) {
      const { behavior } = await place.bash(command, changes);
      count(`shell, ${row.class}`, behavior);
      expect(behavior, `${command} with ${JSON.stringify(changes)}`).not.toBe('allow');
    }
  });
});

/** What is planted in the repository stays off. */
function runsItOff(decision: Decision): boolean {
  if (decision.behavior !== 'allow' || decision.run === undefined) return false;
  return decision.run.kind === 'ruled' ? decision.run.programs === 'off' : true;
}

describe('GT-8 read-only programs that write or run', () => {
  it.each(of('shell-bare-gadget').map((row) => [row.id, row] as const))('GT-8: %s asks or denies', async (_id, row) => {
    const [, command = '', planted] = /^([\s\S]*?)\s*(?:\[([^\]]*\S[^\]]*)\])?\s*$/.exec(String(row.input)) ?? [];
    const bracketed = planted !== undefined && /planted|config|\.npmrc|absent|filter|gpg|zsh/.test(planted);
    const undo = bracketed ? await plant(planted) : async () => {};
    const naive = row.allowed_by_a_naive_rule ?? '';
    const changes: PolicyChanges = {
      trusted: !bracketed,
      ...(naive.startsWith('Bash(') ? { allow: [naive] } : {}),
      ...(naive.startsWith('deny ') ? { deny: [naive.slice(5)] } : {}),
      ...(naive === 'acceptEdits' ? { mode: 'acceptEdits' as PermissionMode } : {}),
    };
    try {
      if (row.id === 'bare-41') {
        const behavior = (
          await place.act('Write', { kind: 'edit', path: join(place.root, 'link', 'x') }, { mode: 'acceptEdits' })
        ).behavior;
        count('read-only programs that write or run', behavior);
        expect(behavior).not.toBe('allow');
      }
      const text = bracketed ? command : String(row.input);
      const decision = await place.bash(text, changes);
      const behavior = bracketed && runsItOff(decision) ? 'ask' : decision.behavior;
      count('read-only programs that write or run', behavior);
      expect(behavior, `${text} with ${JSON.stringify(changes)}`).not.toBe('allow');
    } finally {
      await undo();
    }
  });
});

/** Plants what the row's bracket describes into the repository; answers how to take it out again. */
async function plant(what: string): Promise<() => Promise<void>> {
  const git = (...args: string[]) => execFileSync('git', ['-C', place.root, 'config', ...args]);
  const settings: readonly (readonly [RegExp, string, string])[] = [
    [/fsmonitor/, 'core.fsmonitor', './x'],
    [/diff\.external/, 'diff.external', './x'],
    [/filter/, 'filter.p.clean', './x'],
    [/gpg/, 'gpg.program', './x'],
    [/pre-commit/, 'core.hooksPath', './hooks'],
  ];
  const setting = settings.find(([pattern]) => pattern.test(what));
  if (setting !== undefined) {
    git(setting[1], setting[2]);
    return async () => void git('--unset', setting[1]);
  }
  const hook = join(place.root, '.git', 'hooks', 'post-checkout');
  if (/post-checkout/.test(what)) {
    await mkdir(join(place.root, '.git', 'hooks'), { recursive: true });
    await writeFile(hook, '#!/bin/sh\n', { mode: 0o755 });
  }
  return () => rm(hook, { force: true });
}

describe('GT-4 GT-8 deny rules', () => {
  const everything: readonly PolicyChanges[] = [
    { allow: ['Bash'] },
    { allow: ['Bash(*)'] },
    { mode: 'bypassPermissions' },
    { mode: 'acceptEdits', allow: ['Bash'] },
  ];
  it.each(of('shell-deny-rule').map((row) => [row.id, row] as const))('GT-4: %s is caught', async (_id, row) => {
    for (const changes of everything) {
      const { behavior } = await place.bash(String(row.input), {
        ...changes,
        deny: [(row.rule ?? '').replace(/^deny /, '')],
      });
      count('deny rules', behavior);
      if (row.expect.startsWith('deny') && !row.expect.includes('preferred')) expect(behavior).toBe('deny');
      else expect(behavior, String(row.input).slice(-80)).not.toBe('allow');
    }
  });
});

describe('GT-8 harmless rows', () => {
  it.each(of('shell-must-stay-usable').map((row) => [row.id, row] as const))(
    'GT-8: %s is allowed',
    async (_id, row) => {
      for (const trusted of [true, false]) {
        const decision = await place.bash(String(row.input), { trusted });
        count('must stay usable', decision.behavior, true);
        expect(decision).toMatchObject({ behavior: 'allow' });
      }
    },
  );
});

describe('GT-7 GT-8 paths', () => {
  const named: Readonly<Record<string, string>> = {
    'path-04': 'a/link/passwd',
    'path-05': 'dangling',
    'path-06': 'hard',
    'path-31': 'n'.repeat(300),
    'path-32': `${'d/'.repeat(2_100)}f`,
    'path-33': 'fifo',
    'path-34': 'socket',
    'path-36': '~/.aws/credentials',
    'path-38': '../../x',
    'path-39': '../x',
    'path-40': 'a/../../b',
    'path-41': '../evil',
  };
  it.each(of('path').map((row) => [row.id, row] as const))('GT-7: %s is refused or stays inside', async (id, row) => {
    const written = named[id] ?? String(row.input);
    const path = written.startsWith('~/') ? join(place.home, written.slice(2)) : written;
    const absolute = path.startsWith('/') ? path : `${place.root}/${path}`;
    for (const kind of ['read', 'edit'] as const) {
      const decision = await place.act(
        kind === 'read' ? 'Read' : 'Write',
        { kind, path: absolute },
        { mode: 'acceptEdits' },
      );
      const found = await createResolver(place.policy(), place.root).resolve(absolute, place.root);
      const touchesOutside =
        decision.behavior === 'allow' &&
        (found.inside === undefined ||
          (found.protectedName !== undefined && kind === 'edit') ||
          (kind === 'edit' && found.writeProblem !== undefined));
      count('paths', touchesOutside ? 'allow' : 'ask');
      expect(touchesOutside, `${kind} ${written}: ${JSON.stringify(decision)} ${JSON.stringify(found)}`).toBe(false);
    }
  });

  it('GT-7: what the rows name is refused, not only found', async () => {
    const refused = [
      '../mem-evil/x',
      '/etc/passwd',
      'a/link/passwd',
      'dangling',
      'hard',
      '..',
      'a/\0/../x',
      '/proc/self/root/etc/passwd',
      '.git//hooks/pre-commit',
      '.GIT/config',
      'GIT~1/config',
      '.gi\u200ct/config',
      '.claude/../.CLAUDE/settings.json',
      'n'.repeat(300),
      'fifo',
      'socket',
      '/dev/zero',
    ];
    for (const path of refused) {
      const absolute = path.startsWith('/') ? path : `${place.root}/${path}`;
      const decision = await place.act(
        'Write',
        { kind: 'edit', path: absolute },
        { mode: 'acceptEdits', allow: ['Edit'] },
      );
      expect(decision, path).toMatchObject({ behavior: 'ask' });
    }
    const denied = await place.act(
      'Read',
      { kind: 'read', path: join(place.home, '.aws', 'credentials') },
      { deny: ['Read(~/.aws/)'], mode: 'bypassPermissions' },
    );
    expect(denied.behavior).toBe('deny');
  });
});

describe('GT-4 GT-8 hosts', () => {
  const allow = ['modelcontextprotocol.io', 'google.com', 'apple.com', 'localhost'].map(
    (host) => `WebFetch(domain:${host})`,
  );
  it.each(of('network-host').map((row) => [row.id, row] as const))(
    'GT-4: %s is not the allowed host',
    async (_id, row) => {
      const { behavior } = await place.act(
        'WebFetch',
        { kind: 'fetch', url: `https://${String(row.input)}/` },
        { allow },
      );
      count('hosts', behavior);
      expect(behavior).not.toBe('allow');
    },
  );
});

describe('GT-8 GT-20 what is shown', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left.
  const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
  it.each(of('terminal-output').map((row) => [row.id, row] as const))(
    'GT-20: %s is inert and shown whole',
    (_id, row) => {
      const text = String(row.input);
      const shown = escapeControls(text);
      count('what is shown', UNSAFE.test(shown) || UNSAFE.test(stripControls(text)) ? 'allow' : 'ask');
      expect(shown).not.toMatch(UNSAFE);
      expect(stripControls(text)).not.toMatch(UNSAFE);
      for (const char of text.replace(/[^\x21-\x7e]/g, '')) expect(shown).toContain(char);
      if (text.includes(';')) expect(shown.length).toBeLessThan(120);
    },
  );
});

describe('GT-8 patterns', () => {
  it.each(of('glob').map((row) => [row.id, row] as const))('GT-8: %s is refused or done', (_id, row) => {
    const pattern = readPathPattern(String(row.input), 'deny', '/');
    if (!('warning' in pattern))
      matchPath(pattern, `/${'a/'.repeat(199)}${'a'.repeat(200)}`, { home: '/h', working: ['/'] });
    count('patterns', 'ask');
  });
});
