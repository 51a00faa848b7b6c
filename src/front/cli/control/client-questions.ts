/** Puts questions to the client: sends `can_use_tool` or `elicitation`, reads its answer, cancels when the question is withdrawn. */

import * as z from 'zod';
import { MAIN_AGENT } from '../../../protocol/events.js';
import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../../protocol/permission.js';
import type { ControlResponse } from './client-line.js';
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

export type ClientQuestionsOptions = {
  readonly print: (line: object) => void;
  readonly newId: () => string;
  /** Called when part of an answer was ignored. */
  readonly warn: (line: string) => void;
  readonly setMode: (mode: string) => Promise<void>;
};

type Pending = { readonly question: PermissionQuestion; readonly settle: (answer: PermissionAnswer) => void };

const NOBODY: PermissionAnswer = { behavior: 'deny', reason: 'the client has closed its input, so nobody can answer' };

export class ClientQuestions {
  readonly #options: ClientQuestionsOptions;
  readonly #pending = new Map<string, Pending>();
  #closed = false;

  constructor(options: ClientQuestionsOptions) {
    this.#options = options;
  }

  readonly ask: AskPermission = (question, signal) => {
    if (this.#closed || signal.aborted) return Promise.resolve(NOBODY);
    const request_id = this.#options.newId();
    return new Promise((resolve) => {
      const takeBack = () => {
        this.#pending.delete(request_id);
        this.#options.print({ type: 'control_cancel_request', request_id });
        resolve({ behavior: 'deny', reason: 'the question was withdrawn' });
      };
      const settle = (answer: PermissionAnswer) => {
        this.#pending.delete(request_id);
        signal.removeEventListener('abort', takeBack);
        resolve(answer);
      };
      this.#pending.set(request_id, { question, settle });
      signal.addEventListener('abort', takeBack, { once: true });
      this.#options.print({ type: 'control_request', request_id, request: describe(question) });
    });
  };

  /** Ignores an answer that nobody waits for (late, repeated, unknown). */
  async answer(response: ControlResponse): Promise<void> {
    const pending = this.#pending.get(response.request_id);
    if (pending === undefined) return;
    this.#pending.delete(response.request_id);
    pending.settle(await this.#read(response, pending.question));
  }

  /** The input has ended: denies all waiting questions. */
  close(): void {
    this.#closed = true;
    for (const { settle } of [...this.#pending.values()]) settle(NOBODY);
  }

  async #read(response: ControlResponse, question: PermissionQuestion): Promise<PermissionAnswer> {
    if (response.subtype === 'error') return { behavior: 'deny', reason: `the client failed: ${response.error}` };
    if (question.elicitation !== undefined) {
      const elicited = elicitedSchema.safeParse(response.response);
      return elicited.success ? readElicited(elicited.data) : this.#notUnderstood(response, elicited.error);
    }
    const parsed = answerSchema.safeParse(response.response);
    if (!parsed.success) return this.#notUnderstood(response, parsed.error);
    const answer = parsed.data;
    if (answer.behavior === 'deny') {
      const reason = answer.message?.trim() ? { reason: answer.message } : {};
      return { behavior: 'deny', ...reason, ...(answer.interrupt ? { interrupt: true } : {}) };
    }
    const updates = answer.updatedPermissions ?? [];
    for (const update of updates) {
      const isOther = update.type === 'setMode' && !isOfferedMode(update, question.offers);
      if (isOther && question.plan === undefined) await this.#options.setMode(String(update.mode));
      // An accepted plan leads to the mode that was offered, or to `default`.
      else if (isOther && update.mode !== 'default')
        this.#options.warn(`the mode ${String(update.mode)} was not offered with the plan; the session is in default`);
    }
    const always = choicesFrom(updates, question.offers, this.#options.warn);
    const changed = answer.updatedInput && !isSame(answer.updatedInput, question.call.input);
    return {
      behavior: 'allow',
      ...(changed ? { updatedInput: answer.updatedInput } : {}),
      ...(always.length === 0 ? {} : { always }),
    };
  }

  #notUnderstood({ request_id }: ControlResponse, { issues }: z.ZodError): PermissionAnswer {
    const why = issues[0]?.message;
    this.#options.warn(`the answer to ${request_id} was not understood and counts as a denial: ${why}`);
    return { behavior: 'deny', reason: "the client's answer was not understood" };
  }
}

/** The client has the URL, if it is about one: it opens it itself. */
function readElicited({ action, content }: z.infer<typeof elicitedSchema>): PermissionAnswer {
  if (action === 'accept') return { behavior: 'allow', updatedInput: content ?? {} };
  return action === 'cancel' ? { behavior: 'deny', cancel: true } : { behavior: 'deny' };
}

function describe(question: PermissionQuestion): object {
  const { agent, call, cwd, reason, destroys, offers, elicitation } = question;
  const child = agent.id === MAIN_AGENT ? {} : { agent_id: agent.id, agent_type: agent.type };
  if (elicitation !== undefined) {
    const { server, message, mode } = elicitation;
    const asked = mode === 'url' ? { url: elicitation.url } : { requested_schema: elicitation.schema };
    return { subtype: 'elicitation', mcp_server_name: server, message, mode, ...asked, ...child };
  }
  return {
    subtype: 'can_use_tool',
    tool_name: call.tool,
    input: call.input,
    tool_use_id: call.id,
    permission_suggestions: suggestUpdates(offers),
    decision_reason: reason,
    cwd,
    destroys,
    ...child,
  };
}

/** Clients send the input back unchanged; only different input is a change. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
