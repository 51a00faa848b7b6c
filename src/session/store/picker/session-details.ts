/** Details of a session for a list: read from the ends of its files, without reading any completely. */

import { join } from 'node:path';
import { sessionLayout } from '../../../config/paths.js';
import type { Files } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import { HOOK_AGENT_TYPE } from '../../../protocol/agent-spawned.js';
import { type FrozenBlock, parseBlock } from '../../../protocol/frozen-block.js';
import { oneLine } from '../../../protocol/text/one-line.js';
import { IndexedTranscript } from '../../transcript/indexed-transcript.js';
import { type EventInForce, readLastInForce } from '../../transcript/read-in-force.js';
import { isSegment } from '../../transcript/transcript.js';
import { type NamedSession, summarizeSession } from '../summarize-session.js';

export type SessionDetails = {
  readonly cwd: string;
  /** Its display name. */
  readonly name?: string;
  /** The beginning of the last prompt that was not rewound, or else of the first one. */
  readonly prompt: string;
  /** The last announced state of its repository: a branch, or a commit. */
  readonly branch?: string;
  /** Agents that did not finish and can be resumed. */
  readonly interrupted: number;
  /** It has no messages and is not offered for a resume. */
  readonly isEmpty: boolean;
  /** Why it can't be opened, or not completely. */
  readonly damaged?: string;
};

/** How far back to search for the last prompt: the first attempt, and the second. */
const SEARCH_BYTES = [64 * 1024, 1024 * 1024] as const;
const PROMPT_CHARS = 200;
const MOST_AGENTS = 300;
const AGENT_END = 16 * 1024;
const AGENT_SEARCH = 256 * 1024;

export async function readDetails(host: Host, home: string, session: NamedSession): Promise<SessionDetails> {
  const summary = await summarizeSession(host, home, session);
  const { cwd, name, prompt, empty, onlyCalls, inUse, damaged } = summary;
  const transcript = new IndexedTranscript(host.files, summary.path);
  const found = await lastMessages(transcript).catch((): LastMessages => ({}));
  const { subagents } = sessionLayout(home, session.project, session.id);
  const interrupted = inUse || summary.agents === 0 ? 0 : await countUnfinished(host.files, subagents).catch(() => 0);
  const branch = found.branch ?? (await firstBranch(transcript).catch(() => undefined));
  return {
    cwd,
    ...(name === undefined ? {} : { name }),
    prompt: found.prompt ?? prompt,
    ...(branch === undefined ? {} : { branch }),
    interrupted,
    isEmpty: empty || onlyCalls,
    ...(damaged === undefined ? {} : { damaged }),
  };
}

type LastMessages = { readonly prompt?: string; readonly branch?: string };

async function lastMessages(transcript: IndexedTranscript): Promise<LastMessages> {
  let found: LastMessages = {};
  for (const bytes of SEARCH_BYTES) {
    const { events, isCut } = await readLastInForce(transcript, bytes);
    const prompt = lastPrompt(events);
    const branch = events.map(branchIn).findLast((one) => one !== undefined);
    found = { ...(prompt === undefined ? {} : { prompt }), ...(branch === undefined ? {} : { branch }) };
    if (prompt !== undefined || !isCut) return found;
  }
  return found;
}

function lastPrompt(events: readonly EventInForce[]): string | undefined {
  const last = events.findLast(({ event }) => event.kind === 'input-admitted' && event.origin === 'person')?.event;
  return last?.kind === 'input-admitted' ? firstWords(last.blocks) : undefined;
}

/** Without attachments. */
function firstWords(blocks: readonly FrozenBlock[]): string {
  const texts = blocks.map(parseBlock).flatMap((block) => {
    if (block.type !== 'text') return [`[${block.type}]`];
    return block.text.startsWith('<system-reminder>') ? [] : [block.text.slice(0, PROMPT_CHARS * 4)];
  });
  const text = oneLine(texts.join(' '));
  return text.length > PROMPT_CHARS ? `${[...text].slice(0, PROMPT_CHARS - 1).join('')}…` : text;
}

async function firstBranch(transcript: IndexedTranscript): Promise<string | undefined> {
  const { events } = await transcript.after(0, SEARCH_BYTES[0]);
  return events.map(branchIn).find((one) => one !== undefined);
}

/** It was announced as `branch main` or `commit 0123456789`. */
function branchIn({ event }: Pick<EventInForce, 'event'>): string | undefined {
  const announced = event.kind === 'input-admitted' ? event.tells?.branch : undefined;
  return announced?.replace(/^(?:branch|commit) /, '');
}

async function countUnfinished(files: Files, folder: string): Promise<number> {
  const names = new Set((await files.list(folder)).map(({ name }) => name));
  const own = [...names].filter((name) => /^agent-.*\.jsonl$/.test(name) && !isSegment(name, names));
  let unfinished = 0;
  for (const name of own.slice(0, MOST_AGENTS)) if (await isUnfinished(files, join(folder, name))) unfinished += 1;
  return unfinished;
}

/** Decides by its last change of state. An agent that ran for long may have none near its end. */
async function isUnfinished(files: Files, path: string): Promise<boolean> {
  const transcript = new IndexedTranscript(files, path);
  const size = await transcript.size();
  let isBegun = false;
  for (let place = size; place > 0 && size - place < AGENT_SEARCH; ) {
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
