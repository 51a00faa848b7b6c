/** Builds the text of a skill for one use: fills in arguments, runs shell lines (EX-12, EX-13). */

import { createHash } from 'node:crypto';
import type { Skill } from '../../config/skills/skill.js';
import { renderSkill } from '../../context/skills/render-skill.js';
import type { Run } from '../../loop/run.js';
import { runToolCall } from '../../loop/run-tool-call.js';
import type { Announcements } from '../../protocol/events.js';
import { outcomeText } from '../../protocol/outcome.js';
import type { Result } from '../../protocol/result.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';

export type SkillUse = { readonly skill: Skill; readonly args: string; readonly callId: string };

export type SkillText = Result<{
  readonly text: string;
  /** Without the output of shell lines. */
  readonly own: readonly string[];
}>;

export async function makeSkillText(runtime: Runtime, run: Run, use: SkillUse): Promise<SkillText> {
  const { skill, args, callId } = use;
  const variables = skillVariables(runtime, run.agent as LiveAgent, skill);
  const parts = renderSkill(skill.prompt, { args, argumentNames: skill.argumentNames, variables });
  const own: string[] = [];
  const output: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'text') {
      own.push(part.text);
      output.push(part.text);
      continue;
    }
    const printed = await runLine(runtime, run, { skill, command: part.command, id: `${callId}-line-${index}` });
    if (!printed.ok) return printed;
    output.push(printed.text);
  }
  const content = output.join('').trim();
  if (content === '') return { ok: false, reason: `its text is empty (${skill.source.file}).` };
  return { ok: true, text: withFolder(skill, content), own };
}

/** Marks this text as part of the conversation, so that it is not repeated. */
export function announceSkillText(name: string, content: string): Announcements {
  return { [`skill ${name}`]: createHash('sha256').update(content).digest('hex') };
}

/** Adds the skill's folder, to which its other files are relative. */
export function withFolder({ kind, folder }: Skill, content: string): string {
  return kind === 'skill' ? `(Its files are in ${folder})\n\n${content}` : content;
}

type Line = { readonly skill: Skill; readonly command: string; readonly id: string };
type Printed = Result<{ readonly text: string }>;

/** An ordinary Bash call outside the conversation: same gate, hooks and records. */
async function runLine(runtime: Runtime, run: Run, { skill, command, id }: Line): Promise<Printed> {
  if (!runtime.settings.skillShell) return { ok: true, text: `[shell lines are switched off: ${command}]` };
  if (skill.shell !== undefined && skill.shell !== 'bash')
    return { ok: false, reason: `it wants the shell ${skill.shell}, and only bash is available here.` };
  const input = { command, description: `a shell line of /${skill.name}` };
  const use = { type: 'tool_use', id, name: 'Bash', input } as const;
  const { outcome } = await runToolCall(run, { use, aside: true });
  if (outcome === undefined) return { ok: false, reason: 'it was interrupted.' };
  const printed = outcomeText(outcome);
  return outcome.isError
    ? { ok: false, reason: `its shell line \`${command}\` failed or was not allowed.\n${printed}` }
    : { ok: true, text: printed };
}

/** The values of `${NAME}` in its text. */
export function skillVariables(runtime: Runtime, agent: LiveAgent, skill: Skill): Readonly<Record<string, string>> {
  const plugin = runtime.plugins.find(({ name }) => name === skill.source.plugin);
  const options = Object.entries(plugin?.options ?? {}).map(([key, value]) => [`user_config.${key}`, value]);
  return {
    ...plugin?.variables,
    ...Object.fromEntries(options),
    CLAUDE_SKILL_DIR: skill.folder,
    CLAUDE_PROJECT_DIR: runtime.projectRoot,
    CLAUDE_SESSION_ID: runtime.session,
    CLAUDE_EFFORT: skill.effort ?? agent.epoch.effort ?? agent.record.effort ?? 'high',
  };
}
