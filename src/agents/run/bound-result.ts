/** A result that is too long for a conversation is cut; the whole of it stays on disk. */

import type { Runtime } from '../runtime.js';

export async function boundResult<T extends { readonly agentId: string; readonly content: string }>(
  runtime: Runtime,
  result: T,
): Promise<T> {
  const { resultLimit } = runtime.settings;
  const { agentId, content } = result;
  if (content.length <= resultLimit) return result;
  const path = await runtime.ports.keepOutput(`agent-${agentId}.md`, content);
  const cut = content.slice(0, resultLimit).toWellFormed();
  const note = `[Cut after ${resultLimit} of ${content.length} characters; the whole is in ${path}]`;
  return { ...result, content: `${cut}\n\n${note}` };
}
