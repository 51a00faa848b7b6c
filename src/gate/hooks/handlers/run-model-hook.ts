/** `prompt` and `agent` hooks: a model, or an agent that can read, gives a verdict. */

import * as z from 'zod';
import { parseJson } from '../../../protocol/json/json-values.js';
import { once } from '../../../protocol/once.js';
import type { HookRun } from '../hook-answer.js';
import type { ModelHandler } from '../hook-config.js';
import type { HookCause, HookPorts } from '../hook-ports.js';
import { type LimitOptions, runLimited } from './run-limited.js';

type ModelOptions = Omit<LimitOptions, 'timeoutMs'> & {
  readonly ports: Pick<HookPorts, 'askModel' | 'runAgent'>;
  readonly cause: HookCause;
};

export function runModelHook(
  { kind, prompt, model, timeoutMs }: ModelHandler,
  input: string,
  { ports, cause, ...limit }: ModelOptions,
): Promise<HookRun> {
  return runLimited({ ...limit, timeoutMs }, async (signal) => {
    const question = { model, prompt: fillPrompt(prompt, input), cause };
    const reply = kind === 'prompt' ? await ports.askModel(question, signal) : await ports.runAgent(question, signal);
    return reply.kind === 'failed'
      ? reply
      : { ...readVerdict(reply.text), ...(reply.note ? { note: reply.note } : {}) };
  });
}

const ARGUMENTS = '$ARGUMENTS';

/** Appends the input to a prompt without `$ARGUMENTS`. */
export function fillPrompt(prompt: string, input: string): string {
  return prompt.includes(ARGUMENTS) ? prompt.replaceAll(ARGUMENTS, () => input) : `${prompt}\n\n${input}`;
}

const verdictSchema = once(() => z.object({ ok: z.boolean(), reason: z.string().nullish() }));

const FENCED = /^```(?:json)?\s*\n(.*)\n\s*```$/s;
const MOST_SHOWN = 300;

/** Reads the whole answer, with or without a fence, or its last line. Anything that is not clearly a yes is not a yes. */
export function readVerdict(words: string): Extract<HookRun, { kind: 'judged' | 'failed' }> {
  const said = words.trim();
  const candidates = [said, FENCED.exec(said)?.[1], said.split('\n').at(-1)];
  for (const text of candidates) {
    const read = verdictSchema().safeParse(parseJson(text ?? ''));
    if (read.success) return { kind: 'judged', ok: read.data.ok, reason: read.data.reason ?? '' };
  }
  const shown = said.slice(0, MOST_SHOWN).toWellFormed();
  const what = said === '' ? 'it said nothing' : `it answered with neither {"ok": true} nor {"ok": false}: ${shown}`;
  return { kind: 'failed', reason: what };
}
