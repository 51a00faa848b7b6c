/** The user's key bindings, and the prefix key of a terminal multiplexer (TU-17). */

import { join } from 'node:path';
import { configDir } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import { findOwnProgram } from '../../../host/programs/own-program.js';
import { processEnvironment } from '../../../host/programs/process-environment.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import { type Keybindings, readKeybindings } from '../input/bindings/read-keybindings.js';
import { Keymap } from '../input/keymap.js';
import type { Ui } from './ui.js';

/** Bindings apply as soon as they are read; the multiplexer may take longer to report its prefix. */
export async function useUserKeys(ui: Ui, host: Host): Promise<void> {
  const { bindings, problems } = await readOwn(host);
  if (bindings.length > 0) ui.keymap = new Keymap({ bindings });
  for (const problem of problems) ui.say(ui.theme.warn(problem));
  const prefix = await findPrefix(host).catch(() => undefined);
  if (prefix !== undefined) ui.keymap = new Keymap({ bindings, prefix });
  ui.paint();
}

async function readOwn(host: Host): Promise<Keybindings> {
  try {
    const text = await host.files.read(join(configDir(host.env), 'keybindings.json'));
    return readKeybindings(text.toString('utf8'));
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
    const problem = `keybindings.json can't be read: ${reasonOf(error)}. Using the default keys.`;
    return { bindings: [], problems: isMissing ? [] : [problem] };
  }
}

const LIMIT_MS = 1000;

/** In tmux's notation (`C-b`), for `Keymap`. Undefined: there is none, or tmux does not report it. */
export async function findPrefix(
  host: Pick<Host, 'env' | 'files' | 'folder' | 'processes'>,
): Promise<string | undefined> {
  if (!host.env.TMUX) return host.env.STY ? 'C-a' : undefined;
  const file = findOwnProgram(host, 'tmux');
  if (file === undefined) return undefined;
  const args = ['show-options', '-gv', 'prefix'];
  const env = processEnvironment(host, 'own');
  const run = await host.processes.run({ file, args, cwd: host.folder, env, timeoutMs: LIMIT_MS });
  const word = run.stdout.toString('utf8').trim();
  return run.code === 0 && word !== '' ? word : undefined;
}
