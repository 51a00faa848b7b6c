/** Runs the user's programs: an editor for long text, a pager for long output. */

import { join } from 'node:path';
import type { Host } from '../../../host/host.js';
import { processEnvironment } from '../../../host/programs/process-environment.js';
import { runAtTerminal } from '../../../host/terminal/run-at-terminal.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import type { Result } from '../../../protocol/result.js';

export type Edited = Result<{ readonly text: string }>;

/** `folder`: holds the text while it is edited. */
export async function editText(host: Host, folder: string, text: string): Promise<Edited> {
  const editor = host.env.VISUAL || host.env.EDITOR;
  if (!editor) return { ok: false, reason: 'no editor is set. Set one, for example: export EDITOR=vim' };
  const file = join(folder, `edited-${host.newShortId()}.md`);
  try {
    await host.files.makeFolder(folder, 0o700);
    await host.files.create(file, text);
    const { code, error } = await runShellWord(host, editor, file);
    if (error !== undefined) return { ok: false, reason: `${editor} can't be started: ${error.message}` };
    if (code !== 0) return { ok: false, reason: `${editor} ended with ${code ?? 'a signal'}; the text is unchanged` };
    return { ok: true, text: (await host.files.read(file)).toString('utf8').replace(/\r\n/g, '\n').replace(/\n$/, '') };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  } finally {
    await host.files.remove(file).catch(() => {});
  }
}

/** Resolves with the reason if it can't be shown. */
export async function showInPager(host: Host, folder: string, text: string): Promise<string | undefined> {
  const file = join(folder, `shown-${host.newShortId()}.txt`);
  try {
    await host.files.makeFolder(folder, 0o700);
    await host.files.create(file, text);
    const { error } = await runShellWord(host, host.env.PAGER || 'less -R', file);
    return error === undefined ? undefined : `the pager can't be started: ${error.message}`;
  } catch (error) {
    return reasonOf(error);
  } finally {
    await host.files.remove(file).catch(() => {});
  }
}

/** Editors are set with arguments (`code --wait`): the shell splits them, as for git. */
function runShellWord(host: Host, command: string, file: string) {
  const args = ['-c', `${command} "$@"`, command, file];
  return runAtTerminal({ file: '/bin/sh', args, cwd: host.folder, env: processEnvironment(host, 'command') });
}
