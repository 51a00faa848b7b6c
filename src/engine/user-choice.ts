/** Your choice of mode, model, effort, thinking and tools. Takes effect for the main agent at its next safe point. */

import { modelInMode } from '../agents/catalog/choose-model.js';
import type { Runtime } from '../agents/runtime.js';
import { modelData } from '../model/models.js';
import type { ThinkingChoice } from '../protocol/commands.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { Tool } from '../tools/tool.js';
import { withTools } from './build/build-tools.js';
import type { EngineOptions } from './engine-options.js';
import type { Choice } from './main-agent.js';
import { modesFor, refuseEffort, refuseMode, refuseThinking } from './refuse-options.js';

export type ChoiceChange = Partial<Omit<Choice, 'tools' | 'thinking'>> & {
  /** Null: the value the session was opened with. */
  readonly thinking?: ThinkingChoice | null;
};

export class UserChoice {
  readonly #runtime: Runtime;
  readonly #facts: EngineOptions['modes'];
  readonly #lateTools: Tool[] = [];
  readonly #servers: EngineOptions['servers'];
  readonly #declareServers: EngineOptions['declareServers'];
  #mode: PermissionMode;
  #modelName: string;
  #effort: string | undefined;
  #thinking: ThinkingChoice | undefined;
  readonly #firstThinking: ThinkingChoice | undefined;
  /** Without server tools. */
  #tools: readonly Tool[];
  /** The server tools at the last update, and which of them the main agent declares. */
  #offered: readonly Tool[] = [];
  #ofServers: readonly Tool[] = [];

  constructor({ runtime, modes, mode, modelName, setup, tools, servers, declareServers }: EngineOptions) {
    this.#runtime = runtime;
    this.#facts = modes;
    this.#mode = mode;
    this.#modelName = modelName;
    this.#effort = setup.effort;
    this.#thinking = setup.thinking;
    this.#firstThinking = setup.thinking;
    this.#tools = tools;
    this.#servers = servers;
    this.#declareServers = declareServers;
  }

  get now(): Choice {
    const model = modelInMode(this.#modelName, this.#mode, this.#runtime.models);
    const tools = [...this.#tools, ...this.#ofServers];
    return { mode: this.#mode, model, effort: this.#effort, thinking: this.#thinking, tools };
  }

  /** With the current server tools, which apply from the next prompt on. */
  get toolsNow(): readonly Tool[] {
    const offered = this.#servers.tools();
    const isSame = offered === this.#offered;
    return [...this.#tools, ...(isSame ? this.#ofServers : this.#declareServers(offered, this.now.model))];
  }

  /** The modes it can be switched to. */
  get modes(): readonly PermissionMode[] {
    return modesFor(this.#facts);
  }

  /** Returns the reason if it is refused; then nothing has changed. */
  change(next: ChoiceChange): string | undefined {
    const refusal =
      (next.mode && refuseMode(next.mode, this.#facts)) ??
      refuseEffort(next.effort) ??
      refuseThinking(next.thinking ?? undefined);
    if (refusal !== undefined) return refusal;
    const { models, budget } = this.#runtime;
    const { mode = this.#mode, model: name = this.#modelName, effort = this.#effort } = next;
    const model = modelInMode(name, mode, models);
    const unpriced = model === this.now.model ? undefined : budget.refusesModel(modelData(model, models));
    if (unpriced !== undefined) return unpriced;
    this.#mode = mode;
    this.#modelName = name;
    this.#effort = effort;
    if (next.thinking !== undefined) this.#thinking = next.thinking ?? this.#firstThinking;
    return undefined;
  }

  /** From your next prompt on. */
  addTools(tools: readonly Tool[]): void {
    this.#lateTools.push(...tools);
  }

  /** As declared by an earlier process of the session. */
  restoreTools(ofServers: readonly Tool[]): void {
    this.#ofServers = ofServers;
  }

  /** Returns true if they have changed. */
  updateTools(): boolean {
    const late = this.#lateTools.splice(0);
    const offered = this.#servers.tools();
    if (late.length === 0 && offered === this.#offered) return false;
    this.#runtime.tools = withTools(this.#runtime.tools, late);
    this.#tools = withTools(this.#tools, late);
    this.#offered = offered;
    this.#ofServers = this.#declareServers(offered, this.now.model);
    return true;
  }
}
