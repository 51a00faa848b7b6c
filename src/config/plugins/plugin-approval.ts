/** What of a plugin acts by itself, shown whole, and whether the person approved just that (EX-19). */

import { relative } from 'node:path';
import type { Host } from '../../host/host.js';
import { describeHook } from '../approvals/project-hooks.js';
import { describeServer } from '../approvals/project-servers.js';
import { isRecord } from '../json-values.js';
import { variablesIn } from '../mcp/expand-variables.js';
import type { HookGroup } from '../settings/setting-shapes.js';
import { type Approval, type Approvals, openTrust } from '../trust.js';
import type { FoundPlugin, PluginsQuery } from './find-plugins.js';
import { isWithin } from './inside-path.js';
import { type FolderHash, hashFolder } from './plugin-hash.js';
import type { ReadPlugin } from './read-plugin.js';

export type ReviewedPlugin = FoundPlugin & {
  /** All that acts by itself, in lines. Empty: nothing does. */
  readonly acts: readonly string[];
  readonly approval: Approval;
  /** Where its approval is kept: with the project that proposes it, or with the plugin itself. */
  readonly approvalsRoot: string;
  /** Why nobody can approve it. */
  readonly whyNot?: string;
  readonly isApproved: boolean;
  /** It waits for the person: to act, or to be loaded at all. */
  readonly isWaiting: boolean;
  /** What was approved in its place. */
  readonly before: readonly string[];
};

/** What a person can't read before saying yes can't be approved. */
const MOST_LINES = 400;
const MOST_CHARACTERS = 20_000;

export async function reviewPlugins(
  q: PluginsQuery,
  found: readonly FoundPlugin[],
): Promise<readonly ReviewedPlugin[]> {
  const known = new Map<string, Promise<Approvals>>();
  const approvalsIn = (root: string) => {
    const before = known.get(root) ?? openTrust(q.host).approvals(root);
    known.set(root, before);
    return before;
  };
  return Promise.all(found.map((one) => review(q, one, approvalsIn)));
}

async function review(
  q: PluginsQuery,
  found: FoundPlugin,
  approvalsIn: (root: string) => Promise<Approvals>,
): Promise<ReviewedPlugin> {
  const { read, origin, isProposed } = found;
  const acts = describeActs(read);
  const isClear = read.unclear === undefined;
  // Where nothing acts there is nothing to approve, and so nothing to look at.
  const isAsked = isProposed || acts.length > 0 || !isClear;
  const hashed: FolderHash | undefined = isAsked ? hashFolder(q.host, read.folder) : undefined;
  const isTooMuch = acts.length > MOST_LINES || acts.join('').length > MOST_CHARACTERS;
  const why = read.unclear ?? (hashed?.ok === false ? hashed.reason : undefined);
  const whyNot = why ?? (isTooMuch ? 'it has too many hooks, servers and granted tools to be shown' : undefined);
  const approval = approvalOf(q, found, acts, hashed?.ok === true ? hashed.hash : '');
  const approvalsRoot = isProposed ? q.approvalsRoot : read.folder;
  const approvals = isAsked ? await approvalsIn(approvalsRoot) : undefined;
  const isForThisRun = q.trustThisRun && origin.file === '--plugin-dir';
  const isApproved = isAsked && whyNot === undefined && (isForThisRun || approvals?.has(approval) === true);
  return {
    ...found,
    acts,
    approval,
    approvalsRoot,
    ...(whyNot === undefined ? {} : { whyNot }),
    isApproved,
    isWaiting: isAsked && !isApproved,
    before: approvals?.earlier(approval) ?? [],
  };
}

/** Bound to where it is, to everything in its folder, and to what was shown: the folder may change between two looks. */
function approvalOf(
  { projectRoot }: PluginsQuery,
  { read: { name, folder }, isProposed }: FoundPlugin,
  acts: readonly string[],
  hash: string,
): Approval {
  const place = isProposed && isWithin(projectRoot, folder) ? relative(projectRoot, folder) : folder;
  const summary = acts.map((line) => line.trim()).join(' · ');
  return {
    kind: 'plugin',
    name: `plugin ${name}`,
    value: { name, place, hash, acts },
    summary: summary || 'nothing that acts',
  };
}

/** Why the plugin must not act now: its folder is not what was approved. */
export function whyPluginChanged(host: Host, { name, folder, approval }: ApprovedPlugin): string | undefined {
  const now = hashFolder(host, folder);
  if (now.ok && now.hash === (approval.value as { readonly hash: string }).hash) return undefined;
  return `the plugin ${name} changed since it was approved${now.ok ? '' : ` (${now.reason})`}; start again in a terminal to approve it as it is now, or run coppice plugins approve ${name}`;
}

type ApprovedPlugin = { readonly name: string; readonly folder: string; readonly approval: Approval };

/** Nothing that acts is left out. */
function describeActs(read: ReadPlugin): readonly string[] {
  return [
    ...read.hooks.flatMap(({ file, hooks }) => {
      const lines = Object.entries(hooks).flatMap(([event, groups]) => describeHooks(event, groups));
      return lines.length === 0 ? [] : [`hooks (${shorter(read, file)})`, ...lines.map((line) => `  ${line}`)];
    }),
    ...read.servers.flatMap(({ file, servers }) => {
      const lines = Object.entries(servers).flatMap(([name, raw]) => describeEntry(name, raw, file));
      return lines.length === 0 ? [] : [`MCP servers (${shorter(read, file)})`, ...lines.map((line) => `  ${line}`)];
    }),
    ...(read.programs.length === 0
      ? []
      : ['programs (bin), found after all others', ...read.programs.map((name) => `  ${name}`)]),
    ...read.grants.flatMap(({ file, tools, hooks }) => [
      ...(tools === undefined ? [] : [`${file} allows, while it is used: ${tools.join(', ')}`]),
      ...(hooks === undefined ? [] : [`${file} has hooks, from its first use on: ${JSON.stringify(hooks)}`]),
    ]),
  ];
}

function describeHooks(event: string, groups: unknown): readonly string[] {
  return (Array.isArray(groups) ? groups : [groups]).flatMap((of: unknown) => {
    if (!isRecord(of) || !Array.isArray(of.hooks) || !of.hooks.every(isRecord))
      return [`${event} ${JSON.stringify(of)}`];
    return of.hooks.flatMap((hook) => {
      const group = { ...of, hooks: [hook] } as unknown as HookGroup;
      return describeHook({ origin: { file: '', scope: 'user' }, file: '', event, of: group, group, files: {} });
    });
  });
}

function describeEntry(name: string, raw: unknown, file: string): readonly string[] {
  const texts = isRecord(raw) ? Object.values(raw).flatMap(textsIn) : [];
  const variables = variablesIn(texts).filter((one) => !/^(?:CLAUDE_)?PLUGIN_(?:ROOT|DATA)$/.test(one));
  return describeServer({ name, raw, origin: { scope: 'plugin', file }, file, variables, values: {}, files: {} });
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function shorter({ folder }: ReadPlugin, file: string): string {
  return relative(folder, file);
}
