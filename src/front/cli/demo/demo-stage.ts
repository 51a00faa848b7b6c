/** Sets up the demo: a scratch folder, a repository, a clean environment and the simulated model. */

import { rmSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment, Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import type { ProcessCommand } from '../../../host/processes.js';
import { type Sim, startSim } from '../../../sim/index.js';
import { DEMO_FILES, type DemoCues, demoRules } from './demo-scenario.js';

export type DemoStage = {
  readonly scratch: string;
  readonly repo: string;
  readonly host: Host;
  readonly sim: Sim;
  readonly cues: DemoCues;
  readonly keep: boolean;
  /** Aborts when the demo ends early: started processes are ended and awaited. */
  readonly leave: AbortSignal;
  /** This program with other arguments, in the repository. */
  program(...args: readonly string[]): Pick<ProcessCommand, 'file' | 'args' | 'cwd' | 'env'>;
  clear(): Promise<void>;
};

/** Slow enough to read along. */
const FIRST_TOKEN_MS = 200;

export async function setDemoStage(keep: boolean, leave: AbortSignal): Promise<DemoStage> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'coppice-demo-')));
  const remove = () => {
    if (!keep) rmSync(scratch, { recursive: true, force: true });
  };
  // For an exit without cleanup, such as a second Ctrl+C.
  process.once('exit', remove);
  const repo = join(scratch, 'shop');
  const { rules, cues } = demoRules(repo);
  const sim = await startSim({ ttftMs: FIRST_TOKEN_MS });
  sim.use({ name: 'demo', rules });
  const env = demoEnv(scratch, sim.url);
  const host = nodeHost(repo, env);
  const clear = async () => {
    await sim.close();
    remove();
    process.off('exit', remove);
  };
  const program: DemoStage['program'] = (...args) => {
    const [node = process.execPath, path = ''] = process.argv;
    return { file: node, args: [...process.execArgv, path, ...args], cwd: repo, env };
  };
  try {
    await host.files.makeFolder(join(scratch, 'home'));
    await makeRepo(host, leave);
  } catch (error) {
    await clear();
    throw error;
  }
  return { scratch, repo, host, sim, cues, keep, leave, program, clear };
}

/** What programs need to run and to know the terminal, and nothing personal: no key, no settings, no proxy. */
const KEPT =
  'PATH LANG LC_ALL TERM TMPDIR USER SHELL COLORTERM TERM_PROGRAM NO_COLOR FORCE_COLOR TMUX STY SSH_TTY SSH_CONNECTION WT_SESSION';

function demoEnv(scratch: string, url: string): Environment {
  return {
    ...Object.fromEntries(KEPT.split(' ').map((name) => [name, process.env[name]])),
    HOME: join(scratch, 'home'),
    COPPICE_HOME: join(scratch, 'state'),
    COPPICE_FORK_SUBAGENT: '1',
    COPPICE_RESUME_AGENTS: 'auto',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'demo',
  };
}

async function makeRepo({ files, folder, processes, env }: Host, signal: AbortSignal): Promise<void> {
  await files.makeFolder(folder);
  for (const [name, content] of Object.entries(DEMO_FILES)) await files.create(join(folder, name), content, 0o644);
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['config', 'user.name', 'Demo'],
    ['config', 'user.email', 'demo@example.invalid'],
    ['config', 'commit.gpgsign', 'false'],
    ['add', '-A'],
    ['commit', '-qm', 'A shop'],
  ]) {
    const end = await processes.run({ file: 'git', args, cwd: folder, env, signal });
    if (end.code !== 0)
      throw new Error(`git ${args.join(' ')} failed: ${end.error?.message ?? end.stderr.toString('utf8')}`);
  }
}
