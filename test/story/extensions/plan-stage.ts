/** A session in plan mode, its lines, and a user who answers as told. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionOptions } from '../../../src/engine/session-options.js';
import type { HooksConfig } from '../../../src/gate/hooks/hook-config.js';
import type { PermissionAnswer, PermissionQuestion } from '../../../src/protocol/permission.js';
import { type Stage, setStage } from '../../support/story.js';
import { begin, type Line, script } from '../agents/agents-script.js';

export const exitPlan = (plan: string, more: object = {}) => ({ tool: 'ExitPlanMode', input: { plan, ...more } });
export const write = (path: string, content = 'x') => ({ tool: 'Write', input: { file_path: path, content } });
export const bash = (command: string) => ({ tool: 'Bash', input: { command } });

/** Hooks that say yes wherever a hook can. */
export const YES: HooksConfig = {
  PreToolUse: [
    { hooks: [() => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } })] },
  ],
  PermissionRequest: [
    {
      hooks: [() => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } })],
    },
  ],
};

export function answering(...answers: readonly PermissionAnswer[]) {
  const questions: PermissionQuestion[] = [];
  const onPermission = async (question: PermissionQuestion): Promise<PermissionAnswer> => {
    questions.push(question);
    return answers[Math.min(questions.length, answers.length) - 1] ?? { behavior: 'deny' };
  };
  return { questions, onPermission };
}

export const ACCEPT_EDITS: PermissionAnswer = {
  behavior: 'allow',
  always: [{ kind: 'mode', mode: 'acceptEdits' }],
};

/** `lines` of the main agent, of which the last is repeated; one prompt in plan mode. */
export async function plan(lines: readonly Line[] | ((stage: Stage) => readonly Line[]), options: SessionOptions = {}) {
  const stage = await setStage();
  const main = typeof lines === 'function' ? lines(stage) : lines;
  stage.sim.use(script({ main }));
  const session = await stage.open({ permissionMode: 'plan', ...options });
  const end = await session.send(begin('plan it'));
  return { ...stage, stage, session, end };
}

export const inFolder = (stage: Stage, name: string) => join(stage.folder, name);
export const isThere = (stage: Stage, name: string) => existsSync(join(stage.folder, name));

/** Where the plan of a session is kept. */
export const planFile = (transcript: string) => join(transcript.replace(/\.jsonl$/, ''), 'plan.md');
export const readPlan = (transcript: string) => readFile(planFile(transcript), 'utf8');
