/** Implements `Host` on the real machine. */

import { randomBytes, randomUUID } from 'node:crypto';
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

const lastId = { msecs: 0, seq: 0 };
const RANDOM_BYTES = 16;
let pool = Buffer.alloc(0);

/** Random bytes for an id. Taken from a pool, because one call per id would cost more than the rest of it. */
function takeRandom(): Buffer {
  if (pool.length === 0) pool = randomBytes(RANDOM_BYTES * 256);
  const random = pool.subarray(0, RANDOM_BYTES);
  pool = pool.subarray(RANDOM_BYTES);
  return random;
}

/**
 * Sorts by creation time (UUID v7), also within a millisecond. Without `random`, `v7` would load all of Node's web
 * crypto.
 */
function newId(): string {
  const random = takeRandom();
  const now = Date.now();
  if (now > lastId.msecs) {
    lastId.msecs = now;
    lastId.seq = random.readUInt32BE(6) >>> 1;
  } else {
    lastId.seq += 1;
  }
  return v7({ random, ...lastId });
}

/** Does not reveal its creation time (UUID v4). */
export function newRandomId(): string {
  return randomUUID();
}

/** 17 hexadecimal digits: short enough to type. */
function newShortId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 17);
}
