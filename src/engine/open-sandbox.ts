/** The sandbox of a session, where settings ask for one. */

import { join } from 'node:path';
import { coppiceHome } from '../config/paths.js';
import type { Sandbox } from '../gate/sandbox/sandbox.js';
import type { Host } from '../host/host.js';
import type { RuntimeInput } from './runtime-input.js';

/** Loaded only where it is asked for. What a killed session left behind is removed all the same. */
export async function openSandbox(
  { host, settings: { settings }, roots, layout }: RuntimeInput,
  warn: (line: string) => void,
): Promise<Sandbox | undefined> {
  const mode = settings.sandbox ?? 'off';
  if (mode === 'off') {
    for (const note of await clearSandboxes(host)) warn(`sandbox: ${note}`);
    return undefined;
  }
  const [{ createSandbox }, { describeStatus }] = await Promise.all([
    import('../gate/sandbox/sandbox.js'),
    import('../gate/sandbox/describe-sandbox.js'),
  ]);
  await host.files.makeFolder(layout.toolResults, 0o700);
  const sandbox = createSandbox({ host, mode, roots, readable: [layout.toolResults] });
  const status = await sandbox.status();
  if (status.kind !== 'on') warn(`sandbox: ${describeStatus(status, mode).found}`);
  else for (const note of status.notes) warn(`sandbox: ${note}`);
  return sandbox;
}

/** A session that was killed in a sandbox may have left stubs, whatever this one uses. */
export async function clearSandboxes(host: Host): Promise<readonly string[]> {
  const home = coppiceHome(host.env);
  if ((await host.files.stat(join(home, 'sandbox'))) === undefined) return [];
  const { clearLeftovers } = await import('../gate/sandbox/sandbox-state.js');
  return clearLeftovers(host, await host.files.realpath(home));
}
