/** `coppice demo`: a real session in a throw-away repository, against the simulated model. No key, no network. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import { costOf, costWithoutCache, modelData } from '../../../model/models.js';
import type { Watched } from '../../../protocol/events.js';
import { parseBlock } from '../../../protocol/frozen-block.js';
import { inputTokens, type Usage } from '../../../protocol/usage.js';
import { startSim } from '../../../sim/index.js';
import { openSession } from '../../sdk/open-session.js';
import { EXIT } from '../exit-code.js';
import { progressLine } from '../progress-line.js';
import { DEMO_FILES, DEMO_PROMPT, demoScenario } from './demo-scenario.js';

export async function runDemo(flags: { readonly keep?: boolean }): Promise<number> {
  const scratch = await mkdtemp(join(tmpdir(), 'coppice-demo-'));
  const repo = join(scratch, 'shop');
  const sim = await startSim({ scenario: demoScenario(repo) });
  try {
    const env = {
      ...process.env,
      COPPICE_HOME: join(scratch, 'state'),
      COPPICE_CONFIG_DIR: join(scratch, 'config'),
      ANTHROPIC_BASE_URL: sim.url,
      ANTHROPIC_API_KEY: 'demo',
    };
    const host = nodeHost(scratch, env);
    await makeRepo(host, repo);
    return await runSession(host.at(repo), repo, flags.keep === true);
  } finally {
    await sim.close();
    if (flags.keep) say(`\nKept: ${scratch}`);
    else await rm(scratch, { recursive: true, force: true });
  }
}

async function makeRepo(host: Host, repo: string): Promise<void> {
  await host.files.makeFolder(repo);
  for (const [name, content] of Object.entries(DEMO_FILES)) await host.files.create(join(repo, name), content, 0o644);
  const identity = ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.invalid', '-c', 'commit.gpgsign=false'];
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    [...identity, 'commit', '-qm', 'A shop'],
  ]) {
    const end = await host.processes.run({ file: 'git', args, cwd: repo, env: host.env });
    if (end.code !== 0)
      throw new Error(`git ${args.join(' ')} failed: ${end.error?.message ?? end.stderr.toString('utf8')}`);
  }
}

async function runSession(host: Host, repo: string, keep: boolean): Promise<number> {
  const replies: { model: string; usage: Usage }[] = [];
  say(`Coppice demo: a session against the simulated model, in ${repo}\n`);
  say(`> ${DEMO_PROMPT}\n`);
  const opened = await openSession({
    cwd: repo,
    host,
    permissionMode: 'acceptEdits',
    allowedTools: ['Bash(node --test)'],
    onEvent: (watched) => {
      show(watched);
      if (watched.event.kind === 'assistant-replied') replies.push(watched.event);
    },
  });
  if (!opened.ok) throw new Error(opened.message);
  const { session } = opened;
  const end = await session.send(DEMO_PROMPT);
  await session.close();
  say('\nAgents\n  main');
  say('\nPrompt cache, request by request');
  say(cacheTable(replies));
  say(
    `\nTranscript: ${keep ? session.transcript : '~/.coppice/projects/<project>/<session>.jsonl in a session of yours'}`,
  );
  if (end.reason === 'completed') return EXIT.done;
  say(`\nThe demo did not come to its end: ${end.line ?? end.reason}`);
  return EXIT.error;
}

function show({ event }: Watched): void {
  if (event.kind === 'assistant-replied') {
    for (const block of event.blocks.map(parseBlock)) if (block.type === 'text') say(`\n${block.text}`);
    return;
  }
  const line = event.kind === 'turn-started' ? undefined : progressLine(event);
  if (line !== undefined) say(line);
}

function cacheTable(replies: readonly { readonly model: string; readonly usage: Usage }[]): string {
  const rows = replies.map(({ usage }, index) =>
    [index + 1, inputTokens(usage), usage.cacheRead, usage.cacheWrite5m + usage.cacheWrite1h, usage.input].map((cell) =>
      String(cell).padStart(9),
    ),
  );
  const model = modelData(replies[0]?.model ?? '');
  const cost = replies.reduce((sum, { usage }) => sum + (costOf(usage, model) ?? 0), 0);
  const uncached = replies.reduce((sum, { usage }) => sum + (costWithoutCache(usage, model) ?? 0), 0);
  return [
    ['request', 'input', 'read', 'written', 'uncached'].map((cell) => cell.padStart(9)).join(''),
    ...rows.map((row) => row.join('')),
    `  cost on a real model (${model.id}): $${cost.toFixed(4)}, without the cache $${uncached.toFixed(4)}`,
  ].join('\n');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
