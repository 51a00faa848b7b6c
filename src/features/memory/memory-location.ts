/** The inputs for locating the memory of a folder's agents: host, main checkout, trust and agent definitions. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { findMainCheckout } from '../../config/find-main-checkout.js';
import type { Host } from '../../host/host.js';

export type MemoryLocation = {
  /** With the environment variables that settings add. */
  readonly host: Host;
  /** The real path of the main checkout, even if requested from a worktree (ME-6). */
  readonly root: string;
  /** The checkout it was requested from, whose trust applies. */
  readonly project: string;
  /** Without trust, the project's memory is not read (ME-9). */
  readonly trusted: boolean;
  /** All agents: those without memory have names, too. */
  readonly definitions: readonly AgentDefinition[];
  /** Warnings about settings and agent files, one line each. */
  readonly warnings: readonly string[];
};

/**
 * The root for a session's folder, or for the checkout that its worktree was created from: git need not know one
 * created by a hook.
 */
export function memoryRoot(host: Host, projectRoot: string, worktree?: { readonly from: string }): Promise<string> {
  return findMainCheckout(host, worktree?.from ?? projectRoot);
}
