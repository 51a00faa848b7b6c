/** The reading box of a session: opens at its first use, never before. */

import type { SyncFiles } from '../../host/files.js';
import type { ProcessCommand } from '../../host/processes.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { describeHidden } from './describe-hidden.js';
import { openLinuxBox } from './linux/linux-box.js';
import { findMoved } from './look/places.js';
import { openMacBox } from './mac/mac-box.js';
import type { BoxOptions, Opened, OpenedBox } from './opened-box.js';
import type { BoxedCommand, BoxStatus, PreparedBox, ReadingBox } from './reading-box.js';

export type ReadingBoxOptions = BoxOptions & {
  readonly mode: 'auto' | 'off';
  readonly platform?: string;
};

export function createReadingBox(options: ReadingBoxOptions): ReadingBox {
  let opening: Promise<Opened> | undefined;
  const open = () => {
    opening ??= openBox(options);
    return opening;
  };
  return {
    status: async (): Promise<BoxStatus> => {
      if (options.mode === 'off') return { kind: 'off' };
      const opened = await open();
      return opened.ok ? { kind: 'on', found: opened.box.found } : { kind: 'unavailable', reason: opened.reason };
    },
    prepare: async (request) => {
      if (options.mode === 'off') return { ok: false, reason: 'the setting confineReads is off' };
      const opened = await open();
      if (!opened.ok) return opened;
      try {
        return await opened.box.preparer.prepare(request);
      } catch (error) {
        return { ok: false, reason: reasonOf(error) };
      }
    },
    confine: async (command, box, show) => {
      const opened = options.mode === 'off' ? NO_BOX : await open();
      if (!opened.ok) return refuse(opened.reason);
      try {
        return await confine(options.host.files.sync, opened.box, command, box, show);
      } catch (error) {
        return refuse(reasonOf(error));
      }
    },
    close: async () => {
      const opened = await opening;
      if (opened?.ok) await opened.box.close();
    },
  };
}

const NO_BOX = { ok: false, reason: 'the setting confineReads is off' } as const;

/** Never rejects: any failure means that there is no box, with the reason. */
async function openBox(options: ReadingBoxOptions): Promise<Opened> {
  const platform = options.platform ?? options.host.platform.os;
  try {
    if (platform === 'linux') return await openLinuxBox(options);
    if (platform === 'darwin') return await openMacBox(options);
    return { ok: false, reason: `it is not supported on ${platform}` };
  } catch (error) {
    return { ok: false, reason: `it could not be set up: ${reasonOf(error)}` };
  }
}

async function confine(
  files: SyncFiles,
  opened: OpenedBox,
  command: ProcessCommand,
  box: PreparedBox,
  show: readonly string[],
): Promise<BoxedCommand> {
  const extra = show.length === 0 ? undefined : await opened.preparer.cover(show, box);
  if (extra?.ok === false) return refuse(extra.reason);
  const whole: PreparedBox =
    extra === undefined
      ? box
      : {
          ...box,
          masks: [...new Set([...box.masks, ...extra.masks.map(({ path }) => path)])],
          maskedFolders: [
            ...box.maskedFolders,
            ...extra.masks.filter(({ isFolder }) => isFolder).map(({ path }) => path),
          ],
          pipes: [...new Set([...box.pipes, ...extra.pipes])],
        };
  const moved = findMoved(box.places, files);
  if (moved !== undefined) return refuse(`${moved} was moved or replaced meanwhile`);
  const assembled = opened.assemble(command, whole, show);
  if (!assembled.ok) return refuse(assembled.reason);
  return {
    ok: true,
    command: assembled.command,
    explain: (output, exit) => describeHidden(whole, output, exit),
    finish: async () => [],
  };
}

/** Never run without the box instead: that it only reads was not proven by its text. */
function refuse(reason: string): BoxedCommand {
  return {
    ok: false,
    reason: `The command was not run: it needs no permission only where it can do nothing but read, and that could not be prepared (${reason}). Repeat it with unconfined: true; the person is asked.`,
  };
}
