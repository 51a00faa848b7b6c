/** Hooks on the real machine in a temporary project, for tests. */

import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createHooks, type Hooks, type HooksOptions } from '../../../../src/gate/hooks/hooks.js';
import type { CommonInput } from '../../../../src/gate/hooks/input.js';
import { nodeHost } from '../../../../src/host/node-host.js';

export type OpenHooks = { readonly hooks: Hooks; readonly folder: string; readonly warnings: string[] };

export function openHooks(config: unknown, more: Partial<HooksOptions> = {}): OpenHooks {
  const folder = newFolder();
  const warnings: string[] = [];
  const hooks = createHooks({
    host: nodeHost(folder),
    projectDir: folder,
    sources: [{ origin: '.claude/settings.json', hooks: config }],
    base: () => commonInput(folder),
    warn: (line) => warnings.push(line),
    ...more,
  });
  return { hooks, folder, warnings };
}

export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hooks-')));
  // Not in an afterEach of this module: modules are shared, and only the first test file would have it.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function commonInput(cwd: string): CommonInput {
  return { session_id: 's1', transcript_path: `${cwd}/s1.jsonl`, cwd, permission_mode: 'default' };
}

/** The path of a fixture script, quoted for the shell. */
export function script(name: string): string {
  return `'${fileURLToPath(new URL(`../../../fixtures/hooks/${name}`, import.meta.url))}'`;
}

export const command = (line: string, more: object = {}) => ({ type: 'command' as const, command: line, ...more });

/** Hooks of PreToolUse for every call, one group each. */
export const beforeCalls = (...lines: readonly string[]) => ({
  PreToolUse: lines.map((line) => ({ hooks: [command(line)] })),
});

export const bashCall = (line: string) =>
  ({ tool_name: 'Bash', tool_input: { command: line }, tool_use_id: 't1' }) as const;

/** A process that is there and not just waiting to be collected. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
