/**
 * Asks questions with options: in one form if the editor has forms; otherwise one after another, as permission requests,
 * where free text is not possible.
 */

import type { ElicitationPropertySchema, PermissionOption, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { escapeControls, escapeToLine } from '../../protocol/escape-controls.js';
import type { PermissionAnswer } from '../../protocol/permission.js';
import type { UserQuestion } from '../../protocol/tools/ask-user-question.js';
import { answerOptions, joinLabels } from '../questions/options.js';
import { type Asking, requestElicitation, requestPermission } from './editor.js';
import { textContent } from './tool-calls.js';

export async function askOptions(
  asking: Asking,
  questions: readonly UserQuestion[],
  call: ToolCallUpdate,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { editor } = asking;
  const answers = editor.capabilities.elicitation?.form
    ? await askInForm(asking, questions, call, signal)
    : await askInTurn(asking, questions, call, signal);
  return answerOptions(new Map(answers));
}

type Answers = readonly (readonly [question: string, answer: string])[];

async function askInForm(
  { editor, session }: Asking,
  questions: readonly UserQuestion[],
  { toolCallId }: ToolCallUpdate,
  signal: AbortSignal,
): Promise<Answers | undefined> {
  const properties = Object.fromEntries(
    questions.flatMap((question, index): [string, ElicitationPropertySchema][] => [
      [`answer${index + 1}`, choiceField(question)],
      [`other${index + 1}`, { type: 'string', title: `${escapeToLine(question.header)}: in your own words` }],
    ]),
  );
  const message = questions.map(({ question }) => escapeControls(question)).join('\n');
  const requestedSchema = { type: 'object' as const, properties };
  const request = { mode: 'form' as const, sessionId: session, toolCallId, message, requestedSchema };
  const { action, content } = await requestElicitation(editor, request, signal);
  if (action !== 'accept') return undefined;
  return questions.flatMap(({ question }, index): Answers => {
    const own = content?.[`other${index + 1}`];
    const chosen = content?.[`answer${index + 1}`];
    const said = typeof own === 'string' && own.trim() !== '' ? own : chosen;
    const words = Array.isArray(said) ? joinLabels(said.map(String)) : said;
    return typeof words === 'string' && words.trim() !== '' ? [[question, words]] : [];
  });
}

function choiceField({ question, header, options, multiSelect }: UserQuestion): ElicitationPropertySchema {
  const choices = options.map(({ label, description }) => ({
    const: label,
    title: escapeToLine(label),
    description: escapeToLine(description),
  }));
  const named = { title: escapeToLine(header), description: escapeControls(question) };
  return multiSelect === true
    ? { type: 'array', ...named, items: { anyOf: choices } }
    : { type: 'string', ...named, oneOf: choices };
}

async function askInTurn(
  asking: Asking,
  questions: readonly UserQuestion[],
  call: ToolCallUpdate,
  signal: AbortSignal,
): Promise<Answers | undefined> {
  const answers: (readonly [string, string])[] = [];
  for (const question of questions) {
    const labels = await askOne(asking, question, call, signal);
    if (labels === undefined) return undefined;
    if (labels.length > 0) answers.push([question.question, joinLabels(labels)]);
  }
  return answers;
}

/** The chosen labels; undefined if the question was dismissed. Several are chosen one by one, until the user is done. */
async function askOne(
  { editor, session }: Asking,
  question: UserQuestion,
  call: ToolCallUpdate,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const chosen: string[] = [];
  for (;;) {
    const left = question.options.filter(({ label }) => !chosen.includes(label));
    if (left.length === 0) return chosen;
    const options: PermissionOption[] = [
      ...left.map(({ label }, index) => ({
        optionId: `option-${index + 1}`,
        name: escapeToLine(label),
        kind: 'allow_once' as const,
      })),
      chosen.length === 0
        ? { optionId: 'none', name: 'No answer', kind: 'reject_once' }
        : { optionId: 'none', name: `Done (${chosen.map(escapeToLine).join(', ')})`, kind: 'allow_once' },
    ];
    const title = escapeToLine(question.question);
    const toolCall = { ...call, title, content: [textContent(describe(question))] };
    const optionId = await requestPermission(editor, { sessionId: session, toolCall, options }, signal);
    if (optionId === undefined) return undefined;
    if (optionId === 'none') return chosen;
    const option = left[Number(/^option-(\d+)$/.exec(optionId)?.[1]) - 1];
    if (option === undefined) throw new Error('the editor chose an option that was not offered');
    chosen.push(option.label);
    if (question.multiSelect !== true) return chosen;
  }
}

function describe({ question, options }: UserQuestion): string {
  const lines = options.map(({ label, description }) => {
    return `- **${escapeToLine(label)}**${description.trim() === '' ? '' : `: ${escapeToLine(description)}`}`;
  });
  return [escapeControls(question), '', ...lines].join('\n');
}
