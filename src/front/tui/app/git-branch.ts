/** The branch of the checkout for the status line: `main`, `main*` with changes, the commit where there is no branch. */

import { openGit } from '../../../host/git/git.js';
import type { Host } from '../../../host/host.js';

/** Undefined outside of a repository. Nothing of the repository's own programs runs. */
export async function gitBranch(host: Host): Promise<string | undefined> {
  const git = await openGit(host, host.folder, { trusted: false });
  const status = await git(['status', '--porcelain=v2', '--branch', '--untracked-files=no']);
  if (!status.ok) return undefined;
  const lines = status.text.split('\n');
  const head = readValue(lines, '# branch.head ');
  const commit = readValue(lines, '# branch.oid ')?.slice(0, 8);
  const name = head === '(detached)' ? commit : head;
  const isChanged = lines.some((line) => line !== '' && !line.startsWith('#'));
  return name === undefined ? undefined : `${name}${isChanged ? '*' : ''}`;
}

function readValue(lines: readonly string[], label: string): string | undefined {
  return lines.find((line) => line.startsWith(label))?.slice(label.length);
}
