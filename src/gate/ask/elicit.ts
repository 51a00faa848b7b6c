/**
 * Asks what a server wants to know from the user (MC-7, MC-23): first the hooks that may answer for the user, then every
 * client that can. Sends nothing that the server's form does not ask for, or that the user did not agree to.
 */

import { escapeControls, escapeToLine } from '../../protocol/escape-controls.js';
import { checkContent } from '../../protocol/mcp/check-content.js';
import type { ElicitationAnswer, ElicitationRequest } from '../../protocol/mcp/elicitation.js';
import type { ElicitationForm } from '../../protocol/mcp/elicitation-form.js';
import { readFields } from '../../protocol/mcp/read-fields.js';
import type { PermissionQuestion } from '../../protocol/permission.js';
import type { Result } from '../../protocol/result.js';
import { neutralizeTags } from '../../protocol/tags.js';
import { namedInput } from '../../protocol/tools/built-in-tools.js';
import type { HookVerdict } from '../hooks/combine.js';
import type { HookEvent, HookEventFields } from '../hooks/hook-events.js';
import type { Requester } from '../requester.js';
import { describeRequester, type Questions } from './questions.js';

export type ElicitOptions = {
  readonly questions: Questions;
  readonly newId: () => string;
  /** Opens a page in the user's browser. Resolves with false if it could not. Must not reject. */
  readonly openPage: (url: string) => Promise<boolean>;
};

const DECLINE: ElicitationAnswer = { action: 'decline' };
const CANCEL: ElicitationAnswer = { action: 'cancel' };

export async function elicit(
  options: ElicitOptions,
  request: ElicitationRequest,
  requester: Requester,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const { server } = request;
  const warn = (line: string) =>
    requester.notify({ kind: 'line-shown', level: 'warning', line: `The MCP server ${escapeToLine(server)} ${line}` });
  const read = readRequest(request);
  if (!read.ok) {
    await warn(`asked something that can't be asked: ${read.reason}. Declined.`);
    return DECLINE;
  }
  const { form } = read;
  const { answer, opens } = (await answerByHook(form, requester, signal, warn)) ?? {
    ...(await answerByPerson(options, form, requester, signal, warn)),
  };
  if (signal.aborted) return CANCEL;
  const final = await checkByHook(form, answer, requester, signal, warn);
  if (signal.aborted) return CANCEL;
  if (form.mode === 'url' && opens && final.action === 'accept') {
    const isOpened = await options.openPage(form.url);
    if (!isOpened) await warn(`wants to open a page, but no browser could be started. Open it yourself: ${form.url}`);
  }
  return final;
}

type Answered = {
  readonly answer: ElicitationAnswer;
  /** The user agreed, and the page is not open yet. */
  readonly opens?: boolean;
};

type Warn = (line: string) => Promise<unknown>;

type ReadRequest = Result<{ readonly form: ElicitationForm }>;

const MOST_CHARACTERS = 4_000;

function readRequest(request: ElicitationRequest): ReadRequest {
  const { server } = request;
  const message = shorten(escapeControls(neutralizeTags(request.message.trim())));
  if (request.mode === 'url') {
    const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
    if (url?.protocol !== 'https:') {
      return { ok: false, reason: `"${escapeToLine(shorten(request.url))}" is not an https URL` };
    }
    return { ok: true, form: { server, message, mode: 'url', url: url.href } };
  }
  const read = readFields(request.schema);
  if (!read.ok) return read;
  return { ok: true, form: { server, message, mode: 'form', fields: read.fields, schema: request.schema } };
}

function shorten(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return `${text.slice(0, MOST_CHARACTERS).toWellFormed()}… (${text.length - MOST_CHARACTERS} more characters)`;
}

async function answerByPerson(
  { questions, newId }: ElicitOptions,
  form: ElicitationForm,
  requester: Requester,
  signal: AbortSignal,
  warn: Warn,
): Promise<Answered> {
  const settlement = await questions.ask(describe(newId(), form, requester), requester, signal);
  if (settlement.kind === 'taken-back') return { answer: CANCEL };
  if (settlement.kind === 'nobody') {
    await warn('asked you something, but nobody can answer in this run. Declined.');
    return { answer: DECLINE };
  }
  const { answer } = settlement;
  if (answer.behavior !== 'allow') return { answer: answer.cancel || answer.interrupt ? CANCEL : DECLINE };
  if (form.mode === 'url') return { answer: { action: 'accept' }, opens: answer.updatedInput === undefined };
  // A bare allow, as from a client that allows everything, fills in nothing.
  if (answer.updatedInput === undefined && form.fields.length > 0) {
    await warn('got no answer, because its form was allowed without content (`updatedInput`). Declined.');
    return { answer: DECLINE };
  }
  return { answer: await accept(form, answer.updatedInput ?? {}, 'the answer', warn) };
}

function describe(id: string, form: ElicitationForm, requester: Requester): PermissionQuestion {
  const { server, message, mode } = form;
  const asked = mode === 'url' ? { url: form.url } : { fields: form.fields.map(({ name }) => name) };
  return {
    id,
    about: 'elicitation',
    elicitation: form,
    agent: describeRequester(requester),
    call: { id: 'elicitation', ...namedInput(`mcp__${server}`, { message, mode, ...asked }) },
    cwd: requester.cwd,
    reason: `the MCP server ${escapeToLine(server)} asks: ${message}`,
    destroys: [],
    offers: [],
  };
}

/** Sends the content only if it fits the form. */
async function accept(form: ElicitationForm, given: unknown, what: string, warn: Warn): Promise<ElicitationAnswer> {
  if (form.mode === 'url') return { action: 'accept' };
  const checked = checkContent(form.fields, given);
  if (checked.ok) return { action: 'accept', content: checked.content };
  await warn(`got no answer, because ${what} does not fit its form (${checked.reason}). Declined.`);
  return DECLINE;
}

/** Undefined if no hook answers for the user. */
async function answerByHook(
  form: ElicitationForm,
  requester: Requester,
  signal: AbortSignal,
  warn: Warn,
): Promise<Answered | undefined> {
  const { mode, message, server } = form;
  const asked = mode === 'url' ? { url: form.url } : { requested_schema: form.schema };
  const fields = { mcp_server_name: server, message, mode, ...asked };
  const { decision, elicited } = await runHooks(requester, 'Elicitation', fields, signal);
  if (decision === 'deny') return { answer: DECLINE };
  if (elicited?.action === 'cancel') return { answer: CANCEL };
  if (elicited?.action === 'accept')
    return { answer: await accept(form, elicited.content ?? {}, "a hook's answer", warn) };
  return undefined;
}

/** Lets hooks change or refuse the answer before it is sent. */
async function checkByHook(
  form: ElicitationForm,
  answer: ElicitationAnswer,
  requester: Requester,
  signal: AbortSignal,
  warn: Warn,
): Promise<ElicitationAnswer> {
  const fields = { mcp_server_name: form.server, mode: form.mode, ...answer };
  const { decision, elicited } = await runHooks(requester, 'ElicitationResult', fields, signal);
  if (decision === 'deny') return DECLINE;
  if (elicited?.action === 'cancel') return CANCEL;
  if (elicited?.action !== 'accept') return answer;
  const content = elicited.content ?? (answer.action === 'accept' ? answer.content : undefined);
  return accept(form, content ?? {}, "a hook's answer", warn);
}

async function runHooks<E extends HookEvent>(
  requester: Requester,
  event: E,
  fields: HookEventFields[E],
  signal: AbortSignal,
): Promise<HookVerdict> {
  const verdict = await requester.hooks.run(event, fields, { signal });
  for (const { level, hook, text } of verdict.messages) {
    await requester.notify({ kind: 'line-shown', level, line: `${hook}: ${text}` });
  }
  return verdict;
}
