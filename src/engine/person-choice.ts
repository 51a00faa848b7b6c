/** What the person has asked for: mode, model, effort and tools. In force for the main agent from its next safe point on. */

import { modelInMode } from '../agents/catalog/choose-model.js';
import type { Runtime } from '../agents/runtime.js';
import { modelData } from '../model/models.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { Tool } from '../tools/tool.js';
import { withTools } from './build/build-runtime.js';
import type { EngineOptions } from './engine-options.js';
import type { Choice } from './main-agent.js';
import { modesFor, refuseEffort, refuseMode } from './refuse-mode.js';

export type Wish = Partial<Omit<Choice, 'tools'>>;

export class PersonChoice {
  readonly #runtime: Runtime;
  readonly #facts: EngineOptions['modes'];
  readonly #lateTools: Tool[] = [];
  #mode: PermissionMode;
  #modelName: string;
  #effort: string | undefined;
  #tools: readonly Tool[];

  constructor({ runtime, modes, mode, modelName, setup, tools }: EngineOptions) {
    this.#runtime = runtime;
    this.#facts = modes;
    this.#mode = mode;
    this.#modelName = modelName;
    this.#effort = setup.effort;
    this.#tools = tools;
  }

  get now(): Choice {
    const model = modelInMode(this.#modelName, this.#mode, this.#runtime.models);
    return { mode: this.#mode, model, effort: this.#effort, tools: this.#tools };
  }

  /** The modes it can be switched to. */
  get modes(): readonly PermissionMode[] {
    return modesFor(this.#facts);
  }

  /** Returns why it may not be; then nothing has changed. */
  change(wish: Wish): string | undefined {
    const refusal = (wish.mode && refuseMode(wish.mode, this.#facts)) ?? refuseEffort(wish.effort);
    if (refusal !== undefined) return refusal;
    const { models, account } = this.#runtime;
    const { mode = this.#mode, model: name = this.#modelName, effort = this.#effort } = wish;
    const model = modelInMode(name, mode, models);
    const unpriced = model === this.now.model ? undefined : account.refusesModel(modelData(model, models));
    if (unpriced !== undefined) return unpriced;
    this.#mode = mode;
    this.#modelName = name;
    this.#effort = effort;
    return undefined;
  }

  /** From the person's next words on. */
  addTools(tools: readonly Tool[]): void {
    this.#lateTools.push(...tools);
  }

  /** Returns whether there were new ones. */
  takeUpTools(): boolean {
    const late = this.#lateTools.splice(0);
    if (late.length === 0) return false;
    this.#runtime.tools = withTools(this.#runtime.tools, late);
    this.#tools = withTools(this.#tools, late);
    return true;
  }
}
