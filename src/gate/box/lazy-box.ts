/** The reading box as a session holds it: its code is loaded at the first use, not at the start. */

import type { ReadingBoxOptions } from './create-box.js';
import type { ReadingBox } from './reading-box.js';

export function lazyReadingBox(options: ReadingBoxOptions): ReadingBox {
  let loading: Promise<ReadingBox> | undefined;
  const load = () => {
    loading ??= import('./create-box.js').then(({ createReadingBox }) => createReadingBox(options));
    return loading;
  };
  return {
    status: async () => (await load()).status(),
    prepare: async (request) => (await load()).prepare(request),
    confine: async (command, box, show) => (await load()).confine(command, box, show),
    close: async () => (await loading)?.close(),
  };
}
