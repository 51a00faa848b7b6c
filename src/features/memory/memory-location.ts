/** What the memory of a folder's agents is found by: the machine, the main checkout, trust and the agents there are. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { findMainCheckout } from '../../config/find-main-checkout.js';
import type { Host } from '../../host/host.js';

export type MemoryLocation = {
  /** With the environment that settings add. */
  readonly host: Host;
  /** The main checkout, also when it was asked for in a worktree (ME-6). Real. */
  readonly root: string;
  /** Where it was asked for: the checkout whose trust counts. */
  readonly project: string;
  /** Without it, nothing of the project's memory is looked at (ME-9). */
  readonly trusted: boolean;
  /** All agents there are: also those without memory have names. */
  readonly definitions: readonly AgentDefinition[];
  /** Things to know about settings and agent files, a line each. */
  readonly warnings: readonly string[];
};

/** Of a session's folder, or the checkout that its worktree was made from: a hook's need not be one that git knows. */
export function memoryRoot(host: Host, projectRoot: string, worktree?: { readonly from: string }): Promise<string> {
  return findMainCheckout(host, worktree?.from ?? projectRoot);
}
