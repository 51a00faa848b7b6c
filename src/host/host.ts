/**
 * The port to the machine for all other rooms: files, processes, network, clock, ids.
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
  /** The working folder: absolute, links resolved. */
  readonly folder: string;
  readonly env: Environment;
  /** What of the environment a person chose for the processes we start. */
  readonly chosen?: ChosenEnvironment;
  readonly files: Files;
  readonly processes: Processes;
  readonly network: Network;
  readonly clock: Clock;
  readonly platform: Platform;
  /** Returns a unique id that sorts by creation time (UUID v7). */
  newId(): string;
  /** Returns a unique random id of 17 hexadecimal digits. */
  newShortId(): string;
  /** Returns a number from 0 up to, but not including, 1. */
  random(): number;
  /** Returns the same machine with another working folder. */
  at(folder: string): Host;
}

/** The platform and the user of this process. Does not change. */
export type Platform = {
  /** Node's name: linux, darwin, win32 … */
  readonly os: string;
  readonly arch: string;
  /** True if the process runs as root. */
  readonly isRoot: boolean;
};

export type ChosenEnvironment = {
  /** Variables that the person's own settings name. */
  readonly variables: ReadonlySet<string>;
  /** Folders of the PATH that stay although they are in a root: those of approved plugins. */
  readonly folders: readonly string[];
};

/** Returns the same machine with another environment, in every folder. */
export function withEnvironment(
  host: Host,
  env: Environment,
  chosen: ChosenEnvironment | undefined = host.chosen,
): Host {
  const at = (folder: string) => withEnvironment(host.at(folder), env, chosen);
  return { ...host, env, ...(chosen === undefined ? {} : { chosen }), at };
}
