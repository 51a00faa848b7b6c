/** The plan mode of a session: the accepted plan, and the announcements to the main agent (EX-4). */

import { basename, dirname, join } from 'node:path';
import type { AcceptedPlan } from '../../gate/gated-call.js';
import { followLinks } from '../../gate/permissions/paths/resolve-path.js';
import type { Host } from '../../host/host.js';
import type { Agent } from '../../loop/agent.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { once } from '../../protocol/once.js';
import { announcedTo } from '../../session/state/agent-state.js';

/** Resolves once the mode is in effect, or with the reason why not. */
export type EndPlanMode = (mode: AcceptedPlan['mode']) => Promise<string | undefined>;

/** The topic of mode announcements. */
const MODE_TOPIC = 'mode';

export class PlanMode {
  readonly end: EndPlanMode;
  readonly #file: () => string;
  #accepted: AcceptedPlan | undefined;

  constructor(host: Host, file: string, end: EndPlanMode) {
    this.end = end;
    this.#file = once(() => join(followLinks(dirname(file), host.files.sync), basename(file)));
  }

  /** The path of the plan, as the gate knows it: links to its folder are followed, but it is not a link itself. */
  get file(): string {
    return this.#file();
  }

  accept(plan: AcceptedPlan): void {
    this.#accepted = plan;
  }

  /** An acceptance is valid once, for the call and the text it was given for. */
  take(call: string, sha256: string): AcceptedPlan | undefined {
    const accepted = this.#accepted;
    this.#accepted = undefined;
    return accepted?.call === call && accepted.sha256 === sha256 ? accepted : undefined;
  }

  /** At a safe point. A fork inherits its parent's announcements, and other children learn it from the gate. */
  async announce(agent: Agent): Promise<void> {
    if (agent.id !== MAIN_AGENT) return;
    const { mode } = agent.requester;
    const wasPlanning = announcedTo(agent.state)[MODE_TOPIC] === 'plan';
    if ((mode === 'plan') === wasPlanning) return;
    const { announceMode } = await import('./announce-mode.js');
    await announceMode(agent, this.file);
  }
}
