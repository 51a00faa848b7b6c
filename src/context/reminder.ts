/** How our own words are marked in a conversation, so that nothing a file or a tool says can pass for them. */

export function reminder(body: string): string {
  return `<system-reminder>\n${neutralize(body.trim())}\n</system-reminder>`;
}

/** Text from elsewhere can't close our tag or open another. */
function neutralize(body: string): string {
  return body.replace(/<(\/?)(\s*)system-reminder/gi, '<$1$2system-reminder\u2011quoted');
}
