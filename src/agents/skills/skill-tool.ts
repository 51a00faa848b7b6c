/** The Skill tool, with which a model loads a skill. A `/name` typed by the user takes the same path (EX-2, EX-11). */

import * as z from 'zod';
import type { SkillInput } from '../../protocol/tools/skill.js';
import { skillFacts } from '../../protocol/tools/skill.js';
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
