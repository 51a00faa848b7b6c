/** A machine that stops at its n-th effect, as if it was killed or lost power; or whose disk is full from then on. */

import { randomUUID } from 'node:crypto';
import type { Files, HeldFolder } from '../../../../../src/host/files.js';
import type { Host } from '../../../../../src/host/host.js';

/** `stop`: nothing happens any more. `full`: what takes space fails, from then on. `fail`: that one effect fails. */
export type Trouble = { readonly at: number; readonly how: 'stop' | 'full' | 'fail' };

export type StoppingHost = { readonly host: Host; readonly effects: readonly string[] };

const EFFECTS: readonly (keyof Files)[] = [
  'create',
  'replace',
  'makeFolder',
  'rename',
  'link',
  'remove',
  'removeFolder',
];
const TAKES_SPACE = /create|replace|makeFolder|link/;

export function stoppingHost(real: Host, { at, how }: Trouble, die: () => void = () => {}): StoppingHost {
  const effects: string[] = [];
  let hasStopped = false;
  /** Throws what the caller sees; what it does about it has no effect any more if the machine has stopped. */
  const before = (what: string, halfWay: () => Promise<unknown> = async () => {}): Promise<unknown> | undefined => {
    if (hasStopped) throw broken('EIO');
    effects.push(what);
    if (how === 'full' && at > 0 && effects.length >= at && TAKES_SPACE.test(what)) throw broken('ENOSPC');
    if (effects.length !== at) return undefined;
    if (how === 'fail') throw broken('ENOSPC');
    if (how !== 'stop') return undefined;
    return halfWay().then(() => {
      hasStopped = true;
      die();
      throw broken('EIO');
    });
  };
  const reading = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (hasStopped) throw broken('EIO');
      return call(...args);
    };
  };
  const files = { ...real.files };
  for (const name of EFFECTS) {
    const call = real.files[name] as (...args: unknown[]) => Promise<unknown>;
    Object.assign(files, {
      [name]: async (...args: unknown[]) => {
        await before(name);
        return call(...args);
      },
    });
  }
  const wrap = (held: HeldFolder): HeldFolder => {
    const wrapped: HeldFolder = {
      ...held,
      lstat: reading(held.lstat),
      openRead: reading(held.openRead),
      list: reading(held.list),
      enter: reading(async (name: string) => wrap(await held.enter(name))),
      replace: async (name, content, options) => {
        // Half of it, by the name that it has until it is complete.
        const half = Buffer.from(content).subarray(0, Math.ceil(content.length / 2));
        await before(`held replace ${name}`, () =>
          held.replace(`.${name.slice(0, 30)}.${randomUUID()}.coppice-tmp`, half),
        );
        return held.replace(name, content, options);
      },
      remove: async (name) => {
        await before(`held remove ${name}`);
        return held.remove(name);
      },
      makeFolder: async (name, mode) => {
        await before((await held.lstat(name)) === undefined ? `held makeFolder ${name}` : `held enter ${name}`);
        return wrap(await held.makeFolder(name, mode));
      },
      move: async (name, to, toName) => {
        await before(`held move ${name} ${toName}`);
        return held.move(name, unwrapped.get(to) ?? to, toName);
      },
      removeFolder: async (name) => {
        await before(`held removeFolder ${name}`);
        return held.removeFolder(name);
      },
      sync: async () => {
        await before('held sync');
        return held.sync();
      },
    };
    unwrapped.set(wrapped, held);
    return wrapped;
  };
  files.holdFolder = reading(async (path: string) => wrap(await real.files.holdFolder(path)));
  return { host: { ...real, files }, effects };
}

/** The machine moves only between folders that it holds itself. */
const unwrapped = new WeakMap<HeldFolder, HeldFolder>();

function broken(code: 'EIO' | 'ENOSPC'): Error {
  return Object.assign(new Error(`${code}: made up`), { code });
}
