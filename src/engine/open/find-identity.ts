/** Determines the session: a new one, a resumed one, or a new one branched from another; and where it is stored. */

import { coppiceHome, isFileName, projectKey, type SessionLayout, sessionLayout } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import type { Resources } from '../resources.js';
import { type OpenFailure, type SessionOptions, usageFailure } from '../session-options.js';
import { branchSession } from './branch-session.js';
import { findSession } from './find-session.js';
import { type LoadedSession, loadSession } from './load-session.js';

export type Identity =
  | { readonly ok: true; readonly id: string; readonly layout: SessionLayout; readonly loaded?: LoadedSession }
  | OpenFailure;

export async function findIdentity(
  options: SessionOptions,
  host: Host,
  { folder, roots }: { readonly folder: string; readonly roots: readonly string[] },
  resources: Resources,
): Promise<Identity> {
  const mistake = findMistake(options);
  if (mistake !== undefined) return usageFailure(mistake);
  const home = coppiceHome(host.env);
  const key = projectKey(folder);
  const given = options.sessionId;
  const isNew = options.resume === undefined || options.branch === true;
  if (given !== undefined && isNew && (await host.files.stat(sessionLayout(home, key, given).file)) !== undefined) {
    return usageFailure(`session ${given} already exists: choose another --session-id`);
  }
  const found = options.resume === undefined ? undefined : await findSession(host, folder, options.resume);
  if (found?.ok === false) return found;
  const id = found === undefined || isNew ? (given ?? host.newId()) : found.id;
  const store =
    options.persist === false ? await openEphemeral(host, home, id, resources) : { ok: true as const, home };
  if (!store.ok) return store;
  const layout = sessionLayout(store.home, key, id);
  if (found === undefined) return { ok: true, id, layout };
  const old = sessionLayout(home, key, found.id);
  // Before anything is copied or written.
  const after = await findAfter(options, host, old, found.id);
  if (typeof after === 'object') return after;
  if (options.branch) {
    const copied = await branchSession(host, old, layout);
    if (!copied.ok) return copied;
  }
  const { rewind } = options;
  const read = await loadSession(host, { layout, roots }, resources, {
    ...(rewind === undefined ? {} : { rewind }),
    ...(after === undefined ? {} : { after }),
  });
  return read.ok ? { ok: true, id, layout, loaded: read.loaded } : read;
}

/** The record of the message to continue after. */
async function findAfter(
  { resumeAt }: SessionOptions,
  { files }: Host,
  { file }: SessionLayout,
  session: string,
): Promise<number | undefined | OpenFailure> {
  if (resumeAt === undefined) return undefined;
  const { findMessage } = await import('../../session/files/find-message.js');
  const found = await findMessage(files, file, session, resumeAt);
  return found?.seq ?? usageFailure(`--resume-session-at: no message ${resumeAt} in session ${session}`);
}

function findMistake({ sessionId, resume, branch, persist, resumeAt, rewind }: SessionOptions): string | undefined {
  if (sessionId !== undefined && !isFileName(sessionId)) {
    return `--session-id ${sessionId}: use letters, digits, ., _ and -`;
  }
  if (persist === false && resume !== undefined && branch !== true) {
    return 'a resumed session is already saved: with --no-session-persistence, add --branch to continue in a copy';
  }
  if (resumeAt !== undefined && resume === undefined) {
    return '--resume-session-at needs --continue or --resume';
  }
  if (resumeAt !== undefined && rewind !== undefined) return 'use either --resume-session-at or --rewind-to, not both';
  return undefined;
}

/** Loads nothing for a session that is saved. */
async function openEphemeral(
  host: Host,
  home: string,
  id: string,
  resources: Resources,
): Promise<{ readonly ok: true; readonly home: string } | OpenFailure> {
  const unkept = await (await import('../../session/store/ephemeral-sessions.js')).openEphemeral(host, home, id);
  if (!unkept.ok) return { ok: false, kind: 'state', reason: unkept.reason };
  resources.add('the ephemeral session', () => unkept.remove());
  return unkept;
}
