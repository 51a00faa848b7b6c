/** The tags that mark our own text in a conversation, and how imitations are neutralised. */

const OUR_TAGS = [
  'system-reminder',
  'task-notification',
  'fork-boilerplate',
  'conversation-summary',
  'compaction',
  'agent-message',
];

const IMITATION = new RegExp(`<(?=\\s*/?\\s*(?:${OUR_TAGS.join('|')})\\b)`, 'gi');

/** Changes only imitations of our tags; code stays code. */
export function neutralizeTags(text: string): string {
  return text.replace(IMITATION, '&lt;');
}

/** Escapes a short field completely. */
export function escapeField(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export function reminder(body: string): string {
  return `<system-reminder>\n${neutralizeTags(body.trim())}\n</system-reminder>`;
}
