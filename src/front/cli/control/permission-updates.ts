/** Permission rules in the format of `stream-json` clients; only a suggested rule can be added, never a wider one. */

import * as z from 'zod';
import type { PermissionChoice, PermissionOffer } from '../../../protocol/permission.js';

const rule = z.object({ toolName: z.string(), ruleContent: z.string().nullish() });
type ClientRule = z.infer<typeof rule>;

export const permissionUpdates = z.array(
  z.union([
    z.object({
      type: z.literal('addRules'),
      rules: z.array(rule),
      behavior: z.enum(['allow', 'ask', 'deny']),
      destination: z.string().optional(),
    }),
    z.object({ type: z.literal('setMode'), mode: z.string(), destination: z.string().optional() }),
    z.looseObject({ type: z.enum(['replaceRules', 'removeRules', 'addDirectories', 'removeDirectories']) }),
  ]),
);

export type PermissionUpdates = z.infer<typeof permissionUpdates>;

/** The offers of a question, narrowest first: rules for the session or the local settings, then a mode. */
export function suggestUpdates(offers: readonly PermissionOffer[]): readonly object[] {
  return offers.flatMap((offer): readonly object[] => {
    // The format can't express it: a plain yes applies to the session.
    if (offer.kind === 'agents-edit') return [];
    if (offer.kind === 'mode') return [{ type: 'setMode', mode: offer.mode, destination: 'session' }];
    const rules = [toClientRule(offer.rule)];
    return offer.where.map((where) => ({
      type: 'addRules',
      rules,
      behavior: 'allow',
      destination: DESTINATIONS[where],
    }));
  });
}

const DESTINATIONS = { session: 'session', local: 'localSettings' } as const;

/** Omits modes that were not offered: the caller handles those like a request to change the mode. */
export function choicesFrom(
  updates: PermissionUpdates,
  offers: readonly PermissionOffer[],
  warn: (line: string) => void,
): readonly PermissionChoice[] {
  const choices: PermissionChoice[] = [];
  for (const update of updates) {
    if (update.type === 'setMode') {
      if (isOfferedMode(update, offers)) choices.push({ kind: 'mode', mode: 'acceptEdits' });
      continue;
    }
    const rules = offeredRules(update, offers);
    if (rules === undefined) {
      warn(`a permission update was ignored (${update.type}): only a suggested rule can be added`);
      continue;
    }
    const { destination } = update;
    if (destination !== undefined && destination !== 'session' && destination !== 'localSettings') {
      warn(`a rule can't be saved to ${String(destination)}; it applies to this session only`);
    }
    for (const { rule, where } of rules) {
      const isLocal = destination === 'localSettings' && where.includes('local');
      choices.push({ kind: 'rule', rule, where: isLocal ? 'local' : 'session' });
    }
  }
  return choices;
}

export function isOfferedMode(update: PermissionUpdates[number], offers: readonly PermissionOffer[]): boolean {
  return update.type === 'setMode' && offers.some((offer) => offer.kind === 'mode' && offer.mode === update.mode);
}

type OfferedRule = Extract<PermissionOffer, { kind: 'rule' }>;

/** Undefined unless every rule of the update was offered. */
function offeredRules(
  update: PermissionUpdates[number],
  offers: readonly PermissionOffer[],
): readonly OfferedRule[] | undefined {
  if (update.type !== 'addRules' || !('behavior' in update) || update.behavior !== 'allow') return undefined;
  const found = (update.rules as readonly ClientRule[]).map((one) =>
    offers.find((offer): offer is OfferedRule => offer.kind === 'rule' && offer.rule === toText(one)),
  );
  return found.every((one) => one !== undefined) ? found : undefined;
}

function toClientRule(text: string): ClientRule {
  const [, toolName, ruleContent] = /^([^(]+)\((.*)\)$/s.exec(text) ?? [];
  return toolName === undefined ? { toolName: text } : { toolName, ruleContent };
}

function toText({ toolName, ruleContent }: ClientRule): string {
  return ruleContent == null ? toolName : `${toolName}(${ruleContent})`;
}
