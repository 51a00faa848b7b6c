/** Sets up the demo: a scratch folder, a repository, a clean environment and the simulated model. */

import { rmSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment, Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import { type Sim, startSim } from '../../../sim/index.js';
import { DEMO_FILES } from './demo-files.js';

export type DemoStage = {
  readonly scratch: string;
  readonly repo: string;
  readonly env: Environment;
  readonly host: Host;
  readonly sim: Sim;
  readonly keep: boolean;
  /** Aborts when the demo is to be left. */
  readonly leave: AbortSignal;
  clear(): Promise<void>;
};

/** Slow enough to read along. */
const FIRST_TOKEN_MS = 200;

export async function setDemoStage(keep: boolean, leave: AbortSignal): Promise<DemoStage> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'coppice-demo-')));
  const remove = () => {
    if (!keep) rmSync(scratch, { recursive: true, force: true });
  };
  // For an end that nothing waits for, such as a second Ctrl+C.
  process.once('exit', remove);
  const sim = await startSim({ ttftMs: FIRST_TOKEN_MS });
  const repo = join(scratch, 'shop');
  const env = demoEnv(scratch, sim.url);
  const host = nodeHost(scratch, env);
  const clear = async () => {
    await sim.close();
    remove();
    process.off('exit', remove);
  };
  try {
    await makeRepo(host, repo, leave);
  } catch (error) {
    await clear();
    throw error;
  }
  return { scratch, repo, env, host: host.at(repo), sim, keep, leave, clear };
}

/** What programs need to run, and nothing personal: no key, no settings, no proxy. */
function demoEnv(scratch: string, url: string): Environment {
  const kept = ['PATH', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'USER', 'SHELL'];
  return {
    ...Object.fromEntries(kept.map((name) => [name, process.env[name]])),
    HOME: join(scratch, 'home'),
    COPPICE_HOME: join(scratch, 'state'),
    COPPICE_FORK_SUBAGENT: '1',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'demo',
  };
}

async function makeRepo(host: Host, repo: string, signal: AbortSignal): Promise<void> {
  await host.files.makeFolder(join(host.folder, 'home'));
  await host.files.makeFolder(repo);
  for (const [name, content] of Object.entries(DEMO_FILES)) await host.files.create(join(repo, name), content, 0o644);
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['config', 'user.name', 'Demo'],
    ['config', 'user.email', 'demo@example.invalid'],
    ['config', 'commit.gpgsign', 'false'],
    ['add', '-A'],
    ['commit', '-qm', 'A shop'],
  ]) {
    const end = await host.processes.run({ file: 'git', args, cwd: repo, env: host.env, signal });
    if (end.code !== 0)
      throw new Error(`git ${args.join(' ')} failed: ${end.error?.message ?? end.stderr.toString('utf8')}`);
  }
}
