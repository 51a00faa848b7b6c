/** A run that must end with a call of one tool: limits the attempts and reminds the model. */

import { outcomeText, type ToolOutcome } from '../protocol/outcome.js';
import type { Tool } from '../tools/tool.js';
import type { Agent } from './agent.js';

/** Per run: invalid values and ends without a value. */
const MOST_TRIES = 5;

/** The tool that must conclude the run. Only for the main agent: a fork has the tool as well, but answers in text. */
function toolOf({ depth, epoch }: Agent): Tool | undefined {
  return depth === 0 ? epoch.tools.find((tool) => tool.concludes === true) : undefined;
}

export class RequiredOutput {
  #tries = 0;
  #problem = '';

  get isGivenUp(): boolean {
    return this.#tries >= MOST_TRIES;
  }

  get line(): string {
    return `Failed to provide valid structured output after ${MOST_TRIES} attempts: ${this.#problem}`;
  }

  /** Records calls of the tool that did not end the run. */
  missed(outcomes: readonly Pick<ToolOutcome, 'isError' | 'content'>[]): void {
    for (const outcome of outcomes) this.#count(outcomeText(outcome));
  }

  /** Handles a model that finished without the call. Returns a reminder; undefined if nothing is required. */
  remind(agent: Agent): string | undefined {
    const tool = toolOf(agent);
    if (tool === undefined) return undefined;
    this.#count(`${tool.name} was not called`);
    return `You have not called ${tool.name} yet, and your text reaches nobody. Give the result of the person's request by calling ${tool.name} now.`;
  }

  #count(problem: string): void {
    this.#tries += 1;
    this.#problem = problem;
  }
}
