/** What the tests of table-git.test.ts share with those of test:long. */

import { execFileSync } from 'node:child_process';
import { bash, type Table } from './table-stage.js';

export const READS = ['git status', 'git status --short', 'git diff', 'git log -1', 'git ls-files', 'git branch'];

export async function commitSome(table: Table): Promise<void> {
  await table.write('file.txt', 'one\n');
  table.git(table.folder, 'init', '-q', '-b', 'main');
  table.git(table.folder, 'add', 'file.txt');
  table.git(table.folder, 'commit', '-qm', 'one');
  await table.write('file.txt', 'two\n');
}

/** The planted program does run when git is left alone: the mark is no blank. */
export function expectLive(table: Table, folder: string): void {
  execFileSync('git', ['-C', folder, 'status'], { env: { ...process.env, HOME: table.outside }, stdio: 'pipe' });
  execFileSync('sh', ['-c', `ls ${table.marks}/* && rm ${table.marks}/*`], { stdio: 'pipe' });
}

export const reads = (before = '') => READS.map((line) => bash(`${before}${line}`));
