/** Something a reply or a tool of a test waits for, until the test opens it. */

import type { Reply } from '../../src/sim/index.js';

export type Gate = { readonly opened: Promise<void>; open(): void };

export function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A reply that waits for a gate. `asked` is called before it waits. */
export function onceOpen(opens: Gate, reply: Reply, asked = () => {}): () => Promise<Reply> {
  return async () => {
    asked();
    await opens.opened;
    return reply;
  };
}
