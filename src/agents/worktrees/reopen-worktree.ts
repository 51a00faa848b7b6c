/** Locates a resumed agent: in its worktree, or in its parent's folder if that is gone (DU-17). */

import type { Host } from '../../host/host.js';
import type { AgentSpawned } from '../../protocol/events.js';
import type { Result } from '../../protocol/result.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import { inWorktree, rootsInWorktree } from './map-into-worktree.js';
import { goneNotice, movedNotice } from './worktree.text.js';

export type ReopenedWorktree = Result<{
  readonly host: Host;
  /** With its current folder, roots and worktree. */
  readonly record: AgentSpawned;
  /** Messages for the user. */
  readonly notes: readonly string[];
  /** The changes since before, for the agent, under a key. */
  readonly notice?: { readonly key: string; readonly words: string };
}>;

/** The caller holds the returned worktree and must release it if the agent is not opened. */
export async function reopenWorktree(
  runtime: Runtime,
  record: AgentSpawned,
  parent: LiveAgent,
): Promise<ReopenedWorktree> {
  const { worktree, agent } = record;
  if (worktree === undefined) return sameFolder(runtime, record);
  const reopened = await runtime.worktrees.reopen(worktree, agent);
  if (!reopened.ok && !reopened.gone) return { ok: false, reason: `its worktree can't be used: ${reopened.reason}` };
  if (!reopened.ok) return inParents(runtime, record, parent, reopened.reason);
  const now = reopened.worktree;
  const way = { from: worktree.path, path: now.path };
  const cwd = inWorktree(way, record.cwd);
  const isThere = (await runtime.host.files.stat(cwd).catch(() => undefined))?.kind === 'folder';
  const host = reopened.host.at(isThere ? cwd : now.path);
  if (now.path === worktree.path) return { ok: true, host, record, notes: [] };
  const roots = rootsInWorktree(way, inWorktree(way, record.roots?.[0] ?? now.path), record.roots ?? []);
  return {
    ok: true,
    host,
    record: { ...record, cwd: host.folder, roots, worktree: now },
    notes: [`agent ${agent}: its worktree was moved to ${now.path}; it continues there`],
    notice: { key: `worktree moved to ${now.path}`, words: movedNotice(worktree.path, now.path) },
  };
}

/** Uses its parent's roots, and its parent's worktree if there is one. */
async function inParents(
  runtime: Runtime,
  record: AgentSpawned,
  parent: LiveAgent,
  reason: string,
): Promise<ReopenedWorktree> {
  const { worktree, roots: _, ...rest } = record;
  const above = parent.record.worktree;
  const isShared = above !== undefined && (await runtime.worktrees.join(above, record.agent));
  const { host, roots } = isShared || above === undefined ? parent : runtime;
  const place = {
    cwd: host.folder,
    ...(isShared ? { worktree: above, roots } : {}),
  };
  return {
    ok: true,
    host,
    record: { ...rest, ...place },
    notes: [`agent ${record.agent}: its worktree is gone (${reason}); it continues in ${host.folder}`],
    ...(worktree === undefined
      ? {}
      : { notice: { key: `worktree gone ${worktree.path}`, words: goneNotice(worktree, host.folder) } }),
  };
}

async function sameFolder({ host }: Runtime, record: AgentSpawned): Promise<ReopenedWorktree> {
  const { agent, cwd } = record;
  if (cwd === host.folder) return { ok: true, host, record, notes: [] };
  const found = await host.files.stat(cwd).catch(() => undefined);
  if (found?.kind === 'folder') return { ok: true, host: host.at(cwd), record, notes: [] };
  const line = `agent ${agent}: its folder ${cwd} no longer exists; it continues in ${host.folder}`;
  return { ok: true, host, record, notes: [line] };
}
