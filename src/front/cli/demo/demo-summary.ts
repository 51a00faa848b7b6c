/** The demo's summary, read from disk: the tree of agents, what the forks read from the cache, and all paths. */

import { relative } from 'node:path';
import { coppiceHome, projectKey, type SessionLayout, sessionLayout } from '../../../config/paths.js';
import type { Files } from '../../../host/files.js';
import { costOf, costWithoutCache, modelData } from '../../../model/models.js';
import type { DurableEvent } from '../../../protocol/events.js';
import { inputTokens } from '../../../protocol/usage.js';
import { type AgentLog, readAgentLogs } from '../../../session/state/agent-log.js';
import { readTranscript } from '../../../session/transcript/read-transcript.js';
import type { DemoScreen } from './demo-screen.js';
import type { DemoStage } from './demo-stage.js';

type Reply = Extract<DurableEvent, { kind: 'assistant-replied' }>;
type Child = { readonly name: string; readonly log: AgentLog; readonly replies: readonly Reply[] };

export async function showSummary(stage: DemoStage, session: string, screen: DemoScreen): Promise<void> {
  const layout = sessionLayout(coppiceHome(stage.env), projectKey(stage.repo), session);
  const { files } = stage.host;
  const { agents } = await readAgentLogs(files, layout);
  const children = await Promise.all(
    agents.map(async (log) => ({
      name: log.spawned.name ?? log.agent,
      log,
      replies: await repliesOf(files, log.path),
    })),
  );
  children.sort((a, b) => (a.name < b.name ? -1 : 1));
  const unfinished = children.find(({ log }) => log.status !== 'completed');
  if (unfinished !== undefined) throw new Error(`the fork ${unfinished.name} is ${unfinished.log.status}`);
  screen.heading('Agents');
  showTree(children, await repliesOf(files, layout.file), screen);
  screen.heading('Prompt cache, request by request: the first of each fork');
  showCache(children, screen);
  screen.heading('Worktree: the work of a fork, apart from your files');
  await showWorktrees(stage, children, screen);
  screen.heading('Files');
  showFiles(stage, layout, screen);
}

async function repliesOf(files: Files, path: string): Promise<Reply[]> {
  const replies: Reply[] = [];
  for await (const item of readTranscript(files, path, { kinds: new Set(['assistant-replied']) })) {
    if (item.kind !== 'record' || !('event' in item.record)) continue;
    if (item.record.event.kind === 'assistant-replied') replies.push(item.record.event);
  }
  return replies;
}

function showTree(children: readonly Child[], mainReplies: readonly Reply[], screen: DemoScreen): void {
  screen.line(`  ${'main'.padEnd(12)}${mainReplies.length} requests`);
  children.forEach(({ name, log, replies }, index) => {
    const branch = index === children.length - 1 ? '└─' : '├─';
    const how = [
      ...(log.spawned.background ? ['background'] : []),
      ...((log.runs.at(-1)?.automatic ?? 0) > 0 ? ['killed, resumed'] : []),
    ].join(', ');
    const facts = `${replies.length} requests, ${log.status}${how === '' ? '' : ` (${how})`}`;
    screen.line(`  ${branch} ${name.padEnd(9)}${facts}`);
  });
}

const COLUMNS = ['fork', 'tokens', 'read', 'written', 'new', 'cost', 'unshared'];

/** `unshared`: what the request would have cost without sharing. */
function showCache(children: readonly Child[], screen: DemoScreen): void {
  const rows: string[][] = [];
  let cost = 0;
  let unshared = 0;
  for (const { name, replies } of children) {
    const [first] = replies;
    if (first === undefined) throw new Error(`the fork ${name} never got a reply`);
    const { usage, shared } = first;
    if (shared === undefined || shared.bytes !== shared.of)
      throw new Error(`the fork ${name} does not share its bytes`);
    const model = modelData(first.model);
    const paid = costOf(usage, model) ?? 0;
    const alone = costWithoutCache(usage, model) ?? 0;
    cost += paid;
    unshared += alone;
    const tokens = [inputTokens(usage), usage.cacheRead, usage.cacheWrite5m + usage.cacheWrite1h, usage.input];
    rows.push([name, ...tokens.map((count) => count.toLocaleString('en-US')), money(paid), money(alone)]);
  }
  screen.line(screen.paint.dim(formatRow(COLUMNS)));
  for (const row of rows) screen.line(formatRow(row));
  const share = Math.round((1 - cost / unshared) * 100);
  screen.line(
    `  Each repeats its parent's last request byte for byte: ${money(cost)} instead of ${money(unshared)}, ${share} % less.`,
  );
}

function formatRow([first = '', ...rest]: readonly string[]): string {
  return `  ${first.padEnd(9)}${rest.map((cell) => cell.padStart(10)).join('')}`;
}

function money(dollars: number): string {
  return `$${dollars.toFixed(4)}`;
}

async function showWorktrees({ host, repo }: DemoStage, children: readonly Child[], screen: DemoScreen): Promise<void> {
  const git = async (...args: readonly string[]) => {
    const { code, stdout } = await host.processes.run({ file: 'git', args, cwd: repo, env: host.env });
    return code === 0 ? stdout.toString('utf8').trim() : '';
  };
  for (const { name, log } of children) {
    const { worktree } = log.spawned;
    if (worktree === undefined) continue;
    const commit = await git('log', '-1', '--format=%s', worktree.branch);
    const untouched = (await git('status', '--porcelain', 'total.mjs')) === '';
    if (commit === '' || !untouched) throw new Error(`the work of ${name} is not in its worktree alone`);
    const rows = [
      ['path', relative(repo, worktree.path)],
      ['branch', `${worktree.branch}: ${commit}`],
      ['apply it', `coppice worktree apply ${worktree.name}`],
    ];
    for (const [what = '', where = ''] of rows) screen.line(`  ${what.padEnd(11)}${where}`);
  }
}

function showFiles({ scratch, repo, keep }: DemoStage, layout: SessionLayout, screen: DemoScreen): void {
  const rows = keep
    ? [
        ['repository', repo],
        ['transcript', layout.file],
        ['its agents', layout.subagents],
        ['kept in', `${scratch} (delete it when you have seen enough)`],
      ]
    : [
        ['in a session of yours', '~/.coppice/projects/<project>/<session>.jsonl, its agents beside it'],
        ['of this demo', 'deleted; coppice demo --keep keeps them'],
      ];
  const width = keep ? 13 : 24;
  for (const [what = '', where = ''] of rows) screen.line(`  ${what.padEnd(width)}${where}`);
}
