/** Stores results as JSON, one file per run, for comparison. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('results/', import.meta.url));

/** The latest figures of every row: a run may measure only some of them. */
export async function lastRows() {
  const names = (await readdir(FOLDER).catch(() => [])).filter((name) => name.endsWith('.json')).sort();
  const rows = new Map();
  for (const name of names) {
    const results = JSON.parse(await readFile(join(FOLDER, name), 'utf8'));
    for (const row of results.rows) if (row.notYet === undefined) rows.set(row.name, row);
  }
  return rows;
}

export async function keepResults(rows) {
  const now = new Date();
  await mkdir(FOLDER, { recursive: true });
  const file = join(FOLDER, `${now.toISOString().slice(0, 19).replaceAll(':', '-')}.json`);
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, load: loadavg()[0] };
  await writeFile(file, `${JSON.stringify({ at: now.toISOString(), machine, rows }, undefined, 1)}\n`);
  return relative(process.cwd(), file);
}
