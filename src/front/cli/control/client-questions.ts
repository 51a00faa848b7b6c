/** Asks the client: sends `can_use_tool` or `elicitation`, reads the answer, cancels withdrawn questions. */

import * as z from 'zod';
import { MAIN_AGENT } from '../../../protocol/events.js';
import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../../protocol/permission.js';
import { describeQuestion } from '../../questions/question-kinds.js';
import { member } from '../../view/describe/describe-call.js';
import type { ClientAnswer, ClientRequests } from './client-requests.js';
import { choicesFrom, isOfferedMode, permissionUpdates, suggestUpdates } from './permission-updates.js';

const answerSchema = z.discriminatedUnion('behavior', [
  z.object({
    behavior: z.literal('allow'),
    updatedInput: z.record(z.string(), z.unknown()).nullish(),
    updatedPermissions: permissionUpdates.nullish(),
  }),
  z.object({ behavior: z.literal('deny'), message: z.string().optional(), interrupt: z.boolean().optional() }),
]);

const elicitedSchema = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), z.unknown()).nullish(),
});

type Given = Extract<ClientAnswer, { readonly kind: 'answered' }>;

export type ClientQuestionsOptions = {
  readonly client: ClientRequests;
  /** Called when part of an answer was ignored. */
  readonly warn: (line: string) => void;
  readonly setMode: (mode: string) => Promise<void>;
};

export class ClientQuestions {
  readonly #options: ClientQuestionsOptions;

  constructor(options: ClientQuestionsOptions) {
    this.#options = options;
  }

  readonly ask: AskPermission = async (question, signal) => {
    const answer = await this.#options.client.send(describe(question), signal);
    switch (answer.kind) {
      case 'answered':
        return this.#read(answer, question);
      case 'failed':
        return { behavior: 'deny', reason: `the client failed: ${answer.error}` };
      case 'gone':
        return { behavior: 'deny', reason: 'the client has closed its input, so nobody can answer' };
      case 'withdrawn':
        return { behavior: 'deny', reason: 'the question was withdrawn' };
      default:
        return answer satisfies never;
    }
  };

  async #read({ id, response }: Given, question: PermissionQuestion): Promise<PermissionAnswer> {
    const { form } = describeQuestion(question);
    if (form === 'fields') {
      const elicited = elicitedSchema.safeParse(response);
      return elicited.success ? readElicited(elicited.data) : this.#notUnderstood(id, elicited.error);
    }
    const parsed = answerSchema.safeParse(response);
    if (!parsed.success) return this.#notUnderstood(id, parsed.error);
    const answer = parsed.data;
    if (answer.behavior === 'deny') {
      const reason = answer.message?.trim() ? { reason: answer.message } : {};
      return { behavior: 'deny', ...reason, ...(answer.interrupt ? { interrupt: true } : {}) };
    }
    const updates = answer.updatedPermissions ?? [];
    for (const update of updates) {
      const isOther = update.type === 'setMode' && !isOfferedMode(update, question.offers);
      if (isOther && question.about !== 'plan') await this.#options.setMode(String(update.mode));
      // An accepted plan leads to the mode that was offered, or to `default`.
      else if (isOther && update.mode !== 'default')
        this.#options.warn(`the mode ${String(update.mode)} was not offered with the plan; using default`);
    }
    const always = choicesFrom(updates, question.offers, this.#options.warn);
    const changed = answer.updatedInput && !isSame(answer.updatedInput, question.call.input);
    return {
      behavior: 'allow',
      ...(changed ? { updatedInput: answer.updatedInput } : {}),
      ...(always.length === 0 ? {} : { always }),
    };
  }

  #notUnderstood(id: string, { issues }: z.ZodError): PermissionAnswer {
    const why = issues[0]?.message;
    this.#options.warn(`invalid answer to ${id}, treated as a denial: ${why}`);
    return { behavior: 'deny', reason: "the client's answer was not understood" };
  }
}

/** For a URL, the client opens the page itself. */
function readElicited({ action, content }: z.infer<typeof elicitedSchema>): PermissionAnswer {
  if (action === 'accept') return { behavior: 'allow', updatedInput: content ?? {} };
  return action === 'cancel' ? { behavior: 'deny', cancel: true } : { behavior: 'deny' };
}

function describe(question: PermissionQuestion): object {
  const { agent, call, cwd, reason, destroys, offers } = question;
  const described = describeQuestion(question);
  const child = agent.id === MAIN_AGENT ? {} : { agent_id: agent.id, agent_type: agent.type };
  if (described.form === 'fields') {
    const { asked: form } = described;
    const { server, message, mode } = form;
    const asked = mode === 'url' ? { url: form.url } : { requested_schema: form.schema };
    return { subtype: 'elicitation', mcp_server_name: server, message, mode, ...asked, ...child };
  }
  const suggestions = suggestUpdates(offers);
  return {
    subtype: 'can_use_tool',
    tool_name: call.tool,
    display_name: call.tool,
    title: titleOf(question, described.wants),
    ...descriptionOf(call.input),
    input: call.input,
    tool_use_id: call.id,
    permission_suggestions: suggestions,
    ...(suggestions.length === 0 ? { suppress_always_allow_rule: true } : {}),
    ...(described.call === 'asks' ? { requires_user_interaction: true } : {}),
    decision_reason: reason,
    cwd,
    destroys,
    ...child,
  };
}

/** A sentence that a client can show. */
function titleOf({ agent, reason }: PermissionQuestion, wants: string | undefined): string {
  if (wants === undefined) return reason;
  return `${agent.id === MAIN_AGENT ? 'Coppice' : `The agent ${agent.name ?? agent.type}`} ${wants}`;
}

/** The model's own description of the call. */
function descriptionOf(input: unknown): { readonly description?: string } {
  const description = member(input, 'description');
  return typeof description === 'string' ? { description } : {};
}

/** Clients send the input back; only different input is a change. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
