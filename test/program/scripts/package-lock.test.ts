/** What package-lock.json must not have: the program of the Agent SDK, and where this machine gets its packages. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/program.js';

type Locked = { readonly resolved?: string };

it('CL-6: the Agent SDK is installed without its program, which is not ours to pass on', async () => {
  const names = Object.keys(await lockedPackages());
  expect(names).toContain('node_modules/@anthropic-ai/claude-agent-sdk');
  expect(names.filter((name) => name.includes('claude-agent-sdk-'))).toEqual([]);
});

it('CL-6: no package is bound to the address of one registry', async () => {
  const bound = Object.entries(await lockedPackages()).filter(([, { resolved }]) => resolved?.includes('://'));
  expect(bound.map(([name]) => name)).toEqual([]);
});

async function lockedPackages(): Promise<Record<string, Locked>> {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  return lock.packages;
}
