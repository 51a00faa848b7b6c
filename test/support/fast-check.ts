/**
 * fast-check with the seed of the run, which vitest.config.ts chooses: the same from run to run, so that a red test stays
 * red until it is mended. `FC_SEED=random` looks for new cases, `FC_SEED=123` repeats one. A failure reports its seed.
 * The case it found is then kept in the `examples` of its property, which are tried on every run.
 */

import fc from 'fast-check';

const seed = Number(process.env.FC_SEED);
if (!Number.isInteger(seed)) throw new Error(`FC_SEED must be a whole number or "random": ${process.env.FC_SEED}`);
fc.configureGlobal({ seed });

export * from 'fast-check';
export default fc;
