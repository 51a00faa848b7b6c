/** Implements `Host` on the real machine. */

import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { v7 } from 'uuid';
import { realClock } from './clock.js';
import type { Environment, Host, Platform } from './host.js';
import { nodeFiles } from './node-files.js';
import { nodeNetwork } from './node-network.js';
import { nodeProcesses } from './node-processes.js';

export function nodeHost(folder: string, env: Environment = process.env): Host {
  return {
    folder: resolve(folder),
    env,
    files: nodeFiles,
    processes: nodeProcesses,
    network: nodeNetwork,
    clock: realClock,
    platform: readPlatform(),
    newId,
    newShortId,
    random: () => Math.random(),
    at: (other) => nodeHost(other, env),
  };
}

function readPlatform(): Platform {
  return { os: process.platform, arch: process.arch, isRoot: process.getuid?.() === 0 };
}

/** Sorts by creation time (UUID v7). */
function newId(): string {
  return v7();
}

/** Does not reveal its creation time (UUID v4). */
export function newRandomId(): string {
  return randomUUID();
}

/** 17 hexadecimal digits: short enough to type. */
function newShortId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 17);
}
