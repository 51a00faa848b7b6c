/** A temporary folder with a home and a project in it, and a host that sees only those. */

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';

export type Scratch = {
  readonly folder: string;
  readonly home: string;
  readonly project: string;
  readonly host: Host;
  /** Writes a file (objects as JSON) and answers its path. */
  write(path: string, content: string | Uint8Array | object): string;
};

export function makeScratch(): Scratch {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'config-')));
  // Not in an afterEach of this module: modules are shared, and only the first test file would have it.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, 'home');
  const project = join(folder, 'project');
  mkdirSync(home);
  mkdirSync(project);
  const env = { HOME: home, COPPICE_MANAGED_SETTINGS: join(folder, 'managed.json') };
  const write = (path: string, content: string | Uint8Array | object) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    const isRaw = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(file, isRaw ? content : JSON.stringify(content, null, 2));
    chmodSync(file, 0o644);
    return file;
  };
  return { folder, home, project, host: nodeHost(project, env), write };
}
