/** What stories about background agents look at: notices, ids, results, states. */

import { expect } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import type { SessionEvent } from '../../../src/protocol/events.js';
import { parseBlock } from '../../../src/protocol/frozen-block.js';
import type { ReplyBlock, Sim } from '../../../src/sim/index.js';
import { agentCall } from '../../support/agent-call.js';
import { agentTranscript } from '../../support/session-files.js';
import { readTranscript, type Stage } from '../../support/story.js';
import { wireText } from '../../support/wire-body.js';

/** A call for a child whose task is the word CHILD, unless it says otherwise. */
export function childCall(input: Record<string, unknown>): ReplyBlock {
  return agentCall('CHILD', { description: 'a part', ...input });
}

/** The requests of which the last user turn, or any, holds the text. */
export function requestsWith(sim: Sim, text: string): string[] {
  return sim.requests.map(wireText).filter((raw) => raw.includes(text));
}

export type AdmittedNotice = {
  readonly agent: string;
  readonly run: number;
  readonly to: string;
  readonly text: string;
};

/** Notices that reached somebody, from the events. */
export function noticesIn(events: readonly SessionEvent[]): AdmittedNotice[] {
  return events.flatMap(({ agent: to, event }) => {
    if (event.kind !== 'input-admitted' || event.notice === undefined) return [];
    const text = event.blocks
      .map(parseBlock)
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('');
    return [{ ...event.notice, to, text }];
  });
}

export function childIds(stage: Stage): string[] {
  return stage.events.flatMap(({ event }) => (event.kind === 'agent-spawned' ? [event.agent] : []));
}

/** By the name it was given: calls of one reply are made ready together, in any order. */
export function idOf(stage: Stage, name: string): string {
  const found = stage.events.find(({ event }) => event.kind === 'agent-spawned' && event.name === name);
  return found?.agent ?? `nobody is called ${name}`;
}

/** What calls of a tool came to, as text, in the order they ended. */
export function callResults(stage: Stage, tool: string): string[] {
  return stage.events.flatMap(({ event }) => {
    if (event.kind !== 'call-finished' || event.tool !== tool) return [];
    return event.blocks.map(parseBlock).map((block) => {
      if (block.type !== 'tool_result' || typeof block.content === 'string') return '';
      return block.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    });
  });
}

/** States of an agent in the order they were recorded. */
export async function statesOf(session: Session, id: string): Promise<string[]> {
  const records = await readTranscript(agentTranscript(session, id));
  return records.flatMap(({ event }) => (event.kind === 'agent-state-changed' ? [event.state] : []));
}

export async function expectSettled(session: Session, stage: Stage): Promise<void> {
  const settled = await session.settled(20_000);
  expect(settled.stopped, stage.sim.report()).toEqual([]);
}
