/**
 * The machine, as everything above sees it: files, processes, network, clock, ids.
 * No other room touches node:fs, node:child_process, sockets, timers or randomness (scripts/check-effects.mjs), so that a
 * test can replace any call, and a worktree is just another host with another folder.
 */

import type { Clock } from './clock.js';
import type { Environment } from './environment.js';
import type { Files } from './files.js';
import type { Network } from './network.js';
import type { Processes } from './processes.js';

export type { Environment } from './environment.js';

export interface Host {
  /** The folder work is done in: absolute, links resolved. */
  readonly folder: string;
  readonly env: Environment;
  readonly files: Files;
  readonly processes: Processes;
  readonly network: Network;
  readonly clock: Clock;
  readonly platform: Platform;
  /** A new id: unique, sortable by time of making (UUID v7). */
  newId(): string;
  /** A new random id of 17 hexadecimal digits: unique, and short enough to read aloud. */
  newShortId(): string;
  /** A number from 0 up to, but not including, 1. */
  random(): number;
  /** The same machine, working in another folder. */
  at(folder: string): Host;
}

/** What kind of machine this is, and as whom the program runs. Does not change. */
export type Platform = {
  /** As Node names it: linux, darwin, win32 … */
  readonly os: string;
  readonly arch: string;
  /** The program runs as the superuser. */
  readonly isRoot: boolean;
};
