/** The real machine. */

import { resolve } from 'node:path';
import { v7 as uuid } from 'uuid';
import { realClock } from './clock.js';
import type { Environment, Host } from './host.js';
import { nodeFiles } from './node-files.js';
import { nodeProcesses } from './node-processes.js';

export function nodeHost(folder: string, env: Environment = process.env): Host {
  return {
    folder: resolve(folder),
    env,
    files: nodeFiles,
    processes: nodeProcesses,
    clock: realClock,
    newId: () => uuid(),
    random: () => Math.random(),
    at: (other) => nodeHost(other, env),
  };
}
