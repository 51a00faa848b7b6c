/** Checks the length of files and the size of folders. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LINES = { src: 300, scripts: 300, bench: 300, examples: 300, test: 450 };
const FILES_IN_FOLDER = { src: 20, test: 20, scripts: 20, bench: 20 };
/** Generated or third-party files: data, recorded pages. */
const NOT_OURS = /^test\/fixtures\//;

const problems = [...Object.keys(LINES).flatMap(longFiles), ...Object.keys(FILES_IN_FOLDER).flatMap(fullFolders)];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function longFiles(top) {
  return entriesOf(top)
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs|cjs|js|sh)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !NOT_OURS.test(path))
    .map((path) => ({ path, lines: countLines(path) }))
    .filter(({ lines }) => lines > LINES[top])
    .map(({ path, lines }) => `${path}: ${lines} lines, at most ${LINES[top]}`);
}

function fullFolders(top) {
  const counts = new Map();
  for (const entry of entriesOf(top)) {
    if (entry.isFile()) counts.set(entry.parentPath, (counts.get(entry.parentPath) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, files]) => !NOT_OURS.test(`${folder}/`) && files > FILES_IN_FOLDER[top])
    .map(([folder, files]) => `${folder}/: ${files} files, at most ${FILES_IN_FOLDER[top]}`);
}

function entriesOf(top) {
  return readdirSync(top, { recursive: true, withFileTypes: true });
}

/** Counts lines like an editor: a trailing newline does not start another line. */
function countLines(path) {
  return readFileSync(path, 'utf8').replace(/\n$/, '').split('\n').length;
}
