/**
 * The worktree of a session that a WorktreeCreate hook creates (WT-11): another version control may be behind it, so
 * its contents are not judged, and it is always kept.
 */

import { relative } from 'node:path';
import { checkHookFolder, explainNoPath } from '../../features/worktrees/check-hook-folder.js';
import type { LeavableWorktree } from '../../features/worktrees/session-worktree.js';
import type { WorktreeMaker } from '../../features/worktrees/worktree-maker.js';
import { createHooks, type Hooks } from '../../gate/hooks/hooks.js';
import type { Host } from '../../host/host.js';
import { type Lock, takeLock } from '../../host/locks/lock.js';
import { openRecords, recordsFolder, useLock, type WorktreeRecord } from '../../host/worktrees/worktree-record.js';
import type { AgentWorktree } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { HookApprovals } from '../build/hook-approvals.js';
import type { SessionOptions } from '../session-options.js';
import { worktreeRecords } from './folder-worktrees.js';
import type { FolderConfig } from './read-config.js';

/** The approved hooks of the project that create worktrees; undefined if git creates them. */
export async function creationHooks(
  options: SessionOptions,
  { host, settings }: FolderConfig,
  location: { readonly projectRoot: string; readonly folder: string },
): Promise<Hooks | undefined> {
  if (settings.settings.disableAllHooks === true) return undefined;
  const { projectRoot, folder } = location;
  const approvals = new HookApprovals({ host, projectRoot, options });
  const { kept } = await approvals.ofSettings(settings.hooks.filter(({ event }) => event === 'WorktreeCreate'));
  const hooks = createHooks({
    host,
    projectDir: projectRoot,
    sources: [
      ...kept.map(({ event, group, origin }) => ({ origin: origin.file, hooks: { [event]: [group] } })),
      ...(options.hooks ? [{ origin: 'library', hooks: options.hooks }] : []),
    ],
    base: () => ({ session_id: '', transcript_path: '', cwd: folder, permission_mode: 'default' }),
    warn: () => {},
    whyChanged: (command) => approvals.whyChanged(command),
    http: settings.settings,
  });
  return hooks.has('WorktreeCreate') ? hooks : undefined;
}

export type HookMaking = {
  readonly host: Host;
  readonly trusted: boolean;
  readonly hooks: Hooks;
  readonly name: string;
  readonly folder: string;
  /** The checkout it is separate from. */
  readonly top: string;
  /** Git's folder, if the project uses git: the record is stored there, otherwise in our own home. */
  readonly commonDir: string | undefined;
};

export function worktreesByHook(making: HookMaking): WorktreeMaker {
  const { host, name, folder, top } = making;
  const records = making.commonDir ?? worktreeRecords(host.env, folder);
  const known = () => openRecords(host, records).read(name);
  return {
    prefix: relative(top, folder),
    path: async () => ({ ok: true, path: (await known())?.path }),
    take: async (session) => {
      await host.files.makeFolder(recordsFolder(records), 0o700);
      const taken = await takeLock(host, useLock(records, name));
      if (!taken.ok) return { ok: false, reason: `the worktree ${name} is in use: ${taken.reason}` };
      try {
        const before = await known();
        const isThere = before !== undefined && (await host.files.stat(before.path))?.kind === 'folder';
        const made = isThere ? { ok: true as const, record: before } : await makeByHook(making, records, session);
        if (made.ok) return { ok: true, worktree: new HookWorktree(made.record, taken.lock), notes: [] };
        await taken.lock.release();
        return made;
      } catch (error) {
        await taken.lock.release();
        return { ok: false, reason: `the worktree ${name} can't be used: ${reasonOf(error)}` };
      }
    },
  };
}

async function makeByHook({ host, trusted, hooks, name, top }: HookMaking, records: string, session: string) {
  const verdict = await hooks.run('WorktreeCreate', { name });
  const printed = verdict.decision === 'deny' ? undefined : verdict.worktreePath;
  if (printed === undefined) return refuse(explainNoPath(verdict));
  const folder = await checkHookFolder({ host, trusted }, printed, top);
  if (!folder.ok) return refuse(folder.reason);
  const created = new Date(host.clock.now()).toISOString();
  const made = { madeBy: 'hook', stage: 'made', branch: '', base: '', start: '', placed: [], stashes: [] } as const;
  const record: WorktreeRecord = { v: 1, name, path: folder.path, created, owner: { session }, from: top, ...made };
  await openRecords(host, records).write(record);
  return { ok: true as const, record };
}

function refuse(reason: string) {
  return { ok: false as const, reason: `the WorktreeCreate hook created no worktree: ${reason}` };
}

const MADE_BY_HOOK = 'it was created by a WorktreeCreate hook, so only you can judge its contents';

class HookWorktree implements LeavableWorktree {
  readonly name: string;
  readonly path: string;
  readonly branch = '';
  readonly isAlwaysKept = true;
  left: LeavableWorktree['left'];
  readonly #use: Lock;

  readonly place: AgentWorktree;

  constructor({ name, path, from }: WorktreeRecord, use: Lock) {
    this.name = name;
    this.path = path;
    this.place = { name, path, branch: '', from };
    this.#use = use;
  }

  onRemoval(): void {}

  async leave(): Promise<void> {
    await this.#use.release();
    this.left = { outcome: 'kept', reasons: [MADE_BY_HOOK] };
  }

  async discard() {
    return { outcome: 'kept' as const, reasons: [`${MADE_BY_HOOK} (coppice worktree remove ${this.name} --discard)`] };
  }
}
