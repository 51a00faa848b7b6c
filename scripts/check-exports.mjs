/**
 * Checks the package exports: every entry of package.json is built, loads, has the documented names, and exports every
 * type in its public signatures. Builds into a separate folder, so that tests that run dist/ are not affected.
 */

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { findHiddenTypes } from './find-hidden-types.mjs';

const PROMISED = {
  '.': ['createSession', 'defineTool', 'text'],
  './sim': ['startSim', 'checkRequest', 'parseScenario', 'builtInScenarios'],
};

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const stage = mkdtempSync(join(tmpdir(), 'coppice-exports-'));
try {
  execFileSync(process.execPath, ['scripts/build.mjs', '--types', '--out', join(stage, 'dist')], { stdio: 'inherit' });
  for (const file of ['package.json', 'LICENSE', 'CHANGELOG.md', 'README.md']) copyFileSync(file, join(stage, file));
  // Before node_modules is linked: types of other packages are not checked.
  const hidden = Object.keys(PROMISED).flatMap(checkTypes);
  symlinkSync(resolve('node_modules'), join(stage, 'node_modules'));
  const problems = [...hidden, ...(await checkPackage()), ...(await checkNames())];
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  rmSync(stage, { recursive: true, force: true });
}

function checkTypes(door) {
  const entry = manifest.exports[door].types;
  return findHiddenTypes(join(stage, entry)).map(
    ({ name, file, user }) => `${door}: ${user} mentions ${name} (${file}), which is not exported`,
  );
}

async function checkPackage() {
  const { messages } = await publint({ pkgDir: stage, strict: true });
  return messages.map((message) => formatMessage(message, manifest) ?? message.code);
}

async function checkNames() {
  const problems = [];
  for (const [door, names] of Object.entries(PROMISED)) {
    const target = manifest.exports[door];
    const missing = Object.values(target).filter((file) => !existsSync(join(stage, file)));
    problems.push(...missing.map((file) => `${door}: ${file} is not built`));
    const module = await import(pathToFileURL(join(stage, target.import)).href);
    for (const name of names) if (!(name in module)) problems.push(`${door} does not export ${name}`);
  }
  return problems;
}
