/** Compares two measurements: alternately, so that other load affects both, and by medians. */

export async function compare(runs, floor, ours) {
  const samples = { floor: [], ours: [] };
  for (let run = 0; run < runs; run += 1) {
    samples.floor.push(await floor(run));
    samples.ours.push(await ours(run));
  }
  return samples;
}

/** Builds a row from samples. `pick` selects the figure from each. */
export function row(name, unit, { floor, ours }, target, pick = (sample) => sample) {
  const samples = { floor: floor.map(pick), ours: ours.map(pick) };
  return { name, unit, floor: median(samples.floor), ours: median(samples.ours), target, samples };
}

/** A row that can't be measured yet, with the reason. */
export function notYet(name, reason) {
  return { name, notYet: reason };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
