/** Permission rules in the format of `stream-json` clients; only the suggested rule can be added, never a wider one. */

import * as z from 'zod';

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

/** The rule that covers exactly this call, for the session or for the project's local settings. */
export function suggestUpdates(suggestion: string | undefined): readonly object[] {
  if (suggestion === undefined) return [];
  const rules = [toClientRule(suggestion)];
  return ['session', 'localSettings'].map((destination) => ({
    type: 'addRules',
    rules,
    behavior: 'allow',
    destination,
  }));
}

export function alwaysFrom(
  updates: PermissionUpdates,
  suggestion: string | undefined,
  warn: (line: string) => void,
): 'session' | 'local' | undefined {
  let always: 'session' | 'local' | undefined;
  for (const update of updates) {
    if (update.type === 'setMode') continue;
    const rules = update.type === 'addRules' && 'rules' in update ? (update.rules as readonly ClientRule[]) : undefined;
    const asSuggested =
      rules !== undefined &&
      'behavior' in update &&
      update.behavior === 'allow' &&
      rules.every((one) => toText(one) === suggestion);
    if (!asSuggested) {
      warn(`a permission update was ignored (${update.type}): only the suggested rule can be added`);
    } else if (update.destination === 'localSettings') {
      always = 'local';
    } else {
      if (update.destination !== undefined && update.destination !== 'session') {
        warn(`a rule can't be saved to ${String(update.destination)}; it applies to this session only`);
      }
      always ??= 'session';
    }
  }
  return always;
}

function toClientRule(text: string): ClientRule {
  const [, toolName, ruleContent] = /^([^(]+)\((.*)\)$/s.exec(text) ?? [];
  return toolName === undefined ? { toolName: text } : { toolName, ruleContent };
}

function toText({ toolName, ruleContent }: ClientRule): string {
  return ruleContent == null ? toolName : `${toolName}(${ruleContent})`;
}
