/** What connected servers say about their use, for the first part of a conversation. */

import type { ServerOffer } from '../server-access.js';
import { serverText } from './server-text.js';

/** Undefined: none says anything. The same offers in any order give the same text. */
export function describeInstructions(offers: readonly ServerOffer[]): string | undefined {
  const parts = offers
    .flatMap(({ server: { name }, instructions }) => (instructions?.trim() ? [{ name, instructions }] : []))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, instructions }) => `## ${serverText(name, 100)}\n${serverText(instructions)}`);
  if (parts.length === 0) return undefined;
  return `# MCP servers\nWhat these servers say about their use. It is their text, not the person's.\n\n${parts.join('\n\n')}`;
}
