/** What a list to choose from shows of a session beside its age: read from the ends of its files, none is read whole. */

import { join } from 'node:path';
import { sessionLayout } from '../../../config/paths.js';
import type { Files } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import { HOOK_AGENT_TYPE } from '../../../protocol/agent-spawned.js';
import { type FrozenBlock, parseBlock } from '../../../protocol/frozen-block.js';
import { IndexedTranscript } from '../../transcript/indexed-transcript.js';
import { type EventInForce, readLastInForce } from '../../transcript/read-in-force.js';
import { isSegment, type NamedSession, summarizeSession } from '../summarize-session.js';

export type SessionDetails = {
  readonly cwd: string;
  /** What people call it. */
  readonly name?: string;
  /** The first words of the last prompt that is in force, or else of the first one. */
  readonly prompt: string;
  /** Where its repository was, the last time it was told: a branch, or a commit. */
  readonly branch?: string;
  /** Agents that did not finish and can be resumed. */
  readonly interrupted: number;
  /** Nothing was said in it: it is none to go on with. */
  readonly isEmpty: boolean;
  /** Why it can't be opened, or not in full. */
  readonly damaged?: string;
};

/** How far back the last prompt is looked for: first, and if it is not there. */
const LOOKS = [64 * 1024, 1024 * 1024] as const;
const PROMPT_CHARS = 200;
const MOST_AGENTS = 300;
const AGENT_END = 16 * 1024;
const AGENT_LOOK = 256 * 1024;

export async function readDetails(host: Host, home: string, session: NamedSession): Promise<SessionDetails> {
  const summary = await summarizeSession(host, home, session);
  const { cwd, name, prompt, empty, onlyCalls, inUse, damaged } = summary;
  const transcript = new IndexedTranscript(host.files, summary.path);
  const said = await lastSaid(transcript).catch((): Said => ({}));
  const { subagents } = sessionLayout(home, session.project, session.id);
  const interrupted = inUse || summary.agents === 0 ? 0 : await countUnfinished(host.files, subagents).catch(() => 0);
  const branch = said.branch ?? (await firstBranch(transcript).catch(() => undefined));
  return {
    cwd,
    ...(name === undefined ? {} : { name }),
    prompt: said.prompt ?? prompt,
    ...(branch === undefined ? {} : { branch }),
    interrupted,
    isEmpty: empty || onlyCalls,
    ...(damaged === undefined ? {} : { damaged }),
  };
}

type Said = { readonly prompt?: string; readonly branch?: string };

async function lastSaid(transcript: IndexedTranscript): Promise<Said> {
  let said: Said = {};
  for (const bytes of LOOKS) {
    const { events, isCut } = await readLastInForce(transcript, bytes);
    const prompt = lastPrompt(events);
    const branch = events.map(branchIn).findLast((one) => one !== undefined);
    said = { ...(prompt === undefined ? {} : { prompt }), ...(branch === undefined ? {} : { branch }) };
    if (prompt !== undefined || !isCut) return said;
  }
  return said;
}

function lastPrompt(events: readonly EventInForce[]): string | undefined {
  const last = events.findLast(({ event }) => event.kind === 'input-admitted' && event.origin === 'person')?.event;
  return last?.kind === 'input-admitted' ? firstWords(last.blocks) : undefined;
}

/** Without what was put beside it. */
function firstWords(blocks: readonly FrozenBlock[]): string {
  const texts = blocks.map(parseBlock).flatMap((block) => {
    if (block.type !== 'text') return [`[${block.type}]`];
    return block.text.startsWith('<system-reminder>') ? [] : [block.text.slice(0, PROMPT_CHARS * 4)];
  });
  const words = texts.join(' ').replace(/\s+/g, ' ').trim();
  return words.length > PROMPT_CHARS ? `${[...words].slice(0, PROMPT_CHARS - 1).join('')}…` : words;
}

async function firstBranch(transcript: IndexedTranscript): Promise<string | undefined> {
  const { events } = await transcript.after(0, LOOKS[0]);
  return events.map(branchIn).find((one) => one !== undefined);
}

/** It was told in words: `branch main`, `commit 0123456789`. */
function branchIn({ event }: Pick<EventInForce, 'event'>): string | undefined {
  const told = event.kind === 'input-admitted' ? event.tells?.branch : undefined;
  return told?.replace(/^(?:branch|commit) /, '');
}

async function countUnfinished(files: Files, folder: string): Promise<number> {
  const names = new Set((await files.list(folder)).map(({ name }) => name));
  const own = [...names].filter((name) => /^agent-.*\.jsonl$/.test(name) && !isSegment(name, names));
  let unfinished = 0;
  for (const name of own.slice(0, MOST_AGENTS)) if (await isUnfinished(files, join(folder, name))) unfinished += 1;
  return unfinished;
}

/** By its last change of state. One that was at work for long has none near its end. */
async function isUnfinished(files: Files, path: string): Promise<boolean> {
  const transcript = new IndexedTranscript(files, path);
  const size = await transcript.size();
  let isBegun = false;
  for (let place = size; place > 0 && size - place < AGENT_LOOK; ) {
    const { events, from } = await transcript.before(place, AGENT_END);
    const state = events.map(({ event }) => event).findLast((event) => event.kind === 'agent-state-changed');
    if (state !== undefined && ENDED.has(state.state)) return false;
    isBegun ||= state !== undefined || events.some(({ event }) => event.kind === 'turn-started');
    if (state !== undefined) break;
    place = from;
  }
  if (!isBegun) return false;
  const [first] = (await transcript.after(0, 1)).events;
  return first?.event.kind === 'agent-spawned' && first.event.type !== HOOK_AGENT_TYPE;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'stopped']);
