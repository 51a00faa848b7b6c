/** The sandbox of a session: opens at its first use, never before. */

import type { ProcessCommand } from '../../host/processes.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { openLinux } from './linux/open-linux.js';
import { openMac } from './mac/mac-box.js';
import { type Opened, type SandboxOptions, unconfined } from './opened-sandbox.js';
import type { Confined, Place, Profile, Sandbox, View } from './sandbox.js';
import { findMoved } from './view/places.js';
import type { Preparer } from './view/prepare-view.js';

export function createSandbox(options: SandboxOptions): Sandbox {
  let opening: Promise<Opened> | undefined;
  let isMissingTold = false;
  const open = async (): Promise<Opened> => {
    opening ??= openPlatform(options);
    const opened = await opening;
    // A full disk is a failure of the moment.
    if (!opened.ok && opened.failed === true) opening = undefined;
    return opened;
  };
  /** There is none on this machine: said once, with the first command that would have had limits. */
  const withoutLimits = (command: ProcessCommand, reason: string): Confined => {
    const lines = isMissingTold
      ? []
      : [`there is no sandbox here (${reason}), so nothing keeps what a rule allows from protected files`];
    isMissingTold = true;
    return { ok: true, isConfined: false, command, explain: () => undefined, finish: async () => lines };
  };
  return {
    status: async () => {
      const opened = await open();
      if (!opened.ok) return { kind: 'unavailable', reason: opened.reason };
      const { found, confines } = opened.sandbox;
      return { kind: 'on', found, confines };
    },
    prepare: async (request) => {
      const opened = await open();
      if (!opened.ok) return opened;
      try {
        return await opened.sandbox.preparer.prepare(request);
      } catch (error) {
        return { ok: false, reason: reasonOf(error) };
      }
    },
    confine: async (command, profile, place) => {
      const opened = await open();
      if (!opened.ok && (needsLimits(profile) || opened.failed === true)) return refuse(profile, opened.reason);
      if (!opened.ok) return profile.kind === 'ruled' ? withoutLimits(command, opened.reason) : unconfined(command);
      try {
        const whole = await completeView(opened.sandbox.preparer, profile, place);
        if (!whole.ok) return refuse(profile, whole.reason);
        const moved = findMoved(whole.place.view?.places ?? [], options.host.files.sync);
        if (moved !== undefined) return refuse(profile, `${moved} was moved or replaced meanwhile`);
        return await opened.sandbox.confine(command, profile, whole.place);
      } catch (error) {
        // Never run without limits instead: a command that can break the preparation could otherwise escape them.
        return refuse(profile, reasonOf(error));
      }
    },
    close: async () => {
      const opened = await opening;
      if (opened?.ok) await opened.sandbox.close();
    },
  };
}

/** Never rejects: any failure means that there is no sandbox, with the reason. */
async function openPlatform(options: SandboxOptions): Promise<Opened> {
  const platform = options.platform ?? options.host.platform.os;
  try {
    if (platform === 'linux') return await openLinux(options);
    if (platform === 'darwin') return await openMac(options);
    return { ok: false, reason: `it is not supported on ${platform}` };
  } catch (error) {
    return { ok: false, reason: `it could not be set up: ${reasonOf(error)}`, failed: true };
  }
}

/** True if nothing but its limits permits such a command. */
function needsLimits({ kind }: Profile): boolean {
  return kind === 'reading' || kind === 'working';
}

/** Adds what must be covered in the folders that are shown for this one command. */
async function completeView(
  preparer: Preparer,
  profile: Profile,
  place: Place,
): Promise<Result<{ readonly place: Place }>> {
  const { view } = place;
  if (profile.kind !== 'reading' && profile.kind !== 'working') return { ok: true, place };
  if (view === undefined) return { ok: false, reason: 'the folders it was permitted for were not looked at' };
  if (profile.show.length === 0) return { ok: true, place };
  const extra = await preparer.cover(profile.show, view);
  if (!extra.ok) return extra;
  const folders = extra.masks.filter(({ isFolder }) => isFolder);
  const whole: View = {
    ...view,
    masks: [...new Set([...view.masks, ...extra.masks.map(({ path }) => path)])],
    maskedFolders: [...view.maskedFolders, ...folders.map(({ path }) => path)],
    pipes: [...new Set([...view.pipes, ...extra.pipes])],
  };
  return { ok: true, place: { ...place, view: whole } };
}

function refuse(profile: Profile, reason: string): Confined {
  const what = needsLimits(profile)
    ? `it needs no permission only with limits, and those could not be prepared (${reason})`
    : `the sandbox could not be prepared (${reason})`;
  const next = profile.kind === 'sandboxed' ? '' : ' Repeat it with unconfined: true; the user is asked.';
  return { ok: false, reason: `The command was not run: ${what}.${next}` };
}
