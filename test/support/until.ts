/** Waiting for something to be so, never for a time: looks again and again, and fails with what never came. */

const LIMIT_MS = 15_000;

export async function until(look: () => boolean | Promise<boolean>, what = 'that', ms = LIMIT_MS): Promise<void> {
  await untilFound(async () => ((await look()) ? true : undefined), what, ms);
}

/** Gives what was found. */
export async function untilFound<T>(
  look: () => T | undefined | Promise<T | undefined>,
  what: string,
  ms = LIMIT_MS,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`it never came to that: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Lets everything run that waits for nothing but its turn. */
export async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
