/** Finds similar names, nearest first, for "did you mean" hints. */

export function nearestNames(name: string, names: Iterable<string>, most = 3): readonly string[] {
  const requested = name.toLowerCase();
  const bound = Math.max(2, Math.floor(requested.length / 3));
  const ranked: { readonly name: string; readonly distance: number }[] = [];
  for (const candidate of names) {
    const distance = nameDistance(requested, candidate.toLowerCase(), bound);
    if (distance <= bound) ranked.push({ name: candidate, distance });
  }
  ranked.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return ranked.slice(0, most).map((entry) => entry.name);
}

function nameDistance(requested: string, candidate: string, bound: number): number {
  // A partial name is near as well: `Fetch` for `WebFetch`, `read_file` for `Read`.
  const [short, long] = requested.length < candidate.length ? [requested, candidate] : [candidate, requested];
  if (short.length >= 3 && long.includes(short)) return Math.min(bound, 1);
  if (Math.abs(requested.length - candidate.length) > bound) return bound + 1;
  return editDistance(requested.slice(0, 200), candidate.slice(0, 200));
}

/** The number of insertions, deletions, replacements and swaps of neighbours between `a` and `b`. */
function editDistance(a: string, b: string): number {
  let twoBack: number[] = [];
  let oneBack = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((oneBack[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (oneBack[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, (twoBack[j - 2] ?? 0) + 1);
      row.push(best);
    }
    twoBack = oneBack;
    oneBack = row;
  }
  return oneBack[b.length] ?? 0;
}
