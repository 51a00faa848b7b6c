/** Stores results as JSON, one file per run, for comparison. Only the one that the README shows is committed. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('results/', import.meta.url));
const SHOWN = 'readme.json';

/** The latest figures of every row: a run may measure only some of them. */
export async function lastRows() {
  const names = (await readdir(FOLDER).catch(() => [])).filter((name) => name.endsWith('.json'));
  const runs = await Promise.all(names.map(async (name) => JSON.parse(await readFile(join(FOLDER, name), 'utf8'))));
  runs.sort((a, b) => a.at.localeCompare(b.at));
  const measured = runs.flatMap(({ rows }) => rows.filter((row) => row.notYet === undefined));
  return new Map(measured.map((row) => [row.name, row]));
}

/** `load`: of the last minute before the run. */
export function resultsOf(rows, load) {
  const [core] = cpus();
  const machine = { node: process.version, cpu: core?.model.trim(), cores: cpus().length, load };
  return { at: new Date().toISOString(), machine, rows };
}

/** `shown`: the README shows them. */
export async function keepResults(results, shown = false) {
  await mkdir(FOLDER, { recursive: true });
  const name = shown ? SHOWN : `${results.at.slice(0, 19).replaceAll(':', '-')}.json`;
  await writeFile(join(FOLDER, name), `${JSON.stringify(results, undefined, 1)}\n`);
  return relative(process.cwd(), join(FOLDER, name));
}
