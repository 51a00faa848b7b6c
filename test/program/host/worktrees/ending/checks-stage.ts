/** What the tests of checks.test.ts share with those of test:long. */

import { findCheckout } from '../../../../../src/host/git/checkout.js';
import type { Host } from '../../../../../src/host/host.js';
import type { FinishedProcess } from '../../../../../src/host/processes.js';
import type { WorktreeStage } from '../../../../support/worktree-stage.js';

export const NAME = 'agent-12345678';

/** A machine on which git fails where the test requires it. */
export function withGit(
  host: Host,
  change: (args: readonly string[], done: FinishedProcess) => Partial<FinishedProcess>,
): Host {
  const run: Host['processes']['run'] = async (command) => {
    const done = await host.processes.run(command);
    return { ...done, ...change(command.args, done) };
  };
  const changed = { ...host, processes: { ...host.processes, run }, at: () => changed };
  return changed;
}

export async function checkoutOn(stage: WorktreeStage, host: Host) {
  const found = await findCheckout(host, stage.repo, { trusted: false });
  if (!found.ok) throw new Error(found.reason);
  return found.checkout;
}

export const FAILED = { code: 128, stdout: Buffer.alloc(0), stderr: Buffer.from('fatal: made up\n') };
