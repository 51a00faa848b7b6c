/** The sandbox on Linux, through bubblewrap. */

import type { Opened, SandboxOptions } from '../opened-sandbox.js';
import { createPreparer } from '../view/prepare-view.js';
import { createConfine } from './confine.js';
import { INSTALL } from './explain-start.js';
import { findBubblewrap } from './find-bubblewrap.js';
import { probeOnce } from './probe.js';
import { openSurroundings } from './surroundings.js';

export async function openLinux(options: SandboxOptions): Promise<Opened> {
  const { host, roots, trusted = false, readable = [] } = options;
  if (roots.includes('/')) {
    return { ok: false, reason: 'the working folder is the whole file system: work in a folder of it' };
  }
  const bubblewrap = await findBubblewrap(host, roots);
  if (bubblewrap === undefined) {
    const reason = `bubblewrap (bwrap) is not installed outside the folders agents can write to: ${INSTALL}`;
    return { ok: false, reason };
  }
  if (!bubblewrap.limitsSize) {
    return { ok: false, reason: `bubblewrap ${bubblewrap.version} is too old: install 0.7 or later` };
  }
  const around = await openSurroundings(host, bubblewrap, { roots, trusted });
  const preparer = createPreparer({
    host,
    home: around.home,
    git: around.git,
    system: around.system,
    tools: (all) => around.tools(all).flatMap((mount) => (mount.kind === 'show' ? [mount.path] : [])),
    owner: around.owner,
    writes: true,
  });
  const probe = await probeOnce(host, around, preparer);
  if (!probe.ok) return probe;
  const { confine, close } = createConfine(host, around, readable);
  return { ok: true, sandbox: { found: probe.found, confines: 'all', preparer, confine, close } };
}
