/**
 * Decides which hooks of a project may run in a session: those you approved as they are, or, with `trust` for this run,
 * those that existed when it was opened. Later changes are checked again (GT-3).
 */

import {
  createFileScan,
  hashNamedFiles,
  type NamedCommand,
  type NamedFiles,
} from '../../config/approvals/named-files.js';
import {
  approvalOf,
  commandOf,
  findProjectHooks,
  type ProjectHook,
  reviewHooks,
  withoutHooks,
} from '../../config/approvals/project-hooks.js';
import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { SourcedHook } from '../../config/settings/collect-sources.js';
import { approvalHash } from '../../config/trust.js';
import type { HookFolder } from '../../gate/hooks/hooks.js';
import type { SessionConfig } from './session-config.js';

type Reviewed<T> = { readonly kept: T; readonly unapproved: readonly ProjectHook[] };

type Approved = Pick<SessionConfig, 'host' | 'projectRoot' | 'approvalsRoot' | 'options'>;
type Project = Omit<Approved, 'approvalsRoot'> & Partial<Approved>;

export class HookApprovals {
  readonly #config: Approved;
  /** Hashes of what is approved for this run only. */
  readonly #forThisRun = new Set<string>();
  /** By command: the files it names, as they were when it was approved. */
  readonly #files = new Map<string, NamedFiles>();
  #isOpening = true;

  constructor({ host, projectRoot, approvalsRoot = projectRoot, options }: Project) {
    this.#config = { host, projectRoot, approvalsRoot, options };
  }

  /** From here on, `trust` for this run approves nothing more. */
  opened(): void {
    this.#isOpening = false;
  }

  /** Checks each hook of the settings files on its own. */
  async ofSettings(hooks: readonly SourcedHook[]): Promise<Reviewed<readonly SourcedHook[]>> {
    const unapproved = await this.#review(await findProjectHooks({ ...this.#config, hooks, definitions: [] }));
    const kept = hooks.flatMap(({ event, group, origin }): readonly SourcedHook[] => {
      const own = unapproved.filter((one) => one.of === group);
      if (own.length === 0) return [{ event, group, origin }];
      const groups = withoutHooks({ [event]: [group] }, own)[event] ?? [];
      return groups.map((one) => ({ event, group: one, origin }));
    });
    return { kept, unapproved };
  }

  /** Definitions without the hooks that may not run. */
  async ofDefinitions(definitions: readonly AgentDefinition[]): Promise<Reviewed<readonly AgentDefinition[]>> {
    const unapproved = await this.#review(await findProjectHooks({ ...this.#config, hooks: [], definitions }));
    const kept = definitions.map((definition) => {
      if (definition.hooks === undefined || definition.source.scope !== 'project') return definition;
      const own = unapproved.filter((one) => one.agent === definition.name);
      return own.length === 0 ? definition : { ...definition, hooks: withoutHooks(definition.hooks, own) };
    });
    return { kept, unapproved };
  }

  /** Remembers hooks that were approved elsewhere, so that a change of the files they name is noticed. */
  remember(hooks: readonly ProjectHook[]): void {
    for (const { group, files } of hooks) if (files !== undefined) this.#files.set(keyOf(commandOf(group)), files);
  }

  /** The reason why a command of an approved hook must not run now: a file it names has changed. */
  async whyChanged(command: NamedCommand): Promise<string | undefined> {
    const approved = this.#files.get(keyOf(command));
    if (approved === undefined) return undefined;
    const { host, projectRoot } = this.#config;
    const now = (await hashNamedFiles(createFileScan(host, projectRoot), command)) ?? {};
    const names = [...new Set([...Object.keys(approved), ...Object.keys(now)])];
    const changed = names.filter((name) => approved[name] !== now[name]);
    if (changed.length === 0) return undefined;
    return `${changed.join(', ')} changed since this hook was approved. Restart in a terminal to approve the new version`;
  }

  /**
   * The folder in which the command of a hook runs for an agent in a worktree: the project's counterpart there. A
   * script that is missing there, because it is not committed, runs in the project. An existing one must be the one
   * that was approved.
   */
  async placeOf(command: NamedCommand, project: string): Promise<HookFolder> {
    const { host, projectRoot } = this.#config;
    const here = (await hashNamedFiles(createFileScan(host, projectRoot, true), command)) ?? {};
    const there = (await hashNamedFiles(createFileScan(host, project, true), command)) ?? {};
    if (Object.keys(here).some((name) => there[name] === undefined)) return { folder: projectRoot };
    const approved = this.#files.get(keyOf(command));
    const others = approved === undefined ? [] : Object.keys(there).filter((name) => there[name] !== approved[name]);
    if (others.length === 0) return { folder: project };
    return { reason: `${others.join(', ')} in ${project} differs from what was approved for this hook` };
  }

  async #review(hooks: readonly ProjectHook[]): Promise<readonly ProjectHook[]> {
    const { host, approvalsRoot, options } = this.#config;
    if (options.trust === true && this.#isOpening)
      for (const hook of hooks) this.#forThisRun.add(approvalHash(approvalOf(hook)));
    const isForThisRun = (hook: ProjectHook) => this.#forThisRun.has(approvalHash(approvalOf(hook)));
    const open = hooks.filter((hook) => !isForThisRun(hook));
    const { unapproved } = await reviewHooks(host, approvalsRoot, open);
    const out = new Set(unapproved.map(({ hook }) => hook));
    this.remember(hooks.filter((hook) => !out.has(hook)));
    return [...out];
  }
}

function keyOf({ command, args }: NamedCommand): string {
  return JSON.stringify([command, args]);
}
