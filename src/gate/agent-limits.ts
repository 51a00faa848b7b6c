/** What an agent's definition, its skills and its notes add to the rules, and what its definition leaves out. */

import type { AgentMemory } from '../protocol/events.js';
import type { Decision } from '../protocol/permission.js';
import { parseRule, type Rule } from './permissions/rules/rule.js';
import { rulesIn } from './permissions/rules/rule-scope.js';
import type { JudgedAgent } from './requester.js';

/** The definition's own rules for individual tools. An unreadable rule allows nothing. */
export function limitRules(
  { type, limits, folder }: JudgedAgent,
  which: 'only' | 'never',
  behavior: Rule['behavior'],
): Rule[] {
  const origin = { source: `the definition of ${type}`, base: folder };
  return (limits?.[which] ?? []).flatMap((text) => {
    const { rule } = parseRule(text, behavior, origin);
    return rule === undefined ? [] : [rule];
  });
}

/** Rules of a project's skill are bound to the project, like those of its settings. */
export function grantedRules(requester: JudgedAgent): readonly Rule[] {
  const { grants = [] } = requester;
  if (grants.length === 0) return [];
  const granted = grants.flatMap(({ source, allow, deny, folder, project }) => {
    const origin = {
      source,
      base: folder,
      ...(project ? { bound: { kind: 'project', folder: project } as const } : {}),
    };
    const read = (texts: readonly string[], behavior: Rule['behavior']) =>
      texts.flatMap((text) => parseRule(text, behavior, origin).rule ?? []);
    return [...read(deny, 'deny'), ...read(allow, 'allow')];
  });
  return rulesIn(granted, [requester.cwd], requester);
}

export function outside({ type }: JudgedAgent, tool: string, only: readonly Rule[]): Decision {
  const rules = only.map((rule) => rule.text).join(', ');
  const reason = `the definition of ${type} gives it ${tool} only for: ${rules}. Continue without it, or say what you need.`;
  return { behavior: 'deny', by: 'definition', reason };
}

export function outsideMemory({ folder }: AgentMemory, tool: string): Decision {
  const reason = `you have ${tool} only for your notes: .md files in ${folder}, named by that path, without links. Continue without it, or say what you need.`;
  return { behavior: 'deny', by: 'definition', reason };
}

/** File commands are allowed like edits only to an agent that may edit, and where no hook guards only its edit tools (GT-36). */
export function refuseFileCommands({ canEdit, hooks }: JudgedAgent): string | undefined {
  if (canEdit === false) return 'this agent has no tool to edit files';
  if (hooks?.guardsEdits() === true) return 'a hook watches over edits but not over Bash, so it would be passed by';
  return undefined;
}
