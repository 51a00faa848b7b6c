/** The reading box on Linux, through bubblewrap. */

import { INSTALL } from '../../confine/explain-start.js';
import { findBubblewrap } from '../../confine/find-bubblewrap.js';
import { createPreparer } from '../look/prepare-box.js';
import type { BoxOptions, Opened } from '../opened-box.js';
import { assembleBox } from './bubblewrap-box.js';
import { probeOnce } from './probe.js';
import { openSurroundings } from './surroundings.js';

export async function openLinuxBox({ host, roots, trusted = false }: BoxOptions): Promise<Opened> {
  const bubblewrap = await findBubblewrap(host, roots);
  if (bubblewrap === undefined) {
    if (roots.includes('/'))
      return { ok: false, reason: 'the working folder is the whole file system: work in a folder of it' };
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
    git: async () => around.git,
    system: around.system,
    tools: (all) => around.tools(all).flatMap((mount) => (mount.kind === 'show' ? [mount.path] : [])),
    owner: around.owner,
  });
  const assemble = assembleBox.bind(undefined, host, around);
  const probe = await probeOnce(host, around, { preparer, assemble });
  if (!probe.ok) return probe;
  return { ok: true, box: { found: probe.found, preparer, assemble, close: async () => {} } };
}
