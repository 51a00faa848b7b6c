/** The changes that a skill makes: rules for the turn, hooks for the session, the model it runs on (EX-8, EX-14). */

import type { Skill } from '../../config/skills/skill.js';
import { substituteRules } from '../../context/skills/render-skill.js';
import type { TurnGrant } from '../../gate/requester.js';
import { modelData } from '../../model/models.js';
import { chooseModel } from '../catalog/choose-model.js';
import type { LiveAgent } from '../live-agent.js';
import { switchModel } from '../run/switch-model.js';
import type { Runtime } from '../runtime.js';
import { skillVariables } from './make-skill-text.js';
import type { SkillToApprove } from './skill-approval.js';

export type SkillGrants = {
  readonly grant: TurnGrant;
  /** Revokes the grants before the turn ends. */
  takeBack(): void;
};

export async function giveGrants(
  runtime: Runtime,
  { agent, skill, isTyped, signal }: Omit<SkillToApprove, 'allow'> & { readonly signal: AbortSignal },
): Promise<SkillGrants> {
  const allow = substituteRules(skill.allowedTools, skillVariables(runtime, agent, skill));
  const isActing = allow.length > 0 || skill.hooks !== undefined;
  const approval = isActing ? await runtime.approveSkill({ agent, skill, allow, isTyped }, signal) : { tools: false };
  const { scope } = skill.source;
  const grant: TurnGrant = {
    source: `the skill ${skill.name}`,
    allow: approval.tools ? allow : [],
    deny: skill.disallowedTools,
    folder: agent.host.folder,
    ...(scope === 'project' ? { project: runtime.projectRoot } : {}),
  };
  return { grant, takeBack: runtime.turns.grant(agent.id, grant) };
}

/**
 * Uses the skill's model and effort until the turn ends. A fork stays on its model, because it shares its parent's
 * cache.
 */
export async function switchToSkillModel(runtime: Runtime, agent: LiveAgent, skill: Skill): Promise<void> {
  const { effort } = skill;
  const { mode, epoch, budget } = agent;
  const call = skill.model === 'inherit' ? undefined : skill.model;
  if (call === undefined && effort === undefined) return;
  const id = chooseModel({
    env: {},
    call,
    definition: 'inherit',
    parent: epoch.model.id,
    mode,
    overrides: runtime.models,
  });
  const model = modelData(id, runtime.models);
  const unpriced = id === epoch.model.id ? undefined : budget.refusesModel(model);
  const reason = agent.isFork ? "a fork runs on its parent's model" : unpriced;
  if (reason !== undefined) {
    const line = `the skill ${skill.name} asks for another model or effort, which it does not get: ${reason}`;
    await agent.emit({ kind: 'line-shown', level: 'warning', line });
    return;
  }
  runtime.turns.runOn(agent, (current) => ({
    ...switchModel(runtime, agent, current, { model, effort }),
    fallbackFor: model.id === current.model.id ? current.fallbackFor : undefined,
    reason: 'effort-switch',
  }));
}
