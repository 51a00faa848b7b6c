/** Finds the hooks in a project's files, each with everything that its approval is bound to (GT-3). */

import type { Host } from '../../host/host.js';
import { plural } from '../../protocol/format-numbers.js';
import { joinSome } from '../../protocol/text/one-line.js';
import type { AgentDefinition } from '../definitions/agent-definition.js';
import { shortPath } from '../path-within.js';
import type { SourcedHook } from '../settings/collect-sources.js';
import type { Origin } from '../settings/merge-settings.js';
import type { HookGroup, HooksSetting } from '../settings/setting-shapes.js';
import { type Approval, openTrust } from '../trust.js';
import { createFileScan, hashNamedFiles, type NamedCommand, type NamedFiles } from './named-files.js';

export type ProjectHook = {
  readonly origin: Pick<Origin, 'file' | 'scope'>;
  /** Relative to the project, if it is in it. */
  readonly file: string;
  /** The agent whose front matter it is in. */
  readonly agent?: string;
  readonly event: string;
  /** The group it is in, and that group with this hook alone. */
  readonly of: HookGroup;
  readonly group: HookGroup;
  /** The project files that its command names. Undefined: they can't be determined, or the hook is too long to review. */
  readonly files: NamedFiles | undefined;
};

export type HookFinding = {
  readonly host: Host;
  readonly projectRoot: string;
  readonly hooks: readonly SourcedHook[];
  /** Agents, and skills, with hooks in their front matter. */
  readonly definitions: Iterable<Pick<AgentDefinition, 'name' | 'hooks' | 'source'>>;
};

/** A longer hook can't be approved, because you could not review it. */
const LONGEST = 4_000;

export async function findProjectHooks({
  host,
  projectRoot,
  hooks,
  definitions,
}: HookFinding): Promise<readonly ProjectHook[]> {
  const scan = createFileScan(host, projectRoot);
  const found: ProjectHook[] = [];
  const add = async (from: Pick<ProjectHook, 'origin' | 'agent'>, event: string, of: HookGroup) => {
    const file = shortPath(projectRoot, from.origin.file);
    for (const hook of of.hooks) {
      const group = { ...of, hooks: [hook] };
      const isReadable = JSON.stringify([event, group]).length <= LONGEST;
      const files = isReadable ? await hashNamedFiles(scan, commandOf(group)) : undefined;
      found.push({ ...from, file, event, of, group, files });
    }
  };
  for (const { event, group, origin } of hooks) {
    if (origin.scope === 'project' || origin.scope === 'local') await add({ origin }, event, group);
  }
  for (const { name, hooks: own, source } of definitions) {
    if (own === undefined || source.scope !== 'project') continue;
    const origin = { file: source.file, scope: 'project' } as const;
    for (const [event, groups] of Object.entries(own))
      for (const group of groups) await add({ origin, agent: name }, event, group);
  }
  return found;
}

/** The command of a group with one hook. */
export function commandOf({ hooks: [hook] }: HookGroup): NamedCommand {
  const command = hook?.command ?? '';
  const args = hook?.args;
  const isList = Array.isArray(args) && args.every((one) => typeof one === 'string');
  return { command, ...(isList ? { args } : {}) };
}

export type HookReview = {
  readonly approved: readonly ProjectHook[];
  readonly unapproved: readonly UnapprovedHook[];
};

export type UnapprovedHook = {
  readonly hook: ProjectHook;
  /** The approved hook that it replaces, if that no longer exists. */
  readonly before: readonly string[];
};

export async function reviewHooks(host: Host, projectRoot: string, hooks: readonly ProjectHook[]): Promise<HookReview> {
  if (hooks.length === 0) return { approved: [], unapproved: [] };
  const approvals = await openTrust(host).approvals(projectRoot);
  const isApproved = (hook: ProjectHook) => isApprovable(hook) && approvals.has(approvalOf(hook));
  const approved = hooks.filter(isApproved);
  const current = new Set(approved.map(summarise));
  const unapproved = hooks
    .filter((hook) => !isApproved(hook))
    .map((hook) => ({
      hook,
      before: approvals.earlier(approvalOf(hook)).filter((summary) => !current.has(summary)),
    }));
  return { approved, unapproved };
}

/** True if all of it can be shown for approval. */
export function isApprovable({ files }: ProjectHook): boolean {
  return files !== undefined;
}

/** Bound to its content, its location, and the files it names. */
export function approvalOf(hook: ProjectHook): Approval {
  const { file, agent, event, group, files = {} } = hook;
  const name = [file, ...(agent === undefined ? [] : [`agent ${agent}`]), event].join(' ');
  return { kind: 'hook', name, value: { file, agent, event, group, files }, summary: summarise(hook) };
}

function summarise({ group }: ProjectHook): string {
  return describeGroup(group).join(' · ');
}

/** Describes all of it, in lines: everything that is approved is shown. */
export function describeHook(hook: ProjectHook): readonly string[] {
  const names = Object.keys(hook.files ?? {});
  return [
    hook.event,
    ...describeGroup(hook.group).map((line) => `  ${line}`),
    ...(names.length > 0 ? [`  and the current content of ${names.join(', ')}`] : []),
  ];
}

/** Describes what it does, followed by all its other keys as written. */
function describeGroup({ matcher, hooks, ...rest }: HookGroup): readonly string[] {
  const { does, others } = describeWork(hooks[0] ?? { type: '' });
  const more = { ...rest, ...others };
  return [
    ...(matcher === undefined ? [] : [`for ${JSON.stringify(matcher)}`]),
    does,
    ...(Object.keys(more).length > 0 ? [`with ${JSON.stringify(more)}`] : []),
  ];
}

type Work = { readonly does: string; readonly others: Readonly<Record<string, unknown>> };

function describeWork(hook: HookGroup['hooks'][number]): Work {
  const { type, ...fields } = hook;
  switch (type) {
    case 'command': {
      const { command, ...others } = fields;
      return { does: `runs ${command ?? '(no command)'}`, others };
    }
    case 'http': {
      const { url, ...others } = fields;
      return { does: `posts what happens to ${textOf(url)}`, others };
    }
    case 'mcp_tool': {
      const { server, tool, ...others } = fields;
      return { does: `calls ${textOf(tool)} of the MCP server ${textOf(server)}`, others };
    }
    case 'prompt':
    case 'agent': {
      const { prompt, ...others } = fields;
      return {
        does: `${type === 'agent' ? 'lets an agent read and decide' : 'asks a model'}: ${textOf(prompt)}`,
        others,
      };
    }
    default: {
      const { command, ...others } = fields;
      return { does: `runs ${command ?? '(no command)'}`, others: { type, ...others } };
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '(nothing)');
}

/** A message about hooks that don't run, with what to do. Undefined if there are none. */
export function describeUnapproved(unapproved: readonly ProjectHook[]): string | undefined {
  if (unapproved.length === 0) return undefined;
  const names = [...new Set(unapproved.map((hook) => `${hook.event} (${hook.file})`))];
  const guards = unapproved.some(({ event }) => event === 'PreToolUse')
    ? ' Calls that a PreToolUse hook among them would block are not blocked.'
    : '';
  const count = plural(unapproved.length, 'hook of this project is', 'hooks of this project are');
  return (
    `${count} not approved, or changed since you approved them, so they don't run: ${joinSome(names, 5)}. ` +
    `Start coppice here in a terminal to review them, or pass --trust to run them this time.${guards}`
  );
}

/** Removes unapproved hooks from a definition. */
export function withoutHooks(hooks: HooksSetting, unapproved: readonly ProjectHook[]): HooksSetting {
  const events = Object.entries(hooks).map(([event, groups]) => {
    const remaining = groups.map((group) => {
      const blocked = unapproved.filter((one) => one.event === event && one.of === group);
      const isBlocked = (hook: HookGroup['hooks'][number]) => blocked.some((one) => one.group.hooks[0] === hook);
      return { ...group, hooks: group.hooks.filter((hook) => !isBlocked(hook)) };
    });
    return [event, remaining.filter((group) => group.hooks.length > 0)] as const;
  });
  return Object.fromEntries(events.filter(([, groups]) => groups.length > 0));
}
