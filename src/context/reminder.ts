/** How our own words are marked in a conversation, so that nothing a file or a tool says can pass for them. */

import { neutralizeTags } from '../protocol/tags.js';

export function reminder(body: string): string {
  return `<system-reminder>\n${neutralizeTags(body.trim())}\n</system-reminder>`;
}
