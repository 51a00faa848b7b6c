/** Tools that came or went are taken up between the person's prompts, never within a run (FK-25). */

import type { LiveAgent } from '../../agents/live-agent.js';
import { tellServers } from '../../agents/servers/tell-servers.js';
import type { Epoch } from '../../loop/agent.js';
import { takeUpSwitches } from '../../loop/epoch.js';
import type { EngineOptions } from '../engine-options.js';
import { keepPrefix, mainEpoch } from '../main-agent.js';
import type { PersonChoice } from '../person-choice.js';

export class TakeUpTools {
  readonly #options: EngineOptions;
  readonly #choice: PersonChoice;
  #hasWaited = false;
  #hasTaken = false;

  constructor(options: EngineOptions, choice: PersonChoice) {
    this.#options = options;
    this.#choice = choice;
  }

  /** The first time, servers that are still connecting are waited for. Later ones are taken up at a later prompt. */
  async waitForServers(signal: AbortSignal): Promise<void> {
    const { runtime, serverWaitMs } = this.#options;
    const waitMs = this.#hasWaited ? 0 : serverWaitMs;
    this.#hasWaited = true;
    await runtime.mcp.settled(waitMs, signal);
  }

  /** Call it while no run is under way. What it takes up counts from the next request on. */
  async takeUp(main: LiveAgent): Promise<void> {
    const { runtime } = this.#options;
    if (this.#choice.takeUpTools()) await this.#switch(main);
    // What a search finds, its tool describes.
    await tellServers(runtime.mcp, main, ({ status, tools }) => status !== 'connected' || main.hasTool(...tools));
  }

  async #switch(main: LiveAgent): Promise<void> {
    const { runtime, setup } = this.#options;
    const { maxTokens, model } = main.epoch;
    const epoch = mainEpoch(runtime, setup, { ...this.#choice.now, model: model.id }, maxTokens);
    const isFirst = main.isRestored && !this.#hasTaken;
    main.switches.push({ kind: 'epoch', next: (current: Epoch) => (isFirst ? keepPrefix(current, epoch) : epoch) });
    await takeUpSwitches(main);
    this.#hasTaken = true;
  }
}
