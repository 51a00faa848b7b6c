/** The gate under test, from source: what the loop asks, and how the engine starts what was allowed. */

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { CANARIES } from './playground.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENTRY = `
export { createGate } from './src/gate/gate.ts';
export { createReadingBox } from './src/gate/box/create-box.ts';
export { confinePermitted } from './src/gate/confine/confine-permitted.ts';
export { nodeHost } from './src/host/node-host.ts';
`;
const OPEN = { behavior: 'allow', by: 'an open gate', run: { kind: 'proven', refresh: [], changes: [] } };
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

/** Opens the gate of a playground; `open`: one that allows everything. Throws if lines are to be confined and this machine can't. */
export async function openGate(source, place, { confine, open = false }) {
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: place.home,
    COPPICE_HOME: place.state,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ANTHROPIC_API_KEY: CANARIES.key,
  };
  const host = source.nodeHost(place.root, env);
  const box = source.createReadingBox({ host, mode: confine ? 'auto' : 'off', roots: [place.root] });
  const status = await box.status();
  if (confine && status.kind !== 'on') throw new Error(`nothing can be confined here: ${status.reason}`);
  const gates = new Map();
  const gateFor = ({ trusted, denies }) => {
    const key = `${trusted} ${denies}`;
    if (!gates.has(key)) gates.set(key, makeGate(source, host, place, box, { trusted, denies, confine }));
    return gates.get(key);
  };
  return {
    /** `command` is undefined if a user or a rule would have to allow it. */
    ask: async (line) => {
      if (open)
        return {
          decision: OPEN,
          command: { file: 'bash', args: ['-c', line.text], cwd: line.cwd, env },
          confined: false,
        };
      const action = { kind: 'shell', command: line.text, cwd: line.cwd };
      const call = { id: String(line.seed), tool: 'Bash', input: { command: line.text }, actions: [action] };
      const judged = await gateFor(line).decide(askerOf(line, place, host), call);
      const { decision } = judged;
      if (decision.behavior !== 'allow') return { decision, confined: false };
      const { run } = decision;
      const plain = { file: 'bash', args: ['-c', line.text], cwd: line.cwd, env };
      const at = { host, roots: [place.root], trusted: line.trusted };
      const started = await source.confinePermitted({ box }, at, plain, { run, box: judged.box });
      return { decision, command: started.ok ? started.command : undefined, confined: run?.kind === 'reading' };
    },
    close: () => box.close(),
  };
}

function makeGate(source, host, place, box, { trusted, denies, confine }) {
  const origin = { source: 'user', file: 'torture', folder: place.root };
  return source.createGate({
    host,
    projectRoot: place.root,
    rules: (denies ? DENIED : []).map((rule) => ({ behavior: 'deny', rule, origin })),
    trusted,
    readRoots: [],
    editsAgreed: undefined,
    acceptEdits: async () => {},
    warn: (text) => console.error(text),
    ...(confine ? { box } : {}),
  });
}

function askerOf(line, place, host) {
  return {
    id: 'main',
    type: 'main',
    depth: 0,
    mode: line.mode,
    readOnly: false,
    limits: undefined,
    roots: [place.root],
    folder: place.root,
    cwd: line.cwd,
    files: host.files.sync,
  };
}
