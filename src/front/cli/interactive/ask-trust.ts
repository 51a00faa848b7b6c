/**
 * Asks once whether to trust a folder, when it is first opened and has files that would take effect (GT-2). Its hooks, MCP
 * servers and proposed plugins are approved individually, as shown; new or changed ones are asked about again (GT-3,
 * MC-11). The user's own plugins are a separate question, independent of the folder (EX-19).
 */

import { approvalOf, isApprovable, reviewHooks, type UnapprovedHook } from '../../../config/approvals/project-hooks.js';
import { isServerApprovable, serverApproval } from '../../../config/approvals/project-servers.js';
import { findRepoRoot } from '../../../config/find-repo-root.js';
import type { UnapprovedServer } from '../../../config/mcp/find-unapproved-servers.js';
import type { ReviewedPlugin } from '../../../config/plugins/plugin-approval.js';
import { shownName } from '../../../config/shell-word.js';
import { type Approval, openTrust, type Trust } from '../../../config/trust.js';
import type { Host } from '../../../host/host.js';
import { escapeToLine as visible } from '../../../protocol/escape-controls.js';
import { joinSome } from '../../../protocol/text/one-line.js';
import { showHooks } from '../../view/describe/describe-hooks.js';
import { showPlugins } from '../../view/describe/describe-plugins.js';
import { showServers } from '../../view/describe/describe-servers.js';
import type { Paint } from '../../view/paint.js';
import { findHooksHere } from '../find-hooks.js';
import type { Flags } from '../flags.js';
import { findWaitingServers } from '../mcp/find-waiting-servers.js';
import { findWaitingPlugins } from '../plugins/find-waiting-plugins.js';
import type { LinesRead, LinesShown } from './lines.js';
import { findTrustedEffects, type TrustedEffect } from './trusted-effects.js';

const MAX_SHOWN = 12;
/** More hooks and servers than this are shown on request. */
const MAX_ITEMS = 40;

export type TrustQuestion = {
  readonly host: Host;
  readonly flags: Flags;
  readonly screen: LinesShown;
  readonly input: LinesRead;
  readonly paint: Paint;
  readonly signal: AbortSignal;
};

export async function askTrust(question: TrustQuestion): Promise<void> {
  const { host, flags, screen, paint } = question;
  if (flags.trust) return;
  const trust = openTrust(host);
  const folder = await host.files.realpath(host.folder);
  const projectRoot = (await findRepoRoot(host, folder)) ?? folder;
  const sources = flags.settingSources ? { sources: flags.settingSources } : {};
  const isTrusted = await trust.isTrusted(folder);
  const here = await findHooksHere({ host, folder, projectRoot, isTrusted, ...sources });
  const { unapproved } = await reviewHooks(host, projectRoot, here.hooks);
  const servers = await findWaitingServers({ ...here, host, flags, folder, projectRoot, isTrusted });
  const plugins = await findWaitingPlugins({ ...here, host, flags, folder, projectRoot, isTrusted });
  await askAboutUserPlugins(question, trust, plugins.own.map(asItem));
  const items: readonly Item[] = [
    ...unapproved.map((hook) => ({ kind: 'hook' as const, hook })),
    ...servers.unapproved.map((server) => ({ kind: 'server' as const, server })),
    ...plugins.proposed.map(asItem),
  ];
  const effects = isTrusted ? [] : await findTrustedEffects({ host, folder, projectRoot, ...sources });
  const approved = [...servers.untrusted, ...plugins.untrusted];
  if (effects.length === 0 && items.length === 0 && approved.length === 0) return;

  if (isTrusted) screen.line(paint.bold(`This folder has new or changed ${kinds(items)} that you have not approved.`));
  else screen.line(paint.bold('Do you trust this folder?'));
  screen.line(`  ${visible(projectRoot)}`);
  showEffects(screen, effects);
  showApproved(screen, 'your approved MCP servers start again', servers.untrusted);
  showApproved(screen, 'your approved plugins are loaded again', plugins.untrusted);
  const preselected = here.settings.mcp.preselected;
  const shown = await askAboutItems(question, {
    items,
    preselected,
    yes: isTrusted ? 'approve them' : 'yes, from now on',
  });
  if (shown === undefined) return;
  const stored = await store(trust, { folder, projectRoot, isTrusted, shown });
  if (!stored.ok) screen.line(paint.bad(`! Your answer could not be saved and is ignored: ${stored.reason}`));
}

/** An item that is approved individually. */
type Item =
  | { readonly kind: 'hook'; readonly hook: UnapprovedHook }
  | { readonly kind: 'server'; readonly server: UnapprovedServer }
  | { readonly kind: 'plugin'; readonly plugin: ReviewedPlugin };

function asItem(plugin: ReviewedPlugin): Item {
  return { kind: 'plugin', plugin };
}

/** Asks about the user's own plugins, which are independent of the folder. */
async function askAboutUserPlugins(question: TrustQuestion, trust: Trust, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return;
  const { screen, paint } = question;
  screen.line(paint.bold('You have new or changed plugins that you have not approved.'));
  const shown = await askAboutItems(question, { items, preselected: [], yes: 'approve them' });
  const stored = shown === undefined ? OK : await storeEach(trust, '', shown);
  if (!stored.ok) screen.line(paint.bad(`! Your answer could not be saved and is ignored: ${stored.reason}`));
}

const OK = { ok: true } as const;

function showEffects(screen: LinesShown, effects: readonly TrustedEffect[]): void {
  if (effects.length > 0) screen.line('If you trust it, these files can run commands or grant permissions:');
  for (const { file, does } of effects) {
    screen.line(`  ${visible(file)}`);
    for (const one of does.slice(0, MAX_SHOWN)) screen.line(`    | ${visible(one)}`);
    if (does.length > MAX_SHOWN) screen.line(`    … ${does.length - MAX_SHOWN} more; read the file`);
  }
}

function showApproved(screen: LinesShown, what: string, approved: readonly string[]): void {
  if (approved.length === 0) return;
  const names = approved.map((name) => visible(shownName(name)));
  screen.line(`If you trust it, ${what}: ${joinSome(names, MAX_SHOWN)}`);
}

type Asked = { readonly items: readonly Item[]; readonly preselected: readonly string[]; readonly yes: string };

/** Returns the items shown, after a yes. Undefined means no. */
async function askAboutItems(
  { screen, input, signal }: TrustQuestion,
  { items, preselected, yes }: Asked,
): Promise<readonly Item[] | undefined> {
  let shown: readonly Item[] = items.slice(0, MAX_ITEMS);
  showItems(screen, shown);
  for (;;) {
    const left = items.length - shown.length;
    // A project may preselect some of its servers; the user decides.
    const isSelected = (item: Item) => item.kind !== 'server' || preselected.includes(item.server.server.name);
    const selected = shown.filter(isSelected);
    const some = selected.length < shown.length && selected.some(({ kind }) => kind === 'server');
    if (left > 0) screen.line(`  … ${left} more not shown; a yes does not include them (w shows them)`);
    screen.line(`  y  ${yes}${shown.length > 0 ? `, with exactly the ${kinds(shown)} shown` : ''}`);
    if (some) screen.line(`  s  the same, but only the servers that the project's settings select: ${names(selected)}`);
    screen.line('  n  no, continue without them');
    if (left > 0) screen.line(`  w  show the other ${kinds(items.slice(shown.length))}`);
    const line = (await input.read({ prompt: '? ', question: true, signal }))?.trim().toLowerCase();
    if (line === undefined || line === 'n' || line === 'no') return undefined;
    if (line === 'y' || line === 'yes') return shown;
    if (line === 's' && some) return selected;
    if (line === 'w' && left > 0) {
      showItems(screen, items.slice(shown.length));
      shown = items;
    } else screen.line('That is not one of the choices.');
  }
}

function showItems(screen: LinesShown, items: readonly Item[]): void {
  const hooks = items.flatMap((item) => (item.kind === 'hook' ? [item.hook] : []));
  const servers = items.flatMap((item) => (item.kind === 'server' ? [item.server] : []));
  const plugins = items.flatMap((item) => (item.kind === 'plugin' ? [item.plugin] : []));
  if (hooks.length > 0) screen.line('These hooks run commands automatically:');
  for (const line of showHooks(hooks)) screen.line(line);
  if (servers.length > 0) screen.line('These MCP servers start or connect in every session:');
  for (const line of showServers(servers)) screen.line(line);
  if (plugins.length > 0) screen.line('These plugins run automatically in every session:');
  for (const line of showPlugins(plugins)) screen.line(line);
}

function kinds(items: readonly Item[]): string {
  const isThere = (kind: Item['kind']) => items.some((item) => item.kind === kind);
  const names = [['hook', 'hooks'] as const, ['server', 'MCP servers'] as const, ['plugin', 'plugins'] as const];
  return joined(names.flatMap(([kind, name]) => (isThere(kind) ? [name] : [])));
}

function joined(names: readonly string[]): string {
  return names.length < 3 ? names.join(' and ') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function names(items: readonly Item[]): string {
  return items.flatMap((item) => (item.kind === 'server' ? [visible(item.server.server.name)] : [])).join(', ');
}

type Answer = {
  readonly folder: string;
  readonly projectRoot: string;
  readonly isTrusted: boolean;
  readonly shown: readonly Item[];
};

async function store(trust: Trust, { folder, projectRoot, isTrusted, shown }: Answer) {
  // Approvals first: a folder is never trusted with fewer hooks approved than the user said yes to.
  const approved = await storeEach(trust, projectRoot, shown);
  if (!approved.ok || isTrusted) return approved;
  const stored = await trust.trust(projectRoot);
  // A root that covers only itself (the home folder) does not cover the current folder: trust that one by name.
  return stored.ok && !(await trust.isTrusted(folder)) ? trust.trust(folder) : stored;
}

/** Stores each approval with the project, or with a plugin of the user. */
async function storeEach(trust: Trust, projectRoot: string, shown: readonly Item[]) {
  const byRoot = new Map<string, Approval[]>();
  for (const item of shown) {
    const approval = approvalFor(item);
    const root = item.kind === 'plugin' ? item.plugin.approvalsRoot : projectRoot;
    if (approval !== undefined) byRoot.set(root, [...(byRoot.get(root) ?? []), approval]);
  }
  for (const [root, approvals] of byRoot) {
    const stored = await trust.approve(root, approvals);
    if (!stored.ok) return stored;
  }
  return OK;
}

/** Undefined if not everything to be approved can be shown. */
function approvalFor(item: Item): Approval | undefined {
  switch (item.kind) {
    case 'hook':
      return isApprovable(item.hook.hook) ? approvalOf(item.hook.hook) : undefined;
    case 'server':
      return isServerApprovable(item.server.server) ? serverApproval(item.server.server) : undefined;
    case 'plugin':
      return item.plugin.whyNot === undefined ? item.plugin.approval : undefined;
    default:
      return item satisfies never;
  }
}
