/** The gate under test, from source: what the loop asks, and how the engine starts what was allowed. */

import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { makeEnvironment } from './environments.mjs';
import { AGENT_BRANCH, CANARIES } from './plant.mjs';
import { FORBIDDEN_PROGRAM } from './programs.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENTRY = `
export { createGate } from './src/gate/gate.ts';
export { createSandbox } from './src/gate/sandbox/create-sandbox.ts';
export { confinePermitted } from './src/gate/sandbox/confine-permitted.ts';
export { nodeHost } from './src/host/node-host.ts';
export { shellCommand } from './src/tools/bash/shell-command.ts';
`;
const OPEN = { behavior: 'allow', by: 'an open gate' };
const DENIED = ['Read(.env)', 'Read(secrets/**)', 'Edit(locked/**)'];

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

/**
 * Opens the gate of a playground; `open`: one that allows everything. `ask` throws if lines are to be confined and this
 * machine can't.
 */
export function openGate(source, place, { confine, open = false }) {
  const sessions = new Map();
  const sessionOf = async ({ environment, worktree }) => {
    const key = `${environment} ${worktree}`;
    if (!sessions.has(key)) sessions.set(key, await openSession(source, place, { environment, worktree, confine }));
    return sessions.get(key);
  };
  return {
    /** `command` is undefined if a user or a rule would have to allow it. */
    ask: async (line) => {
      const env = makeEnvironment(line.environment, place, CANARIES.key);
      if (open)
        return { decision: OPEN, command: { file: 'bash', args: ['-c', line.text], cwd: line.cwd, env }, boxed: false };
      const { host, box, gateFor, worktree, roots } = await sessionOf(line);
      const action = { kind: 'shell', command: line.text, cwd: line.cwd };
      const call = { id: String(line.seed), tool: 'Bash', input: { command: line.text }, actions: [action] };
      const judged = await gateFor(line).decide(askerOf(line, { roots, worktree }, host), call);
      const { decision } = judged;
      if (decision.behavior !== 'allow') return { decision, boxed: false };
      const plain = source.shellCommand(line.text, line.cwd, { host, roots });
      const at = { host, roots, trusted: line.trusted, worktree };
      const confinement = { sandbox: box, mode: 'off', confines: confine };
      const started = await source.confinePermitted(confinement, at, plain, { run: decision.run, box: judged.box });
      const command = started.ok ? started.command : undefined;
      const finish = started.ok ? started.finish : undefined;
      return { decision, command, finish, boxed: command !== undefined && basename(command.file) === 'bwrap' };
    },
    close: () => Promise.all([...sessions.values()].map(({ box }) => box.close())),
  };
}

async function openSession(source, place, { environment, worktree: isWorktree, confine }) {
  const host = source.nodeHost(place.root, makeEnvironment(environment, place, CANARIES.key));
  const worktree = isWorktree ? worktreeOf(place) : undefined;
  const roots = [worktree?.path ?? place.root];
  const box = source.createSandbox({ host, roots });
  const status = await box.status();
  if (confine && status.kind !== 'on') throw new Error(`nothing can be confined here: ${status.reason}`);
  const gates = new Map();
  const gateFor = (line) => {
    const key = `${line.trusted} ${line.denies} ${line.forbids} ${line.allow.join()}`;
    if (!gates.has(key)) gates.set(key, makeGate(source, host, place, box, { ...line, confine }));
    return gates.get(key);
  };
  return { host, box, gateFor, worktree, roots };
}

function worktreeOf({ root, worktree }) {
  const common = join(root, '.git');
  return {
    name: basename(worktree),
    path: worktree,
    branch: AGENT_BRANCH,
    from: root,
    git: { own: join(common, 'worktrees', basename(worktree)), common },
  };
}

function makeGate(source, host, place, box, { trusted, denies, forbids, allow, confine }) {
  const origin = { source: 'user', file: 'torture', folder: place.root };
  const denied = [...(denies ? DENIED : []), ...(forbids ? [`Bash(${FORBIDDEN_PROGRAM}:*)`] : [])];
  const sourced = (behavior) => (rule) => ({ behavior, rule, origin });
  return source.createGate({
    host,
    projectRoot: place.root,
    rules: [...denied.map(sourced('deny')), ...allow.map(sourced('allow'))],
    trusted,
    readRoots: [],
    editsAgreed: undefined,
    acceptEdits: async () => {},
    warn: (text) => console.error(text),
    ...(confine ? { box } : {}),
  });
}

function askerOf(line, { roots, worktree }, host) {
  return {
    id: 'main',
    type: 'main',
    depth: 0,
    mode: line.mode,
    readOnly: false,
    limits: undefined,
    roots,
    worktree,
    folder: roots[0],
    cwd: line.cwd,
    files: host.files.sync,
  };
}
