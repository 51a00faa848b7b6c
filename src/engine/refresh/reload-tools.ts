/** Tools that came or went are taken up between the person's prompts, never within a run (FK-25). */

import type { LiveAgent } from '../../agents/live-agent.js';
import { announceServers } from '../../agents/servers/announce-servers.js';
import { waitForRequired } from '../../agents/servers/required-servers.js';
import type { Epoch } from '../../loop/agent.js';
import { applySwitches } from '../../loop/epoch.js';
import type { EngineOptions } from '../engine-options.js';
import { mainEpoch, retainPrefix } from '../main-agent.js';
import type { UserChoice } from '../user-choice.js';

export class ToolReloader {
  readonly #options: EngineOptions;
  readonly #choice: UserChoice;
  #hasWaited = false;
  /** Of a resumed session: servers whose tools it had declared were not all there yet. */
  #isSettling = true;
  /** Lines about tools that can't be declared. */
  readonly #told = new Set<string>();

  constructor(options: EngineOptions, choice: UserChoice) {
    this.#options = options;
    this.#choice = choice;
  }

  /** Why the agent it runs as can't work: servers that it can't do without are not there. */
  async whyNot(signal: AbortSignal): Promise<string | undefined> {
    const { runtime, servers, setup } = this.#options;
    const required = setup.definition?.requiredMcpServers ?? [];
    if (required.length === 0) return undefined;
    await runtime.mcp.loaded();
    const missing = await waitForRequired({ required, servers, clock: runtime.host.clock, signal });
    return missing && `the agent ${setup.definition?.name} can't work: ${missing}`;
  }

  /** The first time, servers that are still connecting are waited for. Later ones are taken up at a later prompt. */
  async waitForServers(signal: AbortSignal): Promise<void> {
    const { servers, serverWaitMs } = this.#options;
    const waitMs = this.#hasWaited ? 0 : serverWaitMs;
    this.#hasWaited = true;
    await servers.settled(waitMs, signal);
  }

  /** Call it while no run is under way. What it takes up counts from the next request on. */
  async takeUp(main: LiveAgent): Promise<void> {
    const { servers } = this.#options;
    if (this.#choice.takeUpTools()) await this.#switch(main);
    this.#isSettling &&= servers.remembers();
    for (const line of servers.dropped().filter((one) => !this.#told.has(one))) {
      this.#told.add(line);
      await main.emit({ kind: 'line-shown', level: 'warning', line });
    }
    // What a search finds, its tool describes.
    await announceServers(servers, main, ({ status, tools }) => status !== 'connected' || main.hasTool(...tools));
  }

  async #switch(main: LiveAgent): Promise<void> {
    const { runtime, setup } = this.#options;
    const { maxTokens, model } = main.epoch;
    const epoch = mainEpoch(runtime, setup, { ...this.#choice.now, model: model.id }, maxTokens);
    const isKept = main.isRestored && this.#isSettling;
    main.switches.push({ kind: 'epoch', next: (current: Epoch) => (isKept ? retainPrefix(current, epoch) : epoch) });
    await applySwitches(main);
  }
}
