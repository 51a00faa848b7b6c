/** Additions of ours to a worktree: links to folders, and copies of ignored files (WT-3). */

import type { Result } from '../../../protocol/result.js';
import type { Checkout } from '../../git/checkout.js';
import type { Git } from '../../git/git.js';
import type { Host } from '../../host.js';
import { withRepositoryLock } from '../repository-lock.js';
import type { Placed } from '../worktree-record.js';
import { findIgnored, hashOf, placeCopy, planCopies } from './copy-ignored.js';
import { addExcludeLines, lineFor } from './exclude-line.js';
import { type FolderLink, placeLink, planLinks } from './link-folders.js';

export type ExtrasPlan = { readonly links: readonly FolderLink[]; readonly copies: readonly string[] };

export type PlannedExtras = Result<{ readonly plan: ExtrasPlan; readonly notes: readonly string[] }>;

export type ExtrasRequest = {
  readonly symlinkDirectories: readonly string[];
  readonly maxOverlayBytes: number;
  readonly signal?: AbortSignal;
};

/** Changes nothing. */
export async function planExtras(
  host: Host,
  checkout: Checkout,
  home: string,
  request: ExtrasRequest,
): Promise<PlannedExtras> {
  const linked = await planLinks(host, checkout, home, request.symlinkDirectories);
  if (!linked.ok) return linked;
  const copied = await planCopies(host, checkout, request.maxOverlayBytes);
  if (!copied.ok) return copied;
  const { links } = linked;
  // Files in a linked folder are already there.
  const copies = copied.paths.filter((path) => !links.some((link) => path.startsWith(`${link.path}/`)));
  return { ok: true, plan: { links, copies }, notes: [...linked.notes, ...copied.notes] };
}

export type Extras = { readonly placed: readonly Placed[]; readonly notes: readonly string[] };

type Placing = {
  readonly checkout: Checkout;
  /** The worktree, and git in it. */
  readonly path: string;
  readonly git: Git;
  readonly plan: ExtrasPlan;
  readonly request: ExtrasRequest;
  /** Called with the planned additions before any of them is placed. */
  readonly announce: (placed: readonly Placed[]) => Promise<void>;
};

export async function placeExtras(host: Host, placing: Placing): Promise<Extras> {
  const { checkout, path, git, plan, request } = placing;
  if (plan.links.length + plan.copies.length === 0) return { placed: [], notes: [] };
  const ignored = new Set(await findIgnored(git, [...plan.links.map((link) => link.path), ...plan.copies]));
  const notes: string[] = [];
  const planned: Placed[] = plan.links.map((link) => ({ kind: 'link', ...link }));
  for (const copy of plan.copies) {
    const hashed = ignored.has(copy) ? await hashOf(host, checkout.top, copy, request.maxOverlayBytes) : NOT_IGNORED;
    if (hashed.ok) planned.push({ kind: 'copy', path: copy, sha256: hashed.sha256 });
    else notes.push(`${copy} was not copied: ${hashed.reason}`);
  }
  await placing.announce(planned);
  const unignored = plan.links.filter((link) => !ignored.has(link.path));
  const hidden = await hideLinks(host, checkout, unignored);
  if (hidden !== undefined) notes.push(hidden);
  const placed: Placed[] = [];
  for (const one of planned) {
    if (request.signal?.aborted) break;
    const note =
      one.kind === 'link'
        ? await placeLink(host, path, one)
        : await placeCopy(host, checkout.top, path, { ...one, most: request.maxOverlayBytes });
    if (note === undefined) placed.push(one);
    else notes.push(note);
  }
  return { placed, notes };
}

const NOT_IGNORED = {
  ok: false,
  reason: 'git does not ignore it in the worktree, where it could be committed',
} as const;

/** `node_modules/` in a .gitignore matches a folder, not a link: without its own line, the link could be committed. */
async function hideLinks(host: Host, checkout: Checkout, links: readonly FolderLink[]): Promise<string | undefined> {
  const folders = new Set(
    await findIgnored(
      checkout.git,
      links.map((link) => `${link.path}/`),
    ),
  );
  const lines = links.filter((link) => folders.has(`${link.path}/`)).map((link) => lineFor(link.path));
  if (lines.length === 0) return undefined;
  const added = await withRepositoryLock(host, checkout.commonDir, () =>
    addExcludeLines(host, checkout.commonDir, lines),
  );
  return added.ok ? added.value : added.reason;
}
