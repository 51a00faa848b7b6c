/** What stories about background agents need: replies that wait for a word, and looking until something is so. */

import { expect } from 'vitest';
import type { Session } from '../../../src/engine/session.js';
import type { SessionEvent } from '../../../src/protocol/events.js';
import { parseBlock } from '../../../src/protocol/frozen-block.js';
import type { Reply, ReplyBlock, Sim } from '../../../src/sim/index.js';
import { readTranscript, type Stage } from '../../support/story.js';

export type Gate = { readonly opened: Promise<void>; open(): void };

/** Something a reply can wait for. */
export function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A reply that waits for a gate. */
export function onceOpen(opens: Gate, reply: Reply): () => Promise<Reply> {
  return async () => {
    await opens.opened;
    return reply;
  };
}

/** Looks again and again; fails with what it saw last. */
export async function until(look: () => boolean | Promise<boolean>, what: string, ms = 15_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await look())) {
    if (Date.now() > end) throw new Error(`never came to be: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function agentCall(input: Record<string, unknown>): ReplyBlock {
  return { tool: 'Agent', input: { description: 'a part', prompt: 'CHILD', ...input } };
}

/** The requests of which the last user turn, or any, holds the text. */
export function requestsWith(sim: Sim, text: string): string[] {
  return sim.requests.map((request) => request.raw.toString('utf8')).filter((raw) => raw.includes(text));
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

export function agentFile(session: Session, id: string): string {
  return session.transcript.replace(/\.jsonl$/, `/subagents/agent-${id}.jsonl`);
}

/** States of an agent in the order they were recorded. */
export async function statesOf(session: Session, id: string): Promise<string[]> {
  const records = await readTranscript(agentFile(session, id));
  return records.flatMap(({ event }) => (event.kind === 'agent-state-changed' ? [event.state] : []));
}

export async function expectSettled(session: Session, stage: Stage): Promise<void> {
  const settled = await session.settled(20_000);
  expect(settled.stopped, stage.sim.report()).toEqual([]);
}
