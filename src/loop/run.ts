/** One execution of the loop for one agent: what every step of it is given. */

import type { Agent } from './agent.js';
import type { Ports } from './ports.js';

export type Run = {
  readonly agent: Agent;
  readonly ports: Ports;
  readonly signal: AbortSignal;
};
