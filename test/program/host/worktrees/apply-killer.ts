/**
 * A process for the tests of a cut-off apply: applies, and kills itself before the n-th thing it does to a file, counted
 * from the journal on. Exits normally if there are fewer.
 */

import type { Files } from '../../../../src/host/files.js';
import { findCheckout } from '../../../../src/host/git/checkout.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { applyWorktree } from '../../../../src/host/worktrees/apply-worktree.js';

const [, , folder = '', name = '', at = '1'] = process.argv;
const host = nodeHost(folder);
let count = 0;

function counted<A extends [path: string, ...rest: unknown[]], R>(call: (...args: A) => Promise<R>) {
  return (...args: A): Promise<R> => {
    if (count > 0 || args[0].includes('applying-')) count += 1;
    if (count === Number(at)) process.kill(process.pid, 'SIGKILL');
    return call(...args);
  };
}

const files: Files = {
  ...host.files,
  create: counted(host.files.create),
  replace: counted(host.files.replace),
  makeFolder: counted(host.files.makeFolder),
  rename: counted(host.files.rename),
  link: counted(host.files.link),
  remove: counted(host.files.remove),
  removeFolder: counted(host.files.removeFolder),
  syncFolder: counted(host.files.syncFolder),
};
const found = await findCheckout(host, folder, { trusted: true });
if (!found.ok) throw new Error(found.reason);
const applied = await applyWorktree({ ...host, files }, found.checkout, name);
process.stdout.write(JSON.stringify(applied));
