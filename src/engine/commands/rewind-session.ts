/** Going back in a session that is open: the record, and what must be true before the main agent goes on. */

import type { LiveAgent } from '../../agents/live-agent.js';
import { closeByLog, findChild, repairAgent } from '../../agents/resume/restore-calls.js';
import type { Runtime } from '../../agents/runtime.js';
import { text } from '../../protocol/blocks.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { decode } from '../../protocol/frozen-block.js';
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
  const words = [WENT_BACK, ...describeTakenBack(main)].join('\n');
  await main.inbox.admit({ origin: 'reminder', key }, [text(reminder(words))]);
  return rewound;
}

/** A notice is delivered once: one that went with what was taken back does not come again, so its agent is named. */
function describeTakenBack({ state }: LiveAgent): string[] {
  const said = [...state.history].flatMap(({ blocks }) => blocks.map(({ bytes }) => decode(bytes))).join('\n');
  const agents = new Set([...state.delivered.values()].map(({ agent }) => agent));
  return [...agents].flatMap((id) => {
    const isMissed = said.includes(id) && !said.includes(`<task-id>${id}</task-id>`);
    return isMissed ? [`${id} has ended since. TaskOutput with task_id: "${id}" shows what it said.`] : [];
  });
}

const FILES_PUT_BACK =
  'The person has put these files back to what they held earlier; read them again before you edit:';
const WENT_BACK =
  'The person has gone back to this point. Files may be newer than the conversation; read before you edit.';
