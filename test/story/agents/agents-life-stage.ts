/** What the tests of agents-life.test.ts share with those of test:long. */

export const ALPHA = 'TASK alpha';

export const bash = (command: string) => ({ tool: 'Bash', input: { command } });

/** Lets everybody through when so many have come. */
export function gathering(count: number) {
  let come = 0;
  let open: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    come: () => come,
    opened: all,
    join: async () => {
      come += 1;
      if (come === count) open();
      await all;
    },
  };
}
