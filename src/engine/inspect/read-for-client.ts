/** Reads a file of the session's folders for a client. The read rules apply; nobody is asked. */

import { basename, dirname, resolve } from 'node:path';
import { isWithin } from '../../gate/permissions/paths/resolve-path.js';
import type { JudgedAgent } from '../../gate/requester.js';
import { errorCode, type Files } from '../../host/files.js';
import type { CommandOf } from '../../protocol/commands.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { FileForClient } from '../commands/command-results.js';
import type { Engine } from '../engine.js';

const MOST_BYTES = 10 * 1024 * 1024;

export async function readForClient(engine: Engine, command: CommandOf<'read-file'>): Promise<FileForClient> {
  const { runtime, mode } = engine;
  const { host, roots, worktree } = runtime;
  const path = resolve(host.folder, command.path);
  const requester: JudgedAgent = {
    type: MAIN_AGENT,
    mode,
    readOnly: true,
    limits: undefined,
    roots,
    worktree,
    folder: host.folder,
    cwd: host.folder,
    files: host.files.sync,
  };
  const call = { id: '', tool: 'Read', input: { file_path: path }, actions: [{ kind: 'read', path } as const] };
  const { decision, realPaths } = await runtime.ports.gate.decide(requester, call);
  const real = realPaths.get(path) ?? path;
  // A mode or a rule may allow more; a client gets only what is in the session's folders.
  if (decision.behavior !== 'allow' || !roots.some((root) => isWithin(real, root))) {
    const reason = 'reason' in decision ? decision.reason : "it is outside the session's folders";
    return { ok: false, reason: `${path} can't be read: ${reason}` };
  }
  const most = Math.min(command.maxBytes ?? MOST_BYTES, MOST_BYTES);
  return readAt(host.files, { path, real, most, encoding: command.encoding ?? 'utf-8' });
}

type Wanted = {
  readonly path: string;
  readonly real: string;
  readonly most: number;
  readonly encoding: 'utf-8' | 'base64';
};

async function readAt(files: Files, { path, real, most, encoding }: Wanted): Promise<FileForClient> {
  try {
    const folder = await files.holdFolder(dirname(real));
    try {
      const handle = await folder.openRead(basename(real));
      try {
        const { kind, size } = await handle.stat();
        if (kind !== 'file') return { ok: false, reason: `${path} can't be read: not a file` };
        const bytes = await handle.read(0, Math.min(size, most));
        const content = bytes.toString(encoding === 'base64' ? 'base64' : 'utf8');
        const isExact = encoding === 'base64' || Buffer.from(content, 'utf8').equals(bytes);
        return { ok: true, path: real, content, isCut: size > bytes.length, isExact };
      } finally {
        await handle.close();
      }
    } finally {
      await folder.close();
    }
  } catch (error) {
    const reason = errorCode(error) === 'ENOENT' ? 'no such file' : reasonOf(error);
    return { ok: false, reason: `${path} can't be read: ${reason}` };
  }
}
