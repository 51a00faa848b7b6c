/** Describes this machine's reading box in one line, for `coppice doctor`. */

import type { Host } from '../../host/host.js';
import { createReadingBox } from './create-box.js';

export type BoxDescription = { readonly state: 'ok' | 'note'; readonly found: string };

/** `mode` is the setting. Probes also where it is off, to say what it would give. */
export async function describeBox(host: Host, mode: 'auto' | 'off', platform?: string): Promise<BoxDescription> {
  const box = createReadingBox({
    host,
    mode: 'auto',
    roots: [host.folder],
    ...(platform ? { platform } : {}),
  });
  try {
    const status = await box.status();
    const off = mode === 'off' ? '. "confineReads": "off" is set: they don’t' : '';
    if (status.kind === 'on') {
      return {
        state: 'ok',
        found: `commands that only read can run without a question in a box (${status.found})${off}`,
      };
    }
    const reason = status.kind === 'unavailable' ? status.reason : 'off';
    return { state: 'note', found: `none: ${reason}. More commands ask before they run` };
  } finally {
    await box.close();
  }
}
