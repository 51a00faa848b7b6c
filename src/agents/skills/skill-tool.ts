/** The Skill tool, with which a model loads a skill. A `/name` typed by the user takes the same path (EX-2, EX-11). */

import * as z from 'zod';
import { type SkillInput, skillFacts } from '../../protocol/tools/skill.js';
import type { Tool } from '../../tools/tool.js';
import { zodTool } from '../../tools/zod-tool.js';
import type { Runtime } from '../runtime.js';
import DECLARED_INPUTS from '../tools/declared-inputs.json' with { type: 'json' };

const schema = () =>
  z.object({
    skill: z.string().min(1).describe('Its name, as listed'),
    args: z.string().optional().describe('Arguments, as a person would type them after the name'),
  });

export function createSkillTool(runtime: () => Runtime, description: string): Tool<SkillInput> {
  return zodTool({
    name: skillFacts.name,
    description,
    schema,
    inputSchema: DECLARED_INPUTS.Skill,
    concurrent: false,
    mayStartChild: true,
    // The result of a child is already bounded.
    maxResultChars: Number.POSITIVE_INFINITY,
    declare: ({ skill }) => [{ kind: 'skill', name: calledName(runtime(), skill) }],
    run: async (input, context) => {
      const { useSkill } = await import('./use-skill.js');
      return useSkill(runtime(), { ...input, skill: calledName(runtime(), input.skill) }, context);
    },
  });
}

/** The canonical name for rules, regardless of spelling. */
function calledName({ skills }: Runtime, written: string): string {
  const name = written.trim().replace(/^\//, '');
  return skills.find(name)?.name ?? name;
}

/** The description of the Skill tool. Fixed when the session begins; later changes are announced in reminders. */
export function describeSkillTool(lines: readonly string[], cut: number): string {
  return [
    `Takes up a skill: instructions for a kind of task, written by the person, their project or a plugin. Its text joins the conversation and is to be followed. When a task fits one of them, use it before you begin. A skill that was taken up already needs no second call. What the person types as /name is taken up for them: don't call it again.`,
    lines.length === 0
      ? 'There are none yet; a reminder names those that come.'
      : `Skills:\n${lines.join('\n')}${cut > 0 ? `\n(${cut} stand without description: SearchListing shows it.)` : ''}`,
  ].join('\n\n');
}
