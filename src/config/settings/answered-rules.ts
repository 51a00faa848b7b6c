/**
 * Rules in a project's local settings that your own answers added. They apply even if the folder is not trusted, as long
 * as the file is the one we wrote: the record is bound to metadata that no program can set (see `FileStat`). A file that
 * came with a repository, or was changed by another program, does not match.
 */

import type { FileStat } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { localSettingsFile } from '../paths.js';
import { openTrust } from '../trust.js';

/** Empty if the file has changed since. */
export async function answeredRules(host: Host, projectRoot: string): Promise<readonly string[]> {
  const answered = await openTrust(host).answered(projectRoot);
  if (answered === undefined || answered.file !== (await stampOf(host, projectRoot))) return [];
  return answered.rules;
}

/** Call it right after writing the file. If it fails, the rules merely need a trusted folder. */
export async function rememberAnswered(host: Host, projectRoot: string, rules: readonly string[]): Promise<void> {
  const file = await stampOf(host, projectRoot);
  if (file !== undefined) await openTrust(host).saveAnswered(projectRoot, { file, rules });
}

async function stampOf({ files }: Host, projectRoot: string): Promise<string | undefined> {
  const stat = await files.lstat(localSettingsFile(projectRoot)).catch(() => undefined);
  return stat?.kind === 'file' ? describe(stat) : undefined;
}

function describe({ identity, ctimeMs, size }: FileStat): string {
  return `${identity} ${ctimeMs} ${size}`;
}
