/**
 * The machine, as everything above sees it: files, processes, clock, ids.
 * No other room touches node:fs, node:child_process, timers or randomness, so that a test (or a fault) can stand in
 * for any call, and a worktree is just another host with another folder.
 */

import type { Clock } from './clock.js';
import type { Files } from './files.js';
import type { Processes } from './processes.js';

export interface Host {
  /** The folder work is done in: absolute, links resolved. */
  readonly folder: string;
  readonly env: Environment;
  readonly files: Files;
  readonly processes: Processes;
  readonly clock: Clock;
  /** A new id: unique, sortable by time of making (UUID v7). */
  newId(): string;
  /** A number from 0 up to, but not including, 1. */
  random(): number;
  /** The same machine, working in another folder. */
  at(folder: string): Host;
}

export type Environment = Readonly<Record<string, string | undefined>>;
