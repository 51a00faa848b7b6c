/** Scenarios with several agents: who speaks is identified by a word in what was said to it, and each has its own lines. */

import { join } from 'node:path';
import type { Reply, Rule, SeenRequest, Sim, SimRequest } from '../../../src/sim/index.js';
import type { Stage } from '../../support/story.js';

export type Line = Reply | ((request: SeenRequest) => Reply | Promise<Reply>);

/** By a word that only the agent's own prompt holds; `main` is whoever no other word fits. The last line is repeated. */
export type Script = Readonly<Record<string, readonly Line[]>>;

export function script(lines: Script): Rule[] {
  const spoken = new Map<string, number>();
  const reply = async (request: SeenRequest): Promise<Reply> => {
    const who = whoAsks(lines, request.said);
    const nth = spoken.get(who) ?? 0;
    spoken.set(who, nth + 1);
    const own = lines[who] ?? [];
    const line = own[Math.min(nth, own.length - 1)];
    if (line === undefined) throw new Error(`${who} has nothing to say`);
    return typeof line === 'function' ? line(request) : line;
  };
  return [{ name: 'script', reply }];
}

/** The word that was said last applies: a fork has heard all its parent heard. */
function whoAsks(lines: Script, said: readonly string[]): string {
  const all = said.join('\n');
  const [who] = Object.keys(lines)
    .filter((word) => word !== 'main' && all.includes(word))
    .sort((a, b) => all.lastIndexOf(b) - all.lastIndexOf(a));
  return who ?? 'main';
}

export { agentCall } from '../../support/agent-call.js';

/** The requests of the agent whose prompt holds the word. */
export function requestsOf(sim: Sim, word: string): readonly SimRequest[] {
  return sim.requests.filter((request) => request.path.startsWith('/v1/messages') && saidIn(request).includes(word));
}

export function requestOf(sim: Sim, word: string, nth = 1): SimRequest {
  const request = requestsOf(sim, word)[nth - 1];
  if (request === undefined) throw new Error(`no request number ${nth} of ${word}\n${sim.report()}`);
  return request;
}

type Block = { readonly type: string; readonly text?: string; readonly content?: unknown; readonly is_error?: boolean };

/** All text a user, a parent or we ourselves put into the user messages of a request. */
export function saidIn(request: SimRequest): string {
  return request.body.messages
    .filter((message) => message.role === 'user')
    .flatMap((message) => message.content as readonly Block[])
    .map((block) => block.text ?? '')
    .join('\n');
}

export function systemOf(request: SimRequest): string {
  return (request.body.system as readonly Block[]).map((block) => block.text).join('\n');
}

export function toolsOf(request: SimRequest): readonly string[] {
  return (request.body.tools ?? []).map((tool) => tool.name);
}

export function declared(request: SimRequest, name: string): { description: string; properties: object } {
  const tool = (request.body.tools ?? []).find((one) => one.name === name) as
    | { description: string; input_schema: { properties: object } }
    | undefined;
  if (tool === undefined) throw new Error(`${name} is not declared`);
  return { description: tool.description, properties: tool.input_schema.properties };
}

export type Result = { readonly text: string; readonly isError: boolean };

/** The results in the last message of a request. */
export function resultsIn(request: SimRequest): Result[] {
  const blocks = request.body.messages.at(-1)?.content as readonly Block[];
  return blocks
    .filter((block) => block.type === 'tool_result')
    .map((block) => ({ text: contentText(block.content), isError: block.is_error === true }));
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as readonly Block[]).map((block) => block.text ?? '').join('\n');
}

/** The results of the main agent's n-th request. */
export function mainResults(stage: Stage, nth = 2): Result[] {
  const request = stage.sim.requests.filter(({ body }) => !isChild(stage, body.messages))[nth - 1];
  if (request === undefined) throw new Error(`no main request number ${nth}\n${stage.sim.report()}`);
  return resultsIn(request);
}

/** The main agent's first message holds the user's first prompt. */
const FIRST_WORDS = 'MAIN';
export const begin = (words = '') => `${FIRST_WORDS} ${words}`;

function isChild(_stage: Stage, messages: readonly { readonly content: unknown }[]): boolean {
  const all = JSON.stringify(messages);
  return !JSON.stringify(messages[0]?.content).includes(FIRST_WORDS) || all.includes('You are a forked worker');
}

export function agentFile(fields: Readonly<Record<string, unknown>>, body: string): string {
  const lines = Object.entries(fields).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `---\n${lines.join('\n')}\n---\n${body}\n`;
}

export const inProject = (name: string) => join('.claude', 'agents', `${name}.md`);
