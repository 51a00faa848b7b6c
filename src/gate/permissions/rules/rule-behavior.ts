/** What a rule does with the calls it is about. */

export type RuleBehavior = 'deny' | 'ask' | 'allow';
