/** The loop's ports for what a rewind restores: files that edit tools change, and what file commands change. */

import type { Ports } from '../../loop/ports.js';
import type { Emit } from '../../session/emit.js';
import { createCommandBackups } from '../../session/files/command-backups.js';
import { createFileBackups } from '../../session/files/file-backups.js';
import { countBytesLeft } from '../../session/files/stored-content.js';
import type { SessionConfig } from './session-config.js';

type Backups = Required<Pick<Ports, 'backUpFiles' | 'noteFiles'>> & {
  /** How many bytes may still be stored for commands. */
  keepLeft(): number;
};

/** `emit` is the main agent's. */
export function createBackups({ host, layout }: SessionConfig, emit: () => Emit | undefined): Backups {
  const keepLeft = countBytesLeft(host.files.sync, layout);
  const edits = createFileBackups(host, layout, emit);
  const commands = createCommandBackups(host, layout, emit, keepLeft);
  return {
    keepLeft,
    backUpFiles: async (agent, call, { edited, byCommand }) => {
      const by = { agent: agent.id, call };
      const reason = await edits.backUp(edited, by);
      if (reason !== undefined) return { ok: false, reason };
      if (byCommand === undefined) return { ok: true, skipped: [] };
      const { changes: paths, git } = byCommand;
      return commands.backUp({ paths, ...(git ? { gitFolder: agent.shell.cwd } : {}) }, by);
    },
    noteFiles: async (agent, call, { edited }) => {
      const by = { agent: agent.id, call };
      await edits.noteChange(edited, by);
      await commands.note(by);
    },
  };
}
