/**
 * Worktrees created by a WorktreeCreate hook, for version control other than git. We can't inspect their content, so
 * they are never removed (WT-11).
 */

import { inWorktree, rootsInWorktree } from '../../agents/worktrees/map-into-worktree.js';
import type { Made, MakeRequest, Reopened, Settled } from '../../agents/worktrees/session-worktrees.js';
import { findRepoRoot } from '../../config/find-repo-root.js';
import { isWithin } from '../../config/path-within.js';
import { showHooks } from '../../gate/hooks/hooks.js';
import { findCheckout } from '../../host/git/checkout.js';
import type { Host } from '../../host/host.js';
import { type Lock, takeLock } from '../../host/locks/lock.js';
import { agentWorktreeName, openRecords, recordsFolder, useLock } from '../../host/worktrees/worktree-record.js';
import type { AgentWorktree } from '../../protocol/agent-spawned.js';
import { checkHookFolder, explainNoPath } from './check-hook-folder.js';

type Options = {
  readonly host: Host;
  readonly session: string;
  readonly trusted: boolean;
  readonly records: string;
};

export class HookWorktrees {
  readonly #options: Options;
  /** The agents working in each, by name. */
  readonly #holders = new Map<string, { readonly agents: Set<string>; readonly use: Lock | undefined }>();

  constructor(options: Options) {
    this.#options = options;
  }

  async make({ agent, parent, signal }: MakeRequest): Promise<Made> {
    const name = agentWorktreeName(agent);
    const from = await this.#checkoutTop(parent.host.folder);
    const verdict = await parent.hooks.run('WorktreeCreate', { name }, { signal });
    await showHooks({ agent: parent }, verdict);
    if (signal.aborted) return refuse('the call was interrupted');
    if (verdict.decision === 'deny' || verdict.worktreePath === undefined) return refuse(explainNoPath(verdict));
    const place = await checkHookFolder(this.#options, verdict.worktreePath, from);
    if (!place.ok) return refuse(place.reason);
    const worktree = { name, path: place.path, branch: '', from };
    await this.#recordAndHold(worktree, agent);
    const { files } = this.#options.host;
    const same = inWorktree(worktree, parent.host.folder);
    const isThere = (await files.stat(same).catch(() => undefined))?.kind === 'folder';
    const folder = isThere && isWithin(place.path, same) ? same : place.path;
    return {
      ok: true,
      worktree,
      host: parent.host.at(folder),
      roots: rootsInWorktree(worktree, folder, parent.roots),
      uncommitted: 'unknown',
      notes: [],
    };
  }

  /** The root of the parent's repository, of any kind, or its folder. */
  async #checkoutTop(folder: string): Promise<string> {
    const { host } = this.#options;
    const top = (await findRepoRoot(host, folder)) ?? folder;
    return host.files.realpath(top);
  }

  /** Records it so that it is listed and skipped by clean-ups. A failure does not prevent its use. */
  async #recordAndHold(worktree: AgentWorktree, agent: string): Promise<void> {
    const { host, session } = this.#options;
    const { name, path, from } = worktree;
    const folder = await this.#recordsAt(from);
    const use = await this.#lock(folder, name);
    this.#holders.set(name, { agents: new Set([agent]), use });
    const owner = { session, agent };
    const created = new Date(host.clock.now()).toISOString();
    const made = { madeBy: 'hook', stage: 'made', placed: [], stashes: [] } as const;
    await openRecords(host, folder)
      .write({ v: 1, name, path, branch: '', base: '', start: '', created, owner, from, ...made })
      .catch(() => {});
  }

  async #recordsAt(from: string): Promise<string> {
    const { host, trusted, records } = this.#options;
    const found = await findCheckout(host, from, { trusted }).catch(() => undefined);
    return found?.ok ? found.checkout.commonDir : records;
  }

  async #lock(folder: string, name: string): Promise<Lock | undefined> {
    const { host } = this.#options;
    await host.files.makeFolder(recordsFolder(folder), 0o700).catch(() => {});
    const attempt = await takeLock(host, useLock(folder, name));
    return attempt.ok ? attempt.lock : undefined;
  }

  join({ name }: AgentWorktree, agent: string): boolean {
    const held = this.#holders.get(name);
    held?.agents.add(agent);
    return held !== undefined;
  }

  async reopen(worktree: AgentWorktree, agent: string): Promise<Reopened> {
    const { host } = this.#options;
    const { name, path } = worktree;
    const stat = await host.files.stat(path).catch(() => undefined);
    if (stat?.kind !== 'folder') return { ok: false, gone: true, reason: `${path} is not there` };
    const known = this.join(worktree, agent);
    if (!known) {
      const folder = await this.#recordsAt(worktree.from);
      const attempt = await takeLock(host, useLock(folder, name));
      if (!attempt.ok && attempt.kind !== 'failed') return { ok: false, gone: false, reason: attempt.reason };
      this.#holders.set(name, { agents: new Set([agent]), use: attempt.ok ? attempt.lock : undefined });
      await openRecords(host, folder)
        .touch(name)
        .catch(() => {});
    }
    return { ok: true, worktree, host: host.at(path) };
  }

  async letGo({ name }: AgentWorktree, agent: string): Promise<Settled> {
    const held = this.#holders.get(name);
    held?.agents.delete(agent);
    if (held !== undefined && held.agents.size > 0) return { outcome: 'in-use', reasons: [] };
    this.#holders.delete(name);
    await held?.use?.release();
    return { outcome: 'kept', reasons: ['a WorktreeCreate hook made it: only you can tell what is in it'] };
  }
}

function refuse(reason: string): Made {
  return { ok: false, reason: `the WorktreeCreate hook did not make a worktree: ${reason}` };
}
