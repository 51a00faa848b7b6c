/** Runs work in order, without overlap, within this process. Work with another key does not wait. */

export function serialQueue(): <T>(work: () => Promise<T>, key?: string) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (work, key = '') => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
