/** The texts of SearchListing. */

import { oneLine } from '../../protocol/text/one-line.js';

export type Listing = { readonly kind: 'skill' | 'agent'; readonly name: string; readonly description: string };

/** The limit of one description. */
const LONGEST = 2_500;

const KINDS = { skill: 'skill (use it with Skill)', agent: 'agent (subagent_type of Agent)' } as const;

export function describeFound(shown: readonly Listing[], others: readonly Listing[]): string {
  return [
    ...shown.map(({ kind, name, description }) => {
      const whole = oneLine(description);
      const said = whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole;
      return `- ${oneLine(name)}, ${KINDS[kind]}: ${said === '' ? '(no description)' : said}`;
    }),
    ...(others.length > 0 ? [`Also: ${others.map(({ name }) => oneLine(name)).join(', ')}`] : []),
  ].join('\n');
}

export function describeNothing(query: string, kind: Listing['kind'] | undefined, near: readonly string[]): string {
  const what = kind ?? 'skill or agent';
  const nearest = near.length > 0 ? ` Nearest names: ${near.map(oneLine).join(', ')}.` : '';
  return `No ${what} matches ${JSON.stringify(query.slice(0, 200))}.${nearest} Search again with other words: what it does, or what it works on.`;
}
