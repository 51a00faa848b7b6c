/** The demo's summary, read from disk: the tree of agents, what the forks read from the cache, and all paths. */

import { relative } from 'node:path';
import { coppiceHome, projectKey, sessionLayout } from '../../../config/paths.js';
import { costWithoutCache, modelData } from '../../../model/models.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { exactMoney, percent, plural, wholeCount } from '../../../protocol/format-numbers.js';
import { type AgentLog, readAgentLogs } from '../../../session/state/agent-log.js';
import { auditSession } from '../../commands/usage/audit-session.js';
import type { AuditRow } from '../../view/cache-audit.js';
import type { DemoScreen } from './demo-screen.js';
import type { DemoStage } from './demo-stage.js';

type Fork = { readonly name: string; readonly log: AgentLog; readonly requests: readonly AuditRow[] };

export async function showSummary(stage: DemoStage, session: string, screen: DemoScreen): Promise<void> {
  const { host, repo, scratch, keep } = stage;
  const layout = sessionLayout(coppiceHome(host.env), projectKey(repo), session);
  const { agents } = await readAgentLogs(host.files, layout);
  const { rows } = (await auditSession(host, layout, {})).audit;
  const requestsOf = (agent: string) => rows.filter((row) => row.agent === agent && row.purpose === 'turn');
  const forks = agents
    .map((log) => ({ name: log.spawned.name ?? log.agent, log, requests: requestsOf(log.agent) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const unfinished = forks.find(({ log }) => log.status !== 'completed');
  if (unfinished !== undefined) throw new Error(`the fork ${unfinished.name} is ${unfinished.log.status}`);
  screen.heading('Agents');
  screen.line(`  ${'main'.padEnd(12)}${plural(requestsOf(MAIN_AGENT).length, 'request')}`);
  forks.forEach((fork, index) => {
    screen.line(`  ${index === forks.length - 1 ? '└─' : '├─'} ${fork.name.padEnd(9)}${describeFork(fork)}`);
  });
  screen.heading('Prompt cache, request by request: the first of each fork');
  showCache(forks, screen);
  screen.heading('Worktree: the work of a fork, separate from your files');
  for (const fork of forks) showRows(await worktreeRows(stage, fork), 11, screen);
  screen.heading('Files');
  const files: readonly Row[] = keep
    ? [
        ['repository', repo],
        ['transcript', layout.file],
        ['its agents', layout.subagents],
        ['kept in', `${scratch} (delete it when you are done)`],
      ]
    : [
        ['of your sessions', '~/.coppice/projects/<project>/<session>.jsonl, agents next to it'],
        ['of this demo', 'deleted; coppice demo --keep keeps them'],
      ];
  showRows(files, keep ? 13 : 24, screen);
}

type Row = readonly [label: string, value: string];

function showRows(rows: readonly Row[], width: number, screen: DemoScreen): void {
  for (const [label, value] of rows) screen.line(`  ${label.padEnd(width)}${value}`);
}

function describeFork({ log, requests }: Fork): string {
  const how = [
    ...(log.spawned.background ? ['background'] : []),
    ...((log.runs.at(-1)?.automatic ?? 0) > 0 ? ['killed, resumed'] : []),
  ].join(', ');
  return `${plural(requests.length, 'request')}, ${log.status}${how === '' ? '' : ` (${how})`}`;
}

const COLUMNS = ['fork', 'tokens', 'read', 'written', 'new', 'cost', 'unshared'];

/** `unshared`: the cost of the request without sharing. */
function showCache(forks: readonly Fork[], screen: DemoScreen): void {
  let [cost, unshared] = [0, 0];
  screen.line(screen.paint.dim(formatRow(COLUMNS)));
  for (const { name, requests } of forks) {
    const [first] = requests;
    if (first === undefined) throw new Error(`the fork ${name} never got a reply`);
    const { model, cacheRead, cacheWritten, uncached, output, shared, usd = 0 } = first;
    if (shared === undefined || shared.bytes !== shared.of)
      throw new Error(`the fork ${name} does not share its bytes`);
    const usage = { input: uncached, output, cacheRead, cacheWrite5m: cacheWritten, cacheWrite1h: 0 };
    const alone = costWithoutCache(usage, modelData(model)) ?? 0;
    cost += usd;
    unshared += alone;
    const tokens = [uncached + cacheRead + cacheWritten, cacheRead, cacheWritten, uncached];
    screen.line(formatRow([name, ...tokens.map(wholeCount), exactMoney(usd), exactMoney(alone)]));
  }
  const share = percent(1 - cost / unshared);
  screen.line(
    `  Each repeats its parent's last request byte for byte: ${exactMoney(cost)} instead of ${exactMoney(unshared)}, ${share} less.`,
  );
}

function formatRow([first = '', ...rest]: readonly string[]): string {
  return `  ${first.padEnd(9)}${rest.map((cell) => cell.padStart(10)).join('')}`;
}

async function worktreeRows({ host, repo }: DemoStage, { name, log }: Fork): Promise<readonly Row[]> {
  const { worktree } = log.spawned;
  if (worktree === undefined) return [];
  const git = async (...args: readonly string[]) => {
    const { code, stdout } = await host.processes.run({ file: 'git', args, cwd: repo, env: host.env });
    return code === 0 ? stdout.toString('utf8').trim() : '';
  };
  const commit = await git('log', '-1', '--format=%s', worktree.branch);
  const isUntouched = (await git('status', '--porcelain', 'total.mjs')) === '';
  if (commit === '' || !isUntouched) throw new Error(`the work of ${name} is not in its worktree alone`);
  return [
    ['path', relative(repo, worktree.path)],
    ['branch', `${worktree.branch}: ${commit}`],
    ['apply it', `coppice worktree apply ${worktree.name}`],
  ];
}
