/** A project with agents that have memory, in a home of its own, and its memory opened as a person would. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type MemoryOptions, openFolderMemory } from '../../../../src/engine/open/folder-memory.js';
import type { Memory } from '../../../../src/features/memory/memory.js';
import type { MemoryScope } from '../../../../src/protocol/agent-spawned.js';
import { scratchFolder } from '../../../support/scratch.js';
import { makeRepository, type Repository } from '../../../support/worktrees.js';

export type MemoryStage = Repository & {
  readonly home: string;
  readonly env: Record<string, string | undefined>;
  /** Writes a file below the project, or below the home if it begins with `~/`. */
  write(path: string, text: string): Promise<string>;
  open(options?: MemoryOptions): Promise<Memory>;
};

export function agentFile(name: string, memory?: MemoryScope): string {
  const field = memory === undefined ? '' : `memory: ${memory}\n`;
  return `---\nname: ${name}\ndescription: Does things.\n${field}---\nYou do things.\n`;
}

/** A repository with `reviewer` (local), `writer` (project) and `plain` (none); `scout` (user) is the person's own. */
export async function setMemoryStage(): Promise<MemoryStage> {
  const scratch = await scratchFolder();
  const [home, folder] = [join(scratch, 'home'), join(scratch, 'project')];
  await mkdir(home);
  await mkdir(folder);
  const write = async (path: string, text: string) => {
    const file = path.startsWith('~/') ? join(home, path.slice(2)) : join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  await write('~/.claude/agents/scout.md', agentFile('scout', 'user'));
  const repository = await makeRepository(folder, {
    '.claude/agents/reviewer.md': agentFile('reviewer', 'local'),
    '.claude/agents/writer.md': agentFile('writer', 'project'),
    '.claude/agents/plain.md': agentFile('plain'),
  });
  const env = { PATH: process.env.PATH, HOME: home, COPPICE_MANAGED_SETTINGS: join(home, 'managed.json') };
  return {
    ...repository,
    home,
    env,
    write,
    open: async (options = {}) => {
      const opened = await openFolderMemory({ cwd: folder, env, trust: true, ...options });
      if (!opened.ok) throw new Error(opened.reason);
      return opened.memory;
    },
  };
}
