/** Tracks the folder of an agent's shell, before and after a command. */

import { isInsideAny } from '../path-context.js';
import type { ToolContext } from '../tool.js';
import { readFolder } from './shell-command.js';

export type StartingFolder =
  | { readonly folder: string; readonly note: string | undefined }
  | { readonly reason: string };

/** The folder may have been removed since the last command. */
export async function startingFolder(context: ToolContext): Promise<StartingFolder> {
  const { host, shell } = context;
  if (await isFolder(context, shell.cwd)) return { folder: shell.cwd, note: undefined };
  if (!(await isFolder(context, host.folder))) {
    return { reason: `The working folder ${host.folder} no longer exists, so no command can run in it.` };
  }
  const note = `the folder ${shell.cwd} no longer exists; the command ran in ${host.folder}`;
  shell.cwd = host.folder;
  return { folder: host.folder, note };
}

/** Adopts the folder the command ended in. Returns a note if the shell could not stay there. */
export async function followShell(context: ToolContext, report: Buffer): Promise<string | undefined> {
  const { host, shell, roots } = context;
  const ended = await findFolder(context, report);
  if (ended !== undefined) {
    if (isInsideAny(roots, ended)) {
      shell.cwd = ended;
      return undefined;
    }
    shell.cwd = host.folder;
    return `the shell moved to ${ended}, outside the folders of this session; it is back in ${host.folder}`;
  }
  if (await isFolder(context, shell.cwd)) return undefined;
  const gone = shell.cwd;
  shell.cwd = host.folder;
  return `the folder ${gone} no longer exists; the shell is back in ${host.folder}`;
}

/**
 * Undefined if the command was killed, replaced the shell (`exec`), or ended in a folder that no longer exists. The
 * report is verified, because the command may have written anything.
 */
async function findFolder(context: ToolContext, report: Buffer): Promise<string | undefined> {
  const reported = readFolder(report);
  if (reported === undefined || !(await isFolder(context, reported))) return undefined;
  return context.host.files.realpath(reported).catch(() => undefined);
}

async function isFolder({ host }: ToolContext, path: string): Promise<boolean> {
  try {
    return (await host.files.stat(path))?.kind === 'folder';
  } catch {
    return false;
  }
}
