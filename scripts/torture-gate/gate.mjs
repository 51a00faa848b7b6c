/** The gate under test, from source: what the loop asks, and how it runs what was allowed. */

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { CANARIES } from './playground.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENTRY = `
export { explain } from './src/gate/permissions/judge.ts';
export { parseRule } from './src/gate/permissions/rules/rule.ts';
export { readingGitEnvironment } from './src/gate/box/git-environment.ts';
export { nodeFiles } from './src/host/node-files.ts';
`;
const DENIED = ['Read(.env)', 'Read(secrets/**)'];

export async function loadGate() {
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.cache', 'torture-gate-'));
  const outfile = join(folder, 'gate.mjs');
  await build({
    stdin: { contents: ENTRY, resolveDir: ROOT, loader: 'ts' },
    absWorkingDir: ROOT,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'silent',
    banner: { js: "import { createRequire as __c } from 'node:module'; const require = __c(import.meta.url);" },
  });
  const source = await import(pathToFileURL(outfile).href);
  await rm(folder, { recursive: true, force: true });
  return source;
}

/** Answers `undefined` if a person or a rule would have to allow it; otherwise the command as it would be started. */
export async function askGate(source, line, place, { confine }) {
  const policy = {
    mode: line.mode,
    rules: (line.denies ? DENIED : []).map(
      (text) => source.parseRule(text, 'deny', { source: 'torture', base: place.root }).rule,
    ),
    roots: [place.root],
    home: place.home,
    trusted: line.trusted,
    files: source.nodeFiles.sync,
    ...(confine ? { box: { deniedInGit: line.denies, gitIsWhole: true } } : {}),
  };
  const action = { kind: 'shell', command: line.text, cwd: line.cwd };
  const { decision } = source.explain({ tool: 'Bash', input: {}, actions: [action], cwd: line.cwd }, policy);
  if (decision.behavior !== 'allow') return { decision, command: undefined };
  const command = { file: 'bash', args: ['-c', line.text], cwd: line.cwd, env: environment(source, place) };
  return { decision, command, confined: decision.reading?.confined === true };
}

function environment(source, place) {
  return source.readingGitEnvironment({
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: place.home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ANTHROPIC_API_KEY: CANARIES.key,
  });
}
