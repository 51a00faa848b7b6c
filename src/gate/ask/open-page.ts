/** Opens a page in the person's browser. */

import type { Host } from '../../host/host.js';

const TIMEOUT_MS = 10_000;

/** Returns why it could not. Never rejects. */
export async function openPage(host: Host, url: string): Promise<string | undefined> {
  const file = host.platform.os === 'darwin' ? 'open' : 'xdg-open';
  const running = host.processes.start({ file, args: [url], cwd: host.folder, env: host.env });
  running.stdout.resume();
  running.stderr.resume();
  const slow = new AbortController();
  // A browser that stays in the foreground has opened the page; it is left alone.
  const exit = await Promise.race([running.exit, host.clock.sleep(TIMEOUT_MS, slow.signal)]);
  slow.abort();
  if (exit === undefined) return undefined;
  if (exit.error !== undefined) return `${file} could not be started`;
  return exit.code === 0 ? undefined : `${file} ended with ${exit.code ?? exit.signal}`;
}
