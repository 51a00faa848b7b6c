/** Shows a permission question as lines: who asks, where, the exact input in full, what it would destroy (GT-11). */

import { escapeControls } from '../../../protocol/escape-controls.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import type { PermissionOffer, PermissionQuestion } from '../../../protocol/permission.js';
import { changedFields, type DiffLine, editDiff } from '../edit-diff.js';
import { describeElicitation } from './describe-elicitation.js';
import { describePersonQuestions } from './describe-person-questions.js';
import type { QuestionLine } from './question-line.js';

/** Long contents (never commands) are cut here; the whole is shown on request. */
const MAX_LINES = 60;
/** Precedes every line from outside, so that none can look like one of ours. */
const MARGIN = '  | ';

export async function describeQuestion(
  question: PermissionQuestion,
  options: { readonly whole?: boolean } = {},
): Promise<readonly QuestionLine[]> {
  const { agent, call, cwd, reason } = question;
  const note = describeNote(question);
  if (note !== undefined) return note;
  if (question.plan !== undefined) return describePlan(agent, question.plan, options.whole === true);
  if (question.questions !== undefined) {
    return [...whoWants(agent, question.questions.length), ...describePersonQuestions(question.questions)];
  }
  return [
    { kind: 'title', text: `${whoAsks(agent)} asks to use ${visibleLine(call.tool)}` },
    ...(agent.task === undefined ? [] : [{ kind: 'detail', text: `  for: ${visibleLine(agent.task)}` } as const]),
    { kind: 'detail', text: `  in ${visibleLine(cwd)}${inWorktree(agent)}` },
    { kind: 'detail', text: `  because ${visibleLine(relativeTo(cwd, reason))}` },
    ...(await describeInput(call, options)),
    ...question.destroys.map((mark): QuestionLine => ({ kind: 'danger', text: `  ! ${visibleLine(mark)}` })),
  ];
}

/** What is asked in a sentence and a list, without a call. Undefined: it is of another kind. */
export function describeNote({
  about,
  agent,
  cwd,
  reason,
  elicitation,
}: PermissionQuestion): readonly QuestionLine[] | undefined {
  if (about === 'agents-edit') {
    return [{ kind: 'title', text: `May agents change files in ${visibleLine(cwd)} without asking for each change?` }];
  }
  if (elicitation !== undefined) return describeElicitation(elicitation, whoAsks(agent).replace(/^The/, 'the'));
  if (about === 'memory-snapshot') return [{ kind: 'title', text: visibleLine(reason) }];
  return about === 'skill-grants' ? describeGrants(reason) : undefined;
}

/** All that is granted, on lines of its own: it is what the answer is about. */
function describeGrants(reason: string): readonly QuestionLine[] {
  const [title = '', ...granted] = reason.split('\n').map(visibleLine);
  return [
    { kind: 'title', text: title },
    ...granted.map((line): QuestionLine => ({ kind: 'input', text: `${MARGIN}${line}` })),
  ];
}

function describePlan(
  agent: PermissionQuestion['agent'],
  { text, file }: NonNullable<PermissionQuestion['plan']>,
  whole: boolean,
): readonly QuestionLine[] {
  const lines = escapeControls(text).replace(/\n+$/, '').split('\n');
  return [
    { kind: 'title', text: `${whoAsks(agent)} has a plan` },
    { kind: 'detail', text: `  nothing is changed until you accept it; it is kept in ${visibleLine(file)}` },
    ...bounded(
      lines.map((line) => ({ kind: 'input', text: `${MARGIN}${line}` })),
      whole,
    ),
  ];
}

/** Who has questions, and in which work. */
export function whoWants(agent: PermissionQuestion['agent'], count: number): readonly QuestionLine[] {
  return [
    { kind: 'title', text: `${whoAsks(agent)} asks you ${count === 1 ? 'a question' : `${count} questions`}` },
    ...(agent.task === undefined ? [] : [{ kind: 'detail', text: `  for: ${visibleLine(agent.task)}` } as const]),
  ];
}

function whoAsks({ id, type, name }: PermissionQuestion['agent']): string {
  if (id === MAIN_AGENT) return 'The main agent';
  const kind = visibleLine(type);
  return `The agent ${name === undefined ? `${kind} (` : `${visibleLine(name)} (${kind}, `}${visibleLine(id)})`;
}

function inWorktree({ worktree }: PermissionQuestion['agent']): string {
  if (worktree === undefined) return '';
  const branch = worktree.branch === '' ? '' : `, branch ${visibleLine(worktree.branch)}`;
  return ` (worktree ${visibleLine(worktree.name)}${branch})`;
}

/** The folder is on a line of its own: paths in it are said from there. */
function relativeTo(cwd: string, reason: string): string {
  return cwd === '/' ? reason : reason.replaceAll(` ${cwd}/`, ' ');
}

/** An offer, with exactly what it covers from now on: the rule stands in full where it is offered first. */
export function describeOffer(offer: PermissionOffer, where: 'session' | 'local'): string {
  switch (offer.kind) {
    case 'mode':
      return `accept all edits in this session (mode ${offer.mode})`;
    case 'agents-edit':
      return `always, in every folder (saved in ${visibleLine(offer.file)})`;
    case 'rule':
      if (where === offer.where[0]) return `always in this ${PLACES[where]}: ${visibleLine(offer.rule)}`;
      return `the same, always in this ${PLACES[where]}`;
    default:
      return offer satisfies never;
  }
}

const PLACES = { session: 'session', local: 'project (local settings)' } as const;

/** The input of a call, exactly. What comes from outside stands behind a margin. */
export async function describeInput(
  { tool, input }: Pick<PermissionQuestion['call'], 'tool' | 'input'>,
  { whole = false }: { readonly whole?: boolean } = {},
): Promise<readonly QuestionLine[]> {
  const members = typeof input === 'object' && input !== null ? Object.entries(input) : [['input', input] as const];
  const diff = await editDiff(tool, input);
  const shownByDiff = diff === undefined ? [] : changedFields(tool);
  const plain = members.filter(([key]) => !shownByDiff.includes(key));
  const lines = plain.flatMap(([key, value]) => memberLines(tool, key, value, whole));
  return [...lines, ...(diff === undefined ? [] : bounded(diff.map(diffLine), whole))];
}

function memberLines(tool: string, key: string, value: unknown, whole: boolean): readonly QuestionLine[] {
  const text = escapeControls(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'undefined'));
  const isCommand = tool === 'Bash' && key === 'command';
  const lines = text.split('\n').map((line): QuestionLine => ({ kind: 'input', text: `${MARGIN}${line}` }));
  // The command is on lines of its own: nothing before it can be mistaken for a part of it.
  if (isCommand) return lines;
  const [first, ...rest] = lines;
  const name = visibleLine(key);
  if (rest.length === 0) return [{ kind: 'input', text: `  ${name}: ${text}` }];
  return [{ kind: 'detail', text: `  ${name}:` }, ...bounded(first === undefined ? rest : [first, ...rest], whole)];
}

function diffLine({ sign, text }: DiffLine): QuestionLine {
  const kind = sign === '+' ? 'added' : sign === '-' ? 'removed' : 'input';
  return { kind, text: `${MARGIN}${sign} ${text}` };
}

function bounded(lines: readonly QuestionLine[], whole: boolean): readonly QuestionLine[] {
  if (whole || lines.length <= MAX_LINES) return lines;
  const left = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), { kind: 'detail', text: `  … ${left} more lines (w shows the whole)` }];
}

function visibleLine(text: string): string {
  return escapeControls(text).replaceAll('\n', '\\n');
}

/** Whether something was cut. */
export function isCut(lines: readonly QuestionLine[]): boolean {
  return lines.some((line) => line.kind === 'detail' && line.text.endsWith('(w shows the whole)'));
}
