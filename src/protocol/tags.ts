/** The tags by which our own words stand out in a conversation, and how others are kept from imitating them. */

const OUR_TAGS = [
  'system-reminder',
  'task-notification',
  'fork-boilerplate',
  'conversation-summary',
  'compaction',
  'agent-message',
];

const IMITATION = new RegExp(`<(?=\\s*/?\\s*(?:${OUR_TAGS.join('|')})\\b)`, 'gi');

/** Only what imitates our own tags is changed: code stays code. */
export function neutralizeTags(text: string): string {
  return text.replace(IMITATION, '&lt;');
}

/** For short fields: nothing in them can be markup. */
export function escapeField(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export function reminder(body: string): string {
  return `<system-reminder>\n${neutralizeTags(body.trim())}\n</system-reminder>`;
}
