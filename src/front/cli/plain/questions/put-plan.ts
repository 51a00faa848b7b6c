/** Puts a plan at the terminal: accept it, with or without a question for each edit, change it, or go on planning (EX-15). */

import { nodeHost } from '../../../../host/node-host.js';
import type { PermissionAnswer, PermissionQuestion } from '../../../../protocol/permission.js';
import { reasonOf } from '../../../../protocol/reason-of.js';
import { isCommand } from '../../../commands/is-command.js';
import { acceptPlan } from '../../../questions/plan-answers.js';
import { refuse } from '../../../questions/refuse.js';
import { describeQuestion, isCut } from '../../../view/describe/describe-question.js';
import { cannotAnswer, type QuestionHost, show, TAKEN_BACK } from './question-host.js';

type Plan = NonNullable<PermissionQuestion['plan']>;

export async function putPlan(
  terminal: QuestionHost,
  question: PermissionQuestion,
  given: Plan,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { screen, input } = terminal;
  let { text } = given;
  const shown = () => ({ ...question, plan: { ...given, text } });
  const read = (prompt: string) => input.read({ prompt, question: true, signal });
  let lines = await describeQuestion(shown());
  if (signal.aborted) return TAKEN_BACK;
  show(terminal, lines);
  for (;;) {
    screen.line(choices(isCut(lines)));
    const line = await read('? ');
    if (line === undefined || signal.aborted) return cannotAnswer(terminal, signal);
    const said = line.trim();
    const remark = /^no?[\s,:]+(.+)$/is.exec(said)?.[1];
    if (remark !== undefined) return refuse(remark);
    switch (said.toLowerCase()) {
      case 'y':
      case 'yes':
        return acceptPlan(given, text, 'ask');
      case 'e':
        return acceptPlan(given, text, 'accept');
      case 'n':
      case 'no':
        return { behavior: 'deny' };
      case 'r': {
        const remark = await read('remark: ');
        if (signal.aborted) return cannotAnswer(terminal, signal);
        return refuse(remark);
      }
      case 'w':
        show(terminal, await describeQuestion(shown(), { whole: true }));
        continue;
      case 'c':
        text = await change(terminal, { ...given, text }, () => read('Enter when it is done: '));
        if (signal.aborted || input.ended) return cannotAnswer(terminal, signal);
        break;
      default:
        if (!isCommand(line)) {
          screen.line('That is not one of the choices.');
          continue;
        }
        await terminal.command(line);
        await terminal.settled();
    }
    if (signal.aborted) return cannotAnswer(terminal, signal);
    lines = await describeQuestion(shown());
    show(terminal, lines);
  }
}

function choices(isCut: boolean): string {
  return [
    'Accept it?',
    '  y  yes, and ask about each change',
    '  e  yes, and accept all edits in this session (mode acceptEdits)',
    '  c  change the plan first',
    '  n  no, go on planning',
    '  r  no, with a remark (or: n and the remark)',
    ...(isCut ? ['  w  show the whole'] : []),
  ].join('\n');
}

const MOST_BYTES = 1_000_000;

/** In the file where it is kept, with whatever the person edits files with. What is accepted is shown before. */
async function change(
  { screen, paint }: QuestionHost,
  { text, file }: Plan,
  wait: () => Promise<string | undefined>,
): Promise<string> {
  const { files } = nodeHost(process.cwd());
  try {
    await files.replace(file, text.endsWith('\n') ? text : `${text}\n`, 0o600);
    screen.line(`The plan is in ${file}\nChange it there, with an editor of yours.`);
    if ((await wait()) === undefined) return text;
    const found = await files.stat(file);
    if (found?.kind !== 'file' || found.size > MOST_BYTES) throw new Error('it is no file, or too large');
    const changed = (await files.read(file)).toString('utf8');
    if (changed.trim() === '') throw new Error('it is empty');
    return changed.trimEnd() === text.trimEnd() ? text : changed;
  } catch (error) {
    screen.line(paint.warn(`The plan stays as it was: ${reasonOf(error)}`));
    return text;
  }
}
