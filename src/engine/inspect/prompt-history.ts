/** Your prompts, for an editor: on disk, or only in memory in an ephemeral session. Loaded when it is used. */

import { dirname } from 'node:path';
import type { Runtime } from '../../agents/runtime.js';
import { once } from '../../protocol/once.js';
import type { PromptHistoryFile } from '../../session/store/prompt-history.js';

export function promptHistory({ host, layout, session }: Runtime, isKept: boolean): PromptHistoryFile {
  if (!isKept) return inMemory();
  const open = once(async () => {
    const { PromptHistory } = await import('../../session/store/prompt-history.js');
    return new PromptHistory(host, dirname(layout.file), session);
  });
  return {
    entries: async () => (await open()).entries(),
    add: async (text) => (await open()).add(text),
    saveDraft: async (text) => (await open()).saveDraft(text),
    draft: async () => (await open()).draft(),
  };
}

function inMemory(): PromptHistoryFile {
  const entries: string[] = [];
  return {
    entries: async () => [...entries],
    add: async (text) => void entries.push(text),
    saveDraft: async () => {},
    draft: async () => undefined,
  };
}
