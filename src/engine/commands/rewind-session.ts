/** Going back in a session that is open: the record, and what must be true before the main agent goes on. */

import type { LiveAgent } from '../../agents/live-agent.js';
import { closeByLog, findChild, repairAgent } from '../../agents/resume/restore-calls.js';
import type { Runtime } from '../../agents/runtime.js';
import { text } from '../../protocol/blocks.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { reminder } from '../../protocol/tags.js';
import { type RewindRequest, type Rewound, rewind } from '../../session/files/rewind.js';
import { repairHistory } from '../../session/repair/repair-history.js';

/** Nothing works meanwhile. */
export async function rewindSession(runtime: Runtime, main: LiveAgent, request: RewindRequest): Promise<Rewound> {
  const { host, layout } = runtime;
  const rewound = await rewind(host, layout, main.state, request, (event, past) => main.emit(event, past));
  if (!rewound.ok) return rewound;
  const key = `rewound at ${main.state.lastSeq}`;
  if (!rewound.conversation) {
    const paths = rewound.files.map(({ path }) => `- ${path}`).join('\n');
    const words = reminder(`${FILES_PUT_BACK}\n${paths}`);
    if (paths !== '') await main.inbox.admit({ origin: 'reminder', key }, [text(words)]);
    return rewound;
  }
  const repair = repairHistory(main.state, (callId) => {
    const log = findChild(runtime.ended.values(), MAIN_AGENT, callId);
    return log && closeByLog(log, callId);
  });
  await repairAgent(main, repair);
  await main.inbox.admit({ origin: 'reminder', key }, [text(reminder(WENT_BACK))]);
  return rewound;
}

const FILES_PUT_BACK =
  'The person has put these files back to what they held earlier; read them again before you edit:';
const WENT_BACK =
  'The person has gone back to this point. Files may be newer than the conversation; read before you edit.';
