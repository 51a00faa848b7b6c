/** Turns background tasks into `system/task_*` lines of `stream-json`: started, ended. */

import { MOVED, type SessionEvent } from '../../protocol/events.js';
import type { FrozenBlock } from '../../protocol/frozen-block.js';
import type { AgentView } from './agent-view.js';
import { readNotice } from './read-notice.js';
import { noticeKey, type SessionView, type ShellView } from './session-view.js';
import type { Line } from './stream-json.js';

/** The line for an event, given the view before that event. An event has at most one. */
export function taskLine(view: SessionView, { agent: id, event }: SessionEvent): Line | undefined {
  switch (event.kind) {
    case 'agent-spawned':
      return event.background ? started(id, event.call, event.description, 'local_agent') : undefined;
    case 'agent-dropped': {
      const agent = spawnedHere(view, id);
      if (!agent?.background) return undefined;
      return system('task_notification', id, agent.call, { status: 'failed', summary: event.reason });
    }
    case 'agent-state-changed': {
      const agent = spawnedHere(view, id);
      const moves = event.reason === MOVED || (event.run > 1 && event.call === undefined);
      if (agent === undefined || agent.background || !moves) return undefined;
      return started(id, agent.call, agent.description, 'local_agent');
    }
    case 'call-finished': {
      const isIts = ({ owner, call }: ShellView) => owner === id && call === event.call;
      const shell = event.isError ? undefined : [...view.shells.values()].find(isIts);
      return shell && started(shell.id, shell.call, shell.command, 'local_bash');
    }
    case 'input-admitted': {
      const isNews = event.notice !== undefined && !view.notices.has(noticeKey(event.notice));
      return isNews ? ended(event.notice.agent, event.blocks) : undefined;
    }
    default:
      return undefined;
  }
}

/** Undefined for agents of an earlier process: its own lines announced them. */
function spawnedHere({ agents }: SessionView, id: string): AgentView | undefined {
  const agent = agents.get(id);
  return agent?.parent === undefined || agent.resumed ? undefined : agent;
}

function started(id: string, call: string | undefined, description: string, task_type: string): Line {
  return system('task_started', id, call, { description, task_type });
}

function ended(id: string, blocks: readonly FrozenBlock[]): Line {
  const { call, status, summary, outputFile, usage } = readNotice(blocks);
  return system('task_notification', id, call, { status, summary, output_file: outputFile, usage });
}

function system(subtype: string, task_id: string, tool_use_id: string | undefined, more: Line): Line {
  return { type: 'system', subtype, task_id, ...(tool_use_id === undefined ? {} : { tool_use_id }), ...more };
}
