/** A worktree of a repository of 50,000 files, whole and sparse, next to git's own `git worktree add` of the same tree. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compare, row } from '../measure.mjs';
import { loadSource } from '../source.mjs';

const FOLDERS = 500;
const FILES_EACH = 100;
const SPARSE = ['folder-7', 'folder-8'];

export async function measure(stage, runs = 5) {
  const { findCheckout, makeWorktree, nodeHost } = await loadSource(
    stage,
    `export { findCheckout } from './src/host/git/checkout.js';
     export { makeWorktree } from './src/host/worktrees/make-worktree.js';
     export { nodeHost } from './src/host/node-host.js';`,
  );
  const top = join(stage.scratch, 'many-files');
  const git = (args, input) => runGit(stage, top, args, input);
  await mkdir(top);
  await git(['init', '--quiet', '--initial-branch=main']);
  await git(['fast-import', '--quiet'], manyFiles());
  await git(['reset', '--hard', '--quiet']);
  const host = nodeHost(top, { PATH: process.env.PATH, HOME: stage.home });
  let count = 0;
  const plainly = async () => {
    count += 1;
    const path = join(top, '.claude', 'worktrees', `plain-${count}`);
    const took = await timed(() => git(['worktree', 'add', '--quiet', '-b', `plain-${count}`, path]));
    await git(['worktree', 'remove', '--force', path]);
    return took;
  };
  /** With finding the checkout, as a session does. */
  const ours = async (sparsePaths) => {
    count += 1;
    let made;
    const took = await timed(async () => {
      const found = await findCheckout(host, top, { trusted: true });
      if (!found.ok) throw new Error(found.reason);
      const options = { includeDirty: false, maxOverlayBytes: 50_000_000, sparsePaths, symlinkDirectories: [] };
      made = await makeWorktree(host, found.checkout, { name: `ours-${count}`, owner: { session: 's' }, ...options });
      if (!made.ok) throw new Error(made.reason);
    });
    await git(['worktree', 'remove', '--force', '--force', made.record.path]);
    await made.use.release();
    return took;
  };
  const files = (FOLDERS * FILES_EACH).toLocaleString('en');
  await plainly();
  return [
    row(`worktree of ${files} files`, 'ms', await compare(runs, plainly, () => ours([])), { ratio: 1.3 }),
    row(`the same, ${SPARSE.length} of ${FOLDERS} folders`, 'ms', await compare(runs, plainly, () => ours(SPARSE)), {
      ratio: 1,
    }),
  ];
}

/** One commit, as git takes it in. */
function manyFiles() {
  const lines = ['commit refs/heads/main', 'committer Bench <bench@example.org> 0 +0000', 'data 4', 'many'];
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    for (let file = 0; file < FILES_EACH; file += 1) {
      const content = `export const value = ${folder * FILES_EACH + file};\n`.repeat(30);
      lines.push(`M 644 inline folder-${folder}/file-${file}.ts`, `data ${content.length}`, content);
    }
  }
  return `${lines.join('\n')}\ndone\n`;
}

async function runGit(stage, cwd, args, input) {
  const env = { PATH: process.env.PATH, HOME: stage.home };
  const child = spawn('git', args, { cwd, env, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(input);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}`);
}

async function timed(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
