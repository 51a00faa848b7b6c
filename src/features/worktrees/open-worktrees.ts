/** The worktrees of a session, created by git or by a hook. Loaded with the first one. */

import type { WorktreeSettings } from '../../agents/runtime.js';
import { inWorktree, rootsInWorktree } from '../../agents/worktrees/map-into-worktree.js';
import type {
  Made,
  MakeRequest,
  Reopened,
  SessionWorktrees,
  Settled,
} from '../../agents/worktrees/session-worktrees.js';
import type { Hooks } from '../../gate/hooks/hooks.js';
import { newAbort } from '../../host/clock.js';
import { findCheckout } from '../../host/git/checkout.js';
import type { Host } from '../../host/host.js';
import { makeWorktree } from '../../host/worktrees/make-worktree.js';
import { WorktreeLeases } from '../../host/worktrees/worktree-leases.js';
import { agentWorktreeName, openRecords } from '../../host/worktrees/worktree-record.js';
import type { AgentWorktree } from '../../protocol/agent-spawned.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { checkoutOf, describeRecord, explainMissing, findWorktreePath, noteMove } from './find-worktree-path.js';
import { HookWorktrees } from './hook-worktrees.js';
import { hostWithIdentity } from './host-with-identity.js';

export type WorktreesOptions = {
  readonly host: Host;
  readonly session: string;
  /** The user trusts the project: its filters may run. */
  readonly trusted: boolean;
  readonly settings: WorktreeSettings;
  /** The session's hooks, for steps outside any agent. */
  readonly hooks: Hooks;
  /** The folder for records of worktrees outside git repositories. */
  readonly records: string;
};

export class OpenWorktrees implements SessionWorktrees {
  readonly #options: WorktreesOptions;
  readonly #leases: WorktreeLeases;
  readonly #byHook: HookWorktrees;
  /** The worktree of each agent. */
  readonly #held = new Map<string, AgentWorktree>();
  /** Pending operations by path: reopening waits for a removal, and vice versa. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Operations in progress that must be awaited. */
  readonly #under = new Set<Promise<unknown>>();
  /** The session is closing: no hook delays that. */
  readonly #leaving = newAbort();

  constructor(options: WorktreesOptions) {
    this.#options = options;
    const tellRemoval = async (path: string) => {
      const { signal } = this.#leaving;
      await options.hooks.run('WorktreeRemove', { worktree_path: path }, { signal });
    };
    // With a hook to notify, it is checked once more, because the hook may write there.
    const hasRemoveHook = options.hooks.has('WorktreeRemove');
    this.#leases = new WorktreeLeases(options.host, hasRemoveHook ? { beforeRemoval: tellRemoval } : {});
    this.#byHook = new HookWorktrees(options);
  }

  make(request: MakeRequest): Promise<Made> {
    return this.#counted(async () => {
      try {
        const isByHook = request.parent.hooks.has('WorktreeCreate');
        const made = isByHook ? await this.#byHook.make(request) : await this.#makeByGit(request);
        if (!made.ok) return made;
        this.#held.set(request.agent, made.worktree);
        if (!request.signal.aborted) return made;
        // The caller may be gone and can't release it.
        await this.release(made.worktree, request.agent, 'settle');
        return { ok: false, reason: 'it was interrupted' };
      } catch (error) {
        return { ok: false, reason: `its worktree could not be made: ${reasonOf(error)}` };
      }
    });
  }

  async #makeByGit({ agent, isFork, parent, signal }: MakeRequest): Promise<Made> {
    const { host, session, trusted, settings } = this.#options;
    const found = await findCheckout(host, parent.host.folder, { trusted });
    if (!found.ok) return { ok: false, reason: `a worktree needs a git repository: ${found.reason}.` };
    const { checkout } = found;
    const includeDirty = settings.includeDirty ?? isFork;
    const { sparsePaths, symlinkDirectories, maxOverlayBytes } = settings;
    const name = agentWorktreeName(agent);
    const owner = { session, agent };
    const wish = { name, owner, includeDirty, maxOverlayBytes, sparsePaths, symlinkDirectories, signal };
    const made = await makeWorktree(host, checkout, wish);
    if (!made.ok) return made;
    const { record, notes } = made;
    this.#leases.adopt(checkout, made, agent);
    const worktree = describeRecord(checkout, record);
    const folder = await this.#folderIn(worktree, parent.host.folder);
    return {
      ok: true,
      worktree,
      host: await hostWithIdentity(parent.host.at(folder), checkout.git),
      roots: rootsInWorktree(worktree, folder, parent.roots),
      uncommitted: record.start !== record.base ? 'taken' : includeDirty ? 'none' : 'left',
      notes,
    };
  }

  /** The parent's folder within it; its root if that does not exist there because nothing in it is tracked. */
  async #folderIn(worktree: AgentWorktree, parents: string): Promise<string> {
    const { files } = this.#options.host;
    const real = await files.realpath(parents).catch(() => parents);
    const folder = inWorktree(worktree, real);
    const stat = folder === real ? undefined : await files.stat(folder).catch(() => undefined);
    return stat?.kind === 'folder' ? folder : worktree.path;
  }

  join(worktree: AgentWorktree, agent: string): Promise<boolean> {
    return this.#inTurn(worktree, async () => {
      const { git, name } = worktree;
      const isHeld =
        git === undefined ? this.#byHook.join(worktree, agent) : this.#leases.join(git.common, name, agent);
      if (isHeld) this.#held.set(agent, worktree);
      return isHeld;
    });
  }

  reopen(worktree: AgentWorktree, agent: string): Promise<Reopened> {
    return this.#inTurn(worktree, async () => {
      try {
        const reopened = await this.#reopen(worktree, agent);
        if (!reopened.ok) return reopened;
        this.#held.set(agent, reopened.worktree);
        return reopened;
      } catch (error) {
        return { ok: false, gone: false, reason: reasonOf(error) };
      }
    });
  }

  async #reopen(worktree: AgentWorktree, agent: string): Promise<Reopened> {
    const { host } = this.#options;
    const { git, name } = worktree;
    if (git === undefined) return this.#byHook.reopen(worktree, agent);
    const checkout = await checkoutOf(this.#options, worktree);
    const place = checkout === undefined ? undefined : await findWorktreePath(host, worktree);
    if (checkout === undefined || place === undefined) return explainMissing(host, worktree, checkout !== undefined);
    await noteMove(host, checkout, name, place);
    const reopened = await this.#leases.reopen(checkout, name, agent);
    if (!reopened.ok) return reopened;
    return {
      ok: true,
      worktree: { ...worktree, path: place },
      host: await hostWithIdentity(host.at(place), checkout.git),
    };
  }

  release(worktree: AgentWorktree, agent: string, how: 'settle' | 'keep'): Promise<Settled | undefined> {
    return this.#inTurn(worktree, async () => {
      const held = this.#held.get(agent);
      if (held?.path !== worktree.path) return undefined;
      this.#held.delete(agent);
      try {
        return await this.#letGo(worktree, agent, how);
      } catch (error) {
        return { outcome: 'kept', reasons: [`it could not be checked: ${reasonOf(error)}`] };
      }
    });
  }

  async #letGo(worktree: AgentWorktree, agent: string, how: 'settle' | 'keep'): Promise<Settled> {
    const { git, name } = worktree;
    return git === undefined ? this.#byHook.letGo(worktree, agent) : this.#leases.release(git.common, name, agent, how);
  }

  async settleUnknown(known: ReadonlySet<string>): Promise<void> {
    const { host, session, trusted } = this.#options;
    const found = await findCheckout(host, host.folder, { trusted }).catch(() => undefined);
    if (!found?.ok) return;
    const { checkout } = found;
    const listed = await openRecords(host, checkout.commonDir)
      .list()
      .catch(() => undefined);
    for (const record of listed?.records ?? []) {
      const { agent } = record.owner;
      const isUnknown = record.owner.session === session && agent !== undefined && !known.has(agent);
      if (!isUnknown || record.madeBy === 'hook') continue;
      const reopened = await this.reopen(describeRecord(checkout, record), agent);
      if (reopened.ok) await this.release(reopened.worktree, agent, 'settle');
    }
  }

  leave(): void {
    this.#leaving.abort();
  }

  /** Releases all that are still held; removes nothing. */
  async close(): Promise<void> {
    this.leave();
    // Worktrees still being created are undone if their call was interrupted.
    while (this.#under.size > 0) await Promise.allSettled(this.#under);
    await Promise.all([...this.#held].map(([agent, worktree]) => this.release(worktree, agent, 'keep')));
  }

  #counted<T>(work: () => Promise<T>): Promise<T> {
    const under = work();
    this.#under.add(under);
    const end = () => void this.#under.delete(under);
    under.then(end, end);
    return under;
  }

  #inTurn<T>({ path }: AgentWorktree, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(path) ?? Promise.resolve();
    const next = this.#counted(() => before.then(work));
    const settled = next.catch(() => {});
    this.#turns.set(path, settled);
    void settled.then(() => {
      if (this.#turns.get(path) === settled) this.#turns.delete(path);
    });
    return next;
  }
}
