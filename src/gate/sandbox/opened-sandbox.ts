/** What a platform needs for the sandbox, and what it gives. */

import type { Host } from '../../host/host.js';
import type { ProcessCommand } from '../../host/processes.js';
import type { Confined, Place, Profile } from './sandbox.js';
import type { Preparer } from './view/prepare-view.js';

export type SandboxOptions = {
  readonly host: Host;
  /** The folders agents work in: programs of ours are never taken from there. */
  readonly roots: readonly string[];
  /** The user trusts this folder: git may look into its submodules. Absent: not. */
  readonly trusted?: boolean;
  /** Folders of our home that every command may read (kept tool results). */
  readonly readable?: readonly string[];
  readonly platform?: string;
};

/** What a platform gives, once it is found to work. */
export type OpenedSandbox = {
  /** What the probe found. */
  readonly found: string;
  readonly confines: 'all' | 'reads';
  readonly preparer: Preparer;
  /** May throw. `place.view` is complete for this command, and its paths are as they were. */
  confine(command: ProcessCommand, profile: Profile, place: Place): Promise<Confined>;
  close(): Promise<void>;
};

/** `failed`: not for good, as on a machine that has none. */
export type Opened =
  | { readonly ok: true; readonly sandbox: OpenedSandbox }
  | { readonly ok: false; readonly reason: string; readonly failed?: true };

export function unconfined(command: ProcessCommand): Confined {
  return { ok: true, isConfined: false, command, explain: () => undefined, finish: async () => [] };
}
