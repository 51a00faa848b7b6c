/** Informs the main agent of a rewind, in an open session or before a resumed one continues. */

import { text } from '../../protocol/blocks.js';
import { decode } from '../../protocol/frozen-block.js';
import { reminder } from '../../protocol/tags.js';
import type { Inbox } from '../inbox.js';
import type { AgentState } from '../state/agent-state.js';
import type { Rewound } from './rewind.js';

/** Returns the call that started a task; undefined if it is not part of this session. */
export type FindCall = (task: string) => string | undefined;

export async function announceRewind(
  state: AgentState,
  inbox: Pick<Inbox, 'admit'>,
  { conversation, files }: Pick<Extract<Rewound, { ok: true }>, 'conversation' | 'files'>,
  findCall: FindCall,
): Promise<void> {
  if (!conversation && files.length === 0) return;
  const lines = conversation
    ? [WENT_BACK, ...describeTakenBack(state, findCall)]
    : [FILES_PUT_BACK, ...files.map(({ path }) => `- ${path}`)];
  const key = `rewound at ${state.lastSeq}`;
  await inbox.admit({ origin: 'reminder', key }, [text(reminder(lines.join('\n')))]);
}

/** A notice is delivered only once: if the rewind removed it, its agent is named. */
function describeTakenBack({ history, pending, delivered }: AgentState, findCall: FindCall): string[] {
  const visible = [...history, ...pending].flatMap(({ blocks }) => blocks.map(({ bytes }) => decode(bytes))).join('\n');
  const tasks = new Set([...delivered.values()].map(({ agent }) => agent));
  return [...tasks].flatMap((id) => {
    const call = findCall(id);
    if (call === undefined) return [];
    const isStarted = visible.includes(id) || (call !== '' && visible.includes(call));
    const isMissed = isStarted && !visible.includes(`<task-id>${id}</task-id>`);
    return isMissed ? [`${id} has ended since. TaskOutput with task_id: "${id}" shows what it said.`] : [];
  });
}

const FILES_PUT_BACK =
  'The person has put these files back to what they held earlier; read them again before you edit:';
const WENT_BACK =
  'The person has gone back to this point. Files may be newer than the conversation; read before you edit.';
