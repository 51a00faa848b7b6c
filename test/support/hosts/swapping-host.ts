/** A machine on which something happens once, between two file calls: whatever step it meets, nothing may go wrong. */

import type { HeldFolder } from '../../../src/host/files.js';
import type { Host } from '../../../src/host/host.js';

/** Does something once, before the file call of this number. Calls on what is held count too. */
export function swappingHost(
  real: Host,
  at: number,
  swap: () => Promise<unknown>,
): { host: Host; steps: () => number } {
  let calls = 0;
  const before = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, key) => {
        const member: unknown = Reflect.get(object, key);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          if (calls++ === at) await swap();
          const result: unknown = await member.apply(object, args);
          return isHeld(result) ? before(result) : result;
        };
      },
    });
  return { host: { ...real, files: before(real.files) }, steps: () => calls };
}

function isHeld(value: unknown): value is HeldFolder {
  return typeof value === 'object' && value !== null && 'close' in value;
}
