/** Rewinds an open session: records it, and makes the conversation valid before the main agent continues. */

import type { LiveAgent } from '../../agents/live-agent.js';
import { closeByLog, findChild, repairAgent } from '../../agents/resume/restore-calls.js';
import type { Runtime } from '../../agents/runtime.js';
import { dropForeignThinking } from '../../loop/epoch.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { announceRewind } from '../../session/files/announce-rewind.js';
import { type RewindRequest, type Rewound, rewind } from '../../session/files/rewind.js';
import { repairHistory } from '../../session/repair/repair-history.js';

/** Nothing else runs meanwhile. */
export async function rewindSession(runtime: Runtime, main: LiveAgent, request: RewindRequest): Promise<Rewound> {
  const { host, agents, ended, shellTasks } = runtime;
  const rewound = await rewind(host, runtime, main.state, request, main.emit);
  if (!rewound.ok || request.dryRun) return rewound;
  if (rewound.conversation) {
    const repair = repairHistory(main.state, (callId) => {
      const log = findChild(ended.values(), MAIN_AGENT, callId);
      return log && closeByLog(log, callId);
    });
    await repairAgent(main, repair);
    // The model may have changed since the last request.
    await dropForeignThinking(main);
  }
  await announceRewind(main.state, main.inbox, rewound, (task) => {
    const { call } = agents.get(task)?.record ?? ended.get(task)?.spawned ?? shellTasks.get(task) ?? {};
    return call;
  });
  return rewound;
}
