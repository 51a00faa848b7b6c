/**
 * Loads a skill, for a model or for the user who typed it: check permission → apply its grants → build its text, with
 * arguments and shell lines → add it to the conversation, or run it in a child.
 */

import type { Skill } from '../../config/skills/skill.js';
import { noteSkillUse } from '../../config/skills/skill-usage.js';
import type { Run } from '../../loop/run.js';
import { text, type UserBlock } from '../../protocol/blocks.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { neutralizeContent, reminder, skillReminder } from '../../protocol/tags.js';
import type { SkillInput, SkillResponse } from '../../protocol/tools/skill.js';
import { announcedTo } from '../../session/state/agent-state.js';
import type { ToolContext } from '../../tools/tool.js';
import type { LiveAgent } from '../live-agent.js';
import { asReminder, attachFiles } from '../prompt/attach-files.js';
import type { Runtime } from '../runtime.js';
import { giveGrants, switchToSkillModel } from './give-grants.js';
import { announceSkillText, makeSkillText } from './make-skill-text.js';
import { runInChild } from './run-in-child.js';
import { explainNoSkill, type TypedSkill } from './session-skills.js';

export async function useSkill(
  runtime: Runtime,
  { skill: name, args = '' }: SkillInput,
  { agentId, callId, signal }: ToolContext,
): Promise<ToolOutcome> {
  const agent = runtime.agents.get(agentId);
  if (agent === undefined) return failed('This agent is not part of the session any more.');
  const skill = runtime.skills.find(name);
  if (skill === undefined) return failed(explainNoSkill(runtime.skills, name));
  const typed = runtime.typedSkills.get(callId);
  const refusal = whyNotUsed(skill, typed !== undefined);
  if (refusal !== undefined) return failed(refusal);
  const run = { agent, ports: runtime.ports, signal };
  const grants = await giveGrants(runtime, { agent, skill, isTyped: typed !== undefined, signal });
  const made = await makeSkillText(runtime, run, { skill, args, callId });
  if (!made.ok) {
    grants.takeBack();
    return failed(`The skill ${skill.name} was not taken up: ${made.reason}`);
  }
  noteUse(runtime, skill);
  if (skill.context === 'fork') {
    grants.takeBack();
    const outcome = await runInChild(runtime, {
      parent: agent,
      skill,
      prompt: made.text,
      callId,
      signal,
      grant: grants.grant,
    });
    return typed === undefined ? outcome : handOver(typed, skill, outcome);
  }
  // There is no conversation: the caller gets the text, and there is no turn for its grants.
  if (runtime.settings.onlyCalls) {
    grants.takeBack();
    return { ...succeeded(made.text), response: () => responseOf(skill) };
  }
  const attached = await attachFiles(run, { texts: made.own, folder: agent.shell.cwd, id: callId });
  if (typed === undefined) await switchToSkillModel(runtime, agent, skill);
  else {
    // The prompt is not admitted yet, and other work may be running or end meanwhile.
    grants.takeBack();
    typed.begin = async () => {
      await switchToSkillModel(runtime, agent, skill);
      runtime.turns.grant(agent.id, grants.grant);
    };
  }
  return takeUp(run, agent, skill, { words: made.text, attached, callId, typed });
}

/** Not awaited, because another process may hold the file, but finished before the session closes. */
function noteUse({ host, finishing }: Runtime, { name }: Skill): void {
  const noted = noteSkillUse(host, name)
    .catch(() => {})
    .then(() => void finishing.delete(noted));
  finishing.add(noted);
}

/** EX-11. */
function whyNotUsed(skill: Skill, isTyped: boolean): string | undefined {
  const { name } = skill;
  if (isTyped) return skill.userInvocable ? undefined : `/${name} can't be typed: it is for the model alone.`;
  if (skill.modelInvocable) return undefined;
  return `The skill ${name} is the person's to use: ask the person to type /${name}.`;
}

type Taken = {
  readonly words: string;
  readonly attached: readonly UserBlock[];
  readonly callId: string;
  readonly typed: TypedSkill | undefined;
};

async function takeUp(
  { agent: { inbox, state } }: Run,
  agent: LiveAgent,
  skill: Skill,
  { words, attached, callId, typed }: Taken,
): Promise<ToolOutcome> {
  const { name } = skill;
  const announcements = announceSkillText(name, words);
  const announced = announcedTo(state);
  const isKnown = Object.entries(announcements).every(([topic, hash]) => announced[topic] === hash);
  const output = isKnown
    ? reminder(`The skill ${name} is in this conversation already, with the same text: follow it.`)
    : skillReminder(name, words);
  const blocks = [text(output), ...attached];
  const response = () => responseOf(skill);
  if (typed !== undefined) Object.assign(typed, { blocks, announcements });
  else if (!(await inbox.admit({ origin: 'reminder', key: `skill ${callId}`, announcements }, blocks)))
    return failed(`${agent.type} has ended.`);
  return { ...succeeded(isKnown ? `${name} is here already.` : `${name} is taken up: its text follows.`), response };
}

function responseOf({ name }: Skill): SkillResponse {
  return { success: true, commandName: name };
}

/** The answer of a child to a skill that the user typed reaches the main agent together with the prompt. */
function handOver(typed: TypedSkill, { name }: Skill, outcome: ToolOutcome): ToolOutcome {
  if (outcome.isError) return outcome;
  const head = `The person typed /${name}, and an agent did it. Tell the person what matters of its result:`;
  typed.blocks = asReminder(head, neutralizeContent(outcome.content));
  return outcome;
}
