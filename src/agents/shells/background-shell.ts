/** A shell command in the background. */

import type { StoppedBy } from '../../protocol/events.js';
import type { LiveAgent } from '../live-agent.js';

export type ShellTask = {
  readonly id: string;
  readonly command: string;
  readonly owner: LiveAgent;
  readonly call: string;
  readonly outputFile: string;
  /** It belongs to a child and ends with it. */
  readonly endsWithAgent: boolean;
  readonly startedAt: number;
  /** Its end is not settled yet: it runs, or its notice is on its way. */
  isOpen: boolean;
  status: 'running' | 'completed' | 'failed' | 'stopped';
  stoppedBy: StoppedBy | 'agent-end' | undefined;
  /** How it ended, for people. */
  ending: string | undefined;
  /** Resolves when its processes are gone and the notice is on its way. */
  readonly done: Promise<void>;
  stop(by: StoppedBy | 'agent-end'): Promise<void>;
};
