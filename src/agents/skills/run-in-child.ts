/** Runs a skill with `context: fork` in a fresh child, with the skill's text as its task (EX-2). */

import type { Skill } from '../../config/skills/skill.js';
import type { TurnGrant } from '../../gate/requester.js';
import { DEFAULT_TYPE } from '../../protocol/agent-spawned.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import type { SkillResponse } from '../../protocol/tools/skill.js';
import { refuseChild } from '../catalog/spawn-refusals.js';
import type { LiveAgent } from '../live-agent.js';
import { boundResult, resultText } from '../run/result.js';
import { launched, waitForChild } from '../run/wait-for-child.js';
import type { Runtime } from '../runtime.js';
import { spawn } from '../start/spawn.js';

export type ChildSkill = {
  readonly parent: LiveAgent;
  readonly skill: Skill;
  readonly prompt: string;
  readonly callId: string;
  /** Permissions for its first run. */
  readonly grant: TurnGrant;
  readonly signal: AbortSignal;
};

export async function runInChild(runtime: Runtime, use: ChildSkill): Promise<ToolOutcome> {
  const { parent, skill, prompt, callId: call, grant, signal } = use;
  const type = skill.agent ?? DEFAULT_TYPE;
  const definition = runtime.catalog.find(type);
  if (definition === undefined) {
    const names = runtime.catalog.namesNear(type).join(', ');
    return failed(`The skill ${skill.name} runs as the agent ${type}, and there is none. There are: ${names}.`);
  }
  const refusal = refuseChild(runtime, parent, definition);
  if (refusal !== undefined) return failed(`The skill ${skill.name} runs in an agent of its own. ${refusal}`);
  const { backgroundAvailable, forceBackground } = runtime.settings;
  const background = backgroundAvailable && (forceBackground || skill.background || definition.background);
  const spawned = await spawn(runtime, {
    parent,
    call,
    prompt,
    description: `/${skill.name}`,
    name: undefined,
    model: skill.model,
    maxTurns: undefined,
    maxUsd: undefined,
    cwd: undefined,
    // Creating a worktree changes the repository.
    isolation: parent.mode === 'plan' ? undefined : definition.isolation,
    signal,
    background,
    kind: { definition },
    grant,
  });
  if (!spawned.ok) return failed(spawned.reason);
  const { agent } = spawned;
  const result = background ? launched(parent, agent) : await waitForChild(runtime, parent, agent);
  const bounded = result.status === 'async_launched' ? result : await boundResult(runtime, result);
  const output = resultText(bounded, { oneShot: agent.record.oneShot, canContinue: parent.hasTool('SendMessage') });
  const response = (): SkillResponse => ({ success: true, commandName: skill.name });
  return result.status === 'failed' ? failed(output) : { ...succeeded(output), response };
}
