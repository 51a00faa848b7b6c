/** Waiting for a condition, never for a time: looks again and again, and fails with what never came. */

/** Only ends a test that hangs: longer than anything takes on a busy machine. */
const LIMIT_MS = 30_000;
/** Looking costs time of its own: the longer it takes, the rarer. */
const LONGEST_PAUSE_MS = 40;

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
  for (let pause = 2; ; pause = Math.min(pause * 1.3, LONGEST_PAUSE_MS)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`it never came to that: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Lets everything run that waits for nothing but its turn. */
export async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
