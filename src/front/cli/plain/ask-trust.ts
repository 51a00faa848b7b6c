/**
 * Asks whether to trust a folder, once, when it is first opened and has files that would take effect (GT-2). Its hooks
 * are approved one by one as they are shown; those that are new or have changed since are asked about again (GT-3).
 */

import {
  approvalOf,
  type HookReview,
  isApprovable,
  reviewHooks,
  type UnapprovedHook,
} from '../../../config/approvals/project-hooks.js';
import { findRepoRoot } from '../../../config/find-repo-root.js';
import { openTrust, type Trust } from '../../../config/trust.js';
import type { Host } from '../../../host/host.js';
import { makeVisibleLine as visible } from '../../../protocol/make-visible.js';
import { showHooks } from '../../view/describe/describe-hooks.js';
import type { Paint } from '../../view/paint.js';
import { findHooksHere } from '../find-hooks.js';
import type { Flags } from '../flags.js';
import { type ActingFile, findActingFiles } from './acting-files.js';
import type { LineInput } from './line-input.js';
import type { Screen } from './screen.js';

const MAX_SHOWN = 12;
/** More hooks than this are shown on request. */
const MAX_HOOKS = 40;

export type TrustQuestion = {
  readonly host: Host;
  readonly flags: Flags;
  readonly screen: Screen;
  readonly input: LineInput;
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
  const hooks = await findHooksHere({ host, folder, projectRoot, isTrusted, ...sources });
  const { unapproved } = await reviewHooks(host, projectRoot, hooks);
  const acting = isTrusted ? [] : await findActingFiles({ host, folder, projectRoot, ...sources });
  if (acting.length === 0 && unapproved.length === 0) return;

  if (isTrusted)
    screen.line(paint.bold('This folder has hooks that you have not approved: they are new, or have changed.'));
  else screen.line(paint.bold('Do you trust this folder?'));
  screen.line(`  ${visible(projectRoot)}`);
  showActing(screen, acting);
  const shown = await askAboutHooks(question, unapproved, isTrusted ? 'approve them' : 'yes, from now on');
  if (shown === undefined) return;
  const stored = await store(trust, { folder, projectRoot, isTrusted, shown });
  if (!stored.ok) screen.line(paint.bad(`! the answer could not be saved, so it does not count: ${stored.reason}`));
}

function showActing(screen: Screen, acting: readonly ActingFile[]): void {
  if (acting.length > 0) screen.line('If you trust it, these files can run commands or grant permissions:');
  for (const { file, does } of acting) {
    screen.line(`  ${visible(file)}`);
    for (const one of does.slice(0, MAX_SHOWN)) screen.line(`    | ${visible(one)}`);
    if (does.length > MAX_SHOWN) screen.line(`    … ${does.length - MAX_SHOWN} more; read the file`);
  }
}

/** The hooks that were shown, if the person says yes to them. Undefined means no. */
async function askAboutHooks(
  { screen, input, signal }: TrustQuestion,
  unapproved: HookReview['unapproved'],
  yes: string,
): Promise<readonly UnapprovedHook[] | undefined> {
  let shown: HookReview['unapproved'] = unapproved.slice(0, MAX_HOOKS);
  if (shown.length > 0) screen.line('These hooks run commands by themselves:');
  for (const line of showHooks(shown)) screen.line(line);
  for (;;) {
    const left = unapproved.length - shown.length;
    if (left > 0) screen.line(`  … ${left} more are not shown: a yes does not cover them (w shows them)`);
    screen.line(`  y  ${yes}${shown.length > 0 ? ', with exactly the hooks shown' : ''}`);
    screen.line('  n  no: continue without them');
    if (left > 0) screen.line('  w  show the other hooks');
    const line = (await input.read({ prompt: '? ', question: true, signal }))?.trim().toLowerCase();
    if (line === undefined || line === 'n' || line === 'no') return undefined;
    if (line === 'y' || line === 'yes') return shown;
    if (line === 'w' && left > 0) {
      for (const more of showHooks(unapproved.slice(shown.length))) screen.line(more);
      shown = unapproved;
    } else screen.line('That is not one of the choices.');
  }
}

type Answer = {
  readonly folder: string;
  readonly projectRoot: string;
  readonly isTrusted: boolean;
  readonly shown: readonly UnapprovedHook[];
};

async function store(trust: Trust, { folder, projectRoot, isTrusted, shown }: Answer) {
  const approvals = shown.filter(({ hook }) => isApprovable(hook)).map(({ hook }) => approvalOf(hook));
  // Hooks first: a folder is never trusted with fewer hooks approved than the person said yes to.
  const approved = approvals.length === 0 ? ({ ok: true } as const) : await trust.approve(projectRoot, approvals);
  if (!approved.ok || isTrusted) return approved;
  const stored = await trust.trust(projectRoot);
  // A root that covers only itself (the home folder) does not cover the current folder: trust that one by name.
  return stored.ok && !(await trust.isTrusted(folder)) ? trust.trust(folder) : stored;
}
