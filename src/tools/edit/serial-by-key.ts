/** Runs tasks with the same key one after another, so that two edits of a file in one process never interleave. */

const last = new Map<string, Promise<unknown>>();

export async function serialByKey<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  last.set(key, mine);
  try {
    return await mine;
  } finally {
    if (last.get(key) === mine) last.delete(key);
  }
}
