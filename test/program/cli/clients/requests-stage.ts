/** A session that the Agent SDK drives: prompts and control requests one by one, on the built program. */

import type { Options } from '@anthropic-ai/claude-agent-sdk';
import { expect } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { type Line, type Live, setSdkStage } from '../../../long/sdk/sdk-stage.js';
import { buildProgram } from '../../../support/program.js';
import type { Stage } from '../../../support/story.js';

type Fields = Record<string, unknown>;

export type Driven = Omit<Stage, 'open'> &
  Omit<Live, 'end'> & {
    /** Sends a prompt and waits for its `result`. */
    ask(prompt: string): Promise<Line>;
    /** Why a request was refused. */
    refusal(request: Fields): Promise<string>;
    /** Ends the input and waits for the program, which ends without an error. */
    end(): Promise<void>;
  };

export async function driveBySdk(
  rules: readonly Rule[],
  options: Options | ((stage: Omit<Stage, 'open'>) => Options | Promise<Options>) = {},
  prepare: (stage: Omit<Stage, 'open'>) => Promise<unknown> = async () => {},
): Promise<Driven> {
  await buildProgram();
  const stage = await setSdkStage(rules);
  await prepare(stage);
  const live = stage.open(typeof options === 'function' ? await options(stage) : options);
  return {
    ...stage,
    ...live,
    ask: (prompt) => {
      const nth = live.messages.filter(({ type }) => type === 'result').length + 1;
      live.say(prompt);
      return live.result(nth);
    },
    refusal: (fields) =>
      live.request(fields).then(
        (answer) => expect.fail(`it was not refused: ${JSON.stringify(answer)}`),
        (error: Error) => error.message,
      ),
    end: async () => {
      expect((await live.end()).error).toBeUndefined();
    },
  };
}
