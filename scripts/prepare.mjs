/** Prepares a clone: installs dependencies if they are missing or outdated, and builds with --build. Idempotent. */

import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Coppice needs Node 20.19 or later; this is ${process.versions.node}.`);
  process.exit(1);
}

if (isMissing()) {
  refuseLinked();
  console.error('Installing dependencies (npm ci) …');
  execFileSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, stdio: ['ignore', 2, 2] });
}
if (process.argv.includes('--build')) await import('./build.mjs');

/** `npm ci` empties node_modules first. If it is a link, that would delete files of another clone. */
function refuseLinked() {
  if (!lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return;
  console.error(
    'node_modules is a link and does not match package-lock.json. Install in its target, or remove the link.',
  );
  process.exit(1);
}

/** npm writes this file last, so an interrupted install is treated as missing. */
function isMissing() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return true;
  return statSync(installed).mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs && !sameLock(installed);
}

function sameLock(installed) {
  try {
    execFileSync(npm, ['ls', '--all', '--silent'], { cwd: root, stdio: 'ignore' });
    return existsSync(installed);
  } catch {
    return false;
  }
}
