/**
 * What a box found out about this machine, for a stage's home: the product keeps it there, and otherwise every stage would
 * try all that must not work again.
 */

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '../../src/gate/sandbox/create-sandbox.js';
import { nodeHost } from '../../src/host/node-host.js';

let found: Promise<Buffer | undefined> | undefined;

export async function keepProbe(coppiceHome: string): Promise<void> {
  found ??= probe();
  const kept = await found;
  if (kept === undefined) return;
  await mkdir(join(coppiceHome, 'box'), { recursive: true, mode: 0o700 });
  await writeFile(join(coppiceHome, 'box', 'probe.json'), kept);
}

async function probe(): Promise<Buffer | undefined> {
  const home = await mkdtemp(join(tmpdir(), 'coppice-probe-'));
  try {
    const host = nodeHost(home, { ...process.env, HOME: home, COPPICE_HOME: home });
    await createSandbox({ host, trusted: true, roots: [] }).status();
    return await readFile(join(home, 'box', 'probe.json')).catch(() => undefined);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
