/** Going back in a session that is open: the record, and what the main agent has in memory, to the same point. */

import type { Member } from '../agents/live-agent.js';
import { closeByLog, findChild } from '../agents/resume/restore-calls.js';
import { applyRepair, restoreState } from '../agents/resume/restore-state.js';
import type { Runtime } from '../agents/runtime.js';
import { reminder } from '../context/reminder.js';
import { NO_REQUEST } from '../loop/agent.js';
import { text } from '../protocol/blocks.js';
import { MAIN_AGENT } from '../protocol/events.js';
import { type RewindRequest, type Rewound, rewind } from '../session/files/rewind.js';
import { restoreTranscript } from '../session/state/restore-transcript.js';
import type { RecordedPrompt } from '../session/state/restored.js';

/** Nothing works meanwhile. */
export async function rewindMain(runtime: Runtime, { agent }: Member, request: RewindRequest): Promise<Rewound> {
  const rewound = await rewind(runtime.host, runtime.layout, request, (event) => agent.emit(event));
  if (!rewound.ok) return rewound;
  if (!rewound.conversation) {
    const paths = rewound.files.map(({ path }) => `- ${path}`).join('\n');
    if (paths !== '') await agent.inbox.admit('reminder', [text(reminder(`${FILES_PUT_BACK}\n${paths}`))]);
    return rewound;
  }
  const read = await restoreTranscript(runtime.host.files, runtime.layout.file);
  if (read.kind !== 'restored')
    return { ok: false, reason: read.kind === 'missing' ? 'the transcript is gone' : read.reason };
  const state = restoreState(read.restored, agent.conversation.prefix, (callId) => {
    const log = findChild(runtime.ended.values(), MAIN_AGENT, callId);
    return log && closeByLog(log, callId);
  });
  agent.conversation = state.conversation;
  agent.newEpoch = 'rewind';
  agent.lastRequest = NO_REQUEST;
  agent.reference = undefined;
  agent.todos.items = state.resumed.todos;
  agent.inbox.take();
  agent.inbox.giveBack(state.resumed.pending);
  await applyRepair(agent, state.repair, () => {
    throw new Error('nothing is waited for after a rewind');
  });
  await agent.inbox.admit('reminder', [text(reminder(WENT_BACK))]);
  return rewound;
}

const FILES_PUT_BACK =
  'The person has put these files back to what they held earlier; read them again before you edit:';
const WENT_BACK =
  'The person has gone back to this point. Files may be newer than the conversation; read before you edit.';

export async function listPrompts(runtime: Runtime): Promise<readonly RecordedPrompt[]> {
  const read = await restoreTranscript(runtime.host.files, runtime.layout.file);
  return read.kind === 'restored' ? read.restored.prompts : [];
}
