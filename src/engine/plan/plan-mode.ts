/** Plan mode of a session: which plan the person has accepted, and what the main agent is told of the mode (EX-4). */

import { basename, dirname, join } from 'node:path';
import type { AcceptedPlan } from '../../gate/gated-call.js';
import { followLinks } from '../../gate/permissions/paths/resolve-path.js';
import type { Host } from '../../host/host.js';
import type { Agent } from '../../loop/agent.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { once } from '../../protocol/once.js';
import { announcedTo } from '../../session/state/agent-state.js';

/** Resolves once the mode is in force; with the reason if it can't be. */
export type EndPlanMode = (mode: AcceptedPlan['mode']) => Promise<string | undefined>;

/** The topic of what an agent was told of the mode. */
const MODE_TOPIC = 'mode';

export class PlanMode {
  readonly end: EndPlanMode;
  readonly #file: () => string;
  #accepted: AcceptedPlan | undefined;

  constructor(host: Host, file: string, end: EndPlanMode) {
    this.end = end;
    this.#file = once(() => join(followLinks(dirname(file), host.files.sync), basename(file)));
  }

  /** Where the plan is kept, as the gate knows it: links on the way to its folder are followed, but it is none itself. */
  get file(): string {
    return this.#file();
  }

  accept(plan: AcceptedPlan): void {
    this.#accepted = plan;
  }

  /** A yes counts once, for the call and the text that it was said to. */
  take(call: string, sha256: string): AcceptedPlan | undefined {
    const accepted = this.#accepted;
    this.#accepted = undefined;
    return accepted?.call === call && accepted.sha256 === sha256 ? accepted : undefined;
  }

  /** At a safe point. A fork has heard what its parent was told, and other children are told by the gate. */
  async announce(agent: Agent): Promise<void> {
    if (agent.id !== MAIN_AGENT) return;
    const { mode } = agent.requester;
    const wasPlanning = announcedTo(agent.state)[MODE_TOPIC] === 'plan';
    if ((mode === 'plan') === wasPlanning) return;
    const { announceMode } = await import('./announce-mode.js');
    await announceMode(agent, this.file);
  }
}
