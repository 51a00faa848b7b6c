/** Describes everything in a plugin that acts automatically, and checks whether exactly that was approved (EX-19). */

import { relative } from 'node:path';
import type { Host } from '../../host/host.js';
import { isObject } from '../../protocol/json/json-values.js';
import { describeHook } from '../approvals/project-hooks.js';
import { describeServer } from '../approvals/project-servers.js';
import { variablesIn } from '../mcp/expand-variables.js';
import { isWithin } from '../path-within.js';
import type { HookGroup } from '../settings/setting-shapes.js';
import { type Approval, type Approvals, openTrust } from '../trust.js';
import type { FoundPlugin, PluginsQuery } from './find-plugins.js';
import { type FolderHash, hashFolder } from './plugin-hash.js';
import type { ReadPlugin } from './read-plugin.js';

export type ReviewedPlugin = FoundPlugin & {
  /** Everything that acts automatically, in lines. Empty: nothing does. */
  readonly acts: readonly string[];
  readonly approval: Approval;
  /** The folder its approval is stored under: the project that proposes it, or the plugin itself. */
  readonly approvalsRoot: string;
  /** The reason why it can't be approved. */
  readonly whyNot?: string;
  readonly isApproved: boolean;
  /** It waits for your approval: to act, or to be loaded at all. */
  readonly isWaiting: boolean;
  /** Summaries of earlier approvals that it replaces. */
  readonly before: readonly string[];
};

/** More can't be approved, because you could not review it. */
const MOST_LINES = 400;
const MOST_CHARACTERS = 20_000;

export async function reviewPlugins(
  query: PluginsQuery,
  found: readonly FoundPlugin[],
): Promise<readonly ReviewedPlugin[]> {
  const known = new Map<string, Promise<Approvals>>();
  const approvalsIn = (root: string) => {
    const before = known.get(root) ?? openTrust(query.host).approvals(root);
    known.set(root, before);
    return before;
  };
  return Promise.all(found.map((one) => review(query, one, approvalsIn)));
}

async function review(
  query: PluginsQuery,
  found: FoundPlugin,
  approvalsIn: (root: string) => Promise<Approvals>,
): Promise<ReviewedPlugin> {
  const { read, origin, isProposed } = found;
  const acts = describeActs(read);
  const isClear = read.unclear === undefined;
  // If nothing acts, there is nothing to approve and no need to read the folder.
  const isAsked = isProposed || acts.length > 0 || !isClear;
  const hashed: FolderHash | undefined = isAsked ? hashFolder(query.host, read.folder) : undefined;
  const isTooMuch = acts.length > MOST_LINES || acts.join('').length > MOST_CHARACTERS;
  const why = read.unclear ?? (hashed?.ok === false ? hashed.reason : undefined);
  const whyNot = why ?? (isTooMuch ? 'it has too many hooks, servers and granted tools to show' : undefined);
  const approval = approvalOf(query, found, acts, hashed?.ok === true ? hashed.hash : '');
  const approvalsRoot = isProposed ? query.approvalsRoot : read.folder;
  const approvals = isAsked ? await approvalsIn(approvalsRoot) : undefined;
  const isForThisRun = query.trustThisRun && origin.file === '--plugin-dir';
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

/** Bound to its location, its folder's content, and the lines shown: the folder may change between two reads. */
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

/** The reason why the plugin must not act now: its folder is not what was approved. */
export function whyPluginChanged(host: Host, { name, folder, approval }: ApprovedPlugin): string | undefined {
  const now = hashFolder(host, folder);
  if (now.ok && now.hash === (approval.value as { readonly hash: string }).hash) return undefined;
  return `the plugin ${name} changed since it was approved${now.ok ? '' : ` (${now.reason})`}; restart in a terminal to approve the new version, or run coppice plugins approve ${name}`;
}

type ApprovedPlugin = { readonly name: string; readonly folder: string; readonly approval: Approval };

/** Describes everything that acts. The lines are part of the approval: changing their text asks for approval again. */
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
    if (!isObject(of) || !Array.isArray(of.hooks) || !of.hooks.every(isObject))
      return [`${event} ${JSON.stringify(of)}`];
    return of.hooks.flatMap((hook) => {
      const group = { ...of, hooks: [hook] } as unknown as HookGroup;
      return describeHook({ origin: { file: '', scope: 'user' }, file: '', event, of: group, group, files: {} });
    });
  });
}

function describeEntry(name: string, raw: unknown, file: string): readonly string[] {
  const texts = isObject(raw) ? Object.values(raw).flatMap(textsIn) : [];
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
