/** What a platform gives for the reading box, once it is found to work. */

import type { Host } from '../../host/host.js';
import type { ProcessCommand } from '../../host/processes.js';
import type { Result } from '../../protocol/result.js';
import type { Preparer } from './look/prepare-box.js';
import type { PreparedBox } from './reading-box.js';

export type BoxOptions = {
  readonly host: Host;
  /** The folders agents work in: programs of ours are never taken from there. */
  readonly roots: readonly string[];
  /** The person trusts this folder: git may look into its submodules. Absent: not. */
  readonly trusted?: boolean;
};

export type OpenedBox = {
  /** What the probe found, in words. */
  readonly found: string;
  readonly preparer: Preparer;
  /** The command to start instead. `show` may contain links on the way. */
  assemble(command: ProcessCommand, box: PreparedBox, show: readonly string[]): Assembled;
  /** Removes what only this session needed. */
  close(): Promise<void>;
};

export type Assembled = Result<{ readonly command: ProcessCommand }>;

export type Opened = Result<{ readonly box: OpenedBox }>;
