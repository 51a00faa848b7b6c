/** A background shell command. */

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
  /** It is running, or its notice is in transit. */
  isOpen: boolean;
  status: 'running' | 'completed' | 'failed' | 'stopped';
  stoppedBy: StoppedBy | 'agent-end' | undefined;
  /** How it ended, for the user. */
  ending: string | undefined;
  /** Resolves when its processes are gone and the notice is in transit. */
  readonly done: Promise<void>;
  stop(by: StoppedBy | 'agent-end'): Promise<void>;
};
