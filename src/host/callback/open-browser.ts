/** Opens a web address in the user's browser. */

import type { Host } from '../host.js';
import { findOwnProgram } from '../programs/own-program.js';
import { processEnvironment } from '../programs/process-environment.js';

/** An opener that fails does so quickly; some run as long as the browser. */
const LONGEST_WAIT_MS = 3_000;

/**
 * Returns false if no browser can be opened. `url` must be http or https: other schemes may start programs. The signal
 * ends the wait, not the browser. Never rejects.
 */
export async function openBrowser(host: Host, url: URL, signal: AbortSignal): Promise<boolean> {
  if (!/^https?:$/.test(url.protocol) || !hasScreen(host)) return false;
  const file = findOwnProgram(host, host.platform.os === 'darwin' ? 'open' : 'xdg-open');
  if (file === undefined) return false;
  const opener = host.processes.start({ file, args: [url.href], cwd: '/', env: processEnvironment(host, 'command') });
  opener.stdout.resume();
  opener.stderr.resume();
  const failed = opener.exit.then(({ code, error }) => error !== undefined || code !== 0);
  const stays = host.clock.sleep(LONGEST_WAIT_MS, signal).then(() => false);
  return !(await Promise.race([failed, stays]));
}

/** Without a display, `xdg-open` would start a text browser over the screen. */
function hasScreen({ env, platform }: Host): boolean {
  return platform.os === 'darwin' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME || env.BROWSER);
}
