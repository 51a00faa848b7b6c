/** Applies added and removed tools between your prompts, never within a run (FK-25). */

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
  /** In a resumed session: some servers of its declared tools were not connected yet. */
  #isSettling = true;
  /** Warnings about undeclarable tools that were already shown. */
  readonly #shown = new Set<string>();

  constructor(options: EngineOptions, choice: UserChoice) {
    this.#options = options;
    this.#choice = choice;
  }

  /** The reason why the agent it runs as can't work: required servers are missing. */
  async refusal(signal: AbortSignal): Promise<string | undefined> {
    const { runtime, servers, setup } = this.#options;
    const required = setup.definition?.requiredMcpServers ?? [];
    if (required.length === 0) return undefined;
    await runtime.mcp.loaded();
    const missing = await waitForRequired({ required, servers, clock: runtime.host.clock, signal });
    return missing && `agent ${setup.definition?.name} can't run: ${missing}`;
  }

  /** Waits for connecting servers the first time. Later ones are applied at a later prompt. */
  async waitForServers(signal: AbortSignal): Promise<void> {
    const { servers, serverWaitMs } = this.#options;
    const waitMs = this.#hasWaited ? 0 : serverWaitMs;
    this.#hasWaited = true;
    await servers.settled(waitMs, signal);
  }

  /** Call it while nothing runs. It takes effect with the next request. */
  async apply(main: LiveAgent): Promise<void> {
    const { servers } = this.#options;
    if (this.#choice.updateTools()) await this.#switch(main);
    this.#isSettling &&= servers.remembers();
    for (const line of servers.dropped().filter((one) => !this.#shown.has(one))) {
      this.#shown.add(line);
      await main.emit({ kind: 'line-shown', level: 'warning', line });
    }
    // The search tool describes what a search finds.
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
