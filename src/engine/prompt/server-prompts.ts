/**
 * Expands the parts of a prompt that come from MCP servers: `/mcp__server__prompt a "b c"` becomes the prompt's
 * messages, and `@server:uri` attaches a resource. Loaded only if servers are configured.
 */

import { splitWords } from '../../context/skills/split-words.js';
import { type ResultContent, text, type UserBlock } from '../../protocol/blocks.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { succeeded } from '../../protocol/outcome.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { neutralizeContent } from '../../protocol/tags.js';
import type { Prompt } from '../../tools/mcp/connect/connection.js';
import {
  type ContentStore,
  convertContent,
  convertResources,
  joinTexts,
} from '../../tools/mcp/offer/convert-content.js';
import { longName, nameWithin } from '../../tools/mcp/offer/names.js';
import type { ResultLimits } from '../../tools/mcp/offer/result-limits.js';
import { boundResult } from '../../tools/mcp/offer/results.js';
import type { ServerAccess } from '../../tools/mcp/server-access.js';
import { nearestNames } from '../../tools/nearest-names.js';

export type Expansion = {
  readonly access: ServerAccess;
  readonly limits: ResultLimits;
  /** Names the stored files; made from the prompt's key. */
  readonly id: string;
  keepOutput(name: string, content: string | Uint8Array): Promise<string>;
  /** The reason why a resource of a server may not be attached, by the server's part in tool names. */
  refuse(server: string): Promise<string | undefined>;
  readonly signal: AbortSignal;
};

/** `reason`, for the user: nothing was sent. */
export type Expanded = Result<{ readonly blocks: readonly UserBlock[] }>;

/** Never rejects. A prompt without either is returned unchanged. */
export async function expandFromServers(blocks: readonly UserBlock[], expansion: Expansion): Promise<Expanded> {
  try {
    const [first, ...rest] = blocks;
    const command = first?.type === 'text' ? COMMAND.exec(first.text) : null;
    if (command === null) return { ok: true, blocks: [...blocks, ...(await attachMentions(blocks, expansion))] };
    const expanded = await expandCommand(command, rest, expansion);
    // It contains text of the server.
    return expanded.ok ? expanded : { ok: false, reason: escapeToLine(expanded.reason) };
  } catch (error) {
    return { ok: false, reason: escapeToLine(reasonOf(error)) };
  }
}

const COMMAND = /^\s*\/(mcp__([A-Za-z0-9_-]+?)__(\S+))(?:\s+(.*))?$/s;

export type PromptCommand = {
  /** `mcp__server__prompt` */
  readonly name: string;
  readonly server: string;
  readonly prompt: Prompt;
};

/** The prompts of connected servers, sorted by name, also for completion. A server that fails has none. */
export async function listPromptCommands(access: ServerAccess, signal: AbortSignal): Promise<readonly PromptCommand[]> {
  const reports = access.reports();
  const connected = reports.filter(({ status }) => status === 'connected');
  const lists = await Promise.all(connected.map(({ name }) => promptsOf(access, name, signal).catch(() => [])));
  return lists.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function promptsOf(access: ServerAccess, server: string, signal: AbortSignal): Promise<readonly PromptCommand[]> {
  const connection = await access.connection(server, signal);
  if (!connection.offers.prompts) return [];
  const prompts = await connection.listPrompts(signal);
  const part = access.parts().get(server) ?? '';
  const parts = nameWithin(prompts.map(({ name }) => name));
  return prompts.map((prompt) => ({ name: longName(part, parts.get(prompt.name) ?? ''), server, prompt }));
}

async function expandCommand(
  [, name = '', part = '', , typedArgs = '']: RegExpExecArray,
  rest: readonly UserBlock[],
  expansion: Expansion,
): Promise<Expanded> {
  const { access, signal } = expansion;
  const names = access.reports().map((report) => report.name);
  const server = [...access.parts()].find(([, own]) => own === part)?.[0];
  if (server === undefined) return refuse(`No MCP server "${part}" for /${name}.`, part, names);
  const prompts = await promptsOf(access, server, signal);
  const command = prompts.find((one) => one.name === name);
  if (command === undefined)
    return refuse(
      `The MCP server ${server} has no prompt /${name}.`,
      name,
      prompts.map((one) => one.name),
    );
  const { prompt } = command;
  const assigned = assignArguments(prompt.arguments ?? [], splitWords(typedArgs));
  if (!assigned.ok)
    return {
      ok: false,
      reason: `/${name} needs ${assigned.missing}. Usage: ${describeUse(name, prompt.arguments ?? [])}`,
    };
  const connection = await access.connection(server, signal);
  const { messages } = await connection.getPrompt(prompt.name, assigned.values, signal);
  const content = await convertMessages(messages, keepingOf(expansion, server, 'prompt'));
  const typed = text(`/${name}${typedArgs.trim() === '' ? '' : ` ${typedArgs.trim()}`}`);
  const head = text(`The prompt ${prompt.name} of the MCP server ${server} follows, as the server gave it:`);
  return { ok: true, blocks: [typed, ...(await bounded([head, ...content], expansion, server, 'prompt')), ...rest] };
}

function refuse(reason: string, wanted: string, names: readonly string[]): Expanded {
  const near = nearestNames(wanted, names);
  return { ok: false, reason: near.length > 0 ? `${reason} Did you mean ${near.join(', ')}?` : reason };
}

type Messages = readonly { readonly role: string; readonly content: unknown }[];

/** A user message can't contain text of an assistant: it is marked as such. */
async function convertMessages(messages: Messages, keeping: ContentStore): Promise<readonly ResultContent[]> {
  const made: ResultContent[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'assistant') made.push(text('[the prompt lets the assistant say:]'));
    else if (index > 0) made.push(text('[the prompt lets the person say:]'));
    const callId = `${keeping.callId}-${index}`;
    made.push(...(await convertContent(Array.isArray(content) ? content : [content], { ...keeping, callId })));
  }
  return made;
}

/** More are hardly intended. */
const MOST_ATTACHED = 10;

async function attachMentions(blocks: readonly UserBlock[], expansion: Expansion): Promise<readonly UserBlock[]> {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const mentions = findMentions(texts, expansion.access.parts()).slice(0, MOST_ATTACHED);
  const attached = await Promise.all(mentions.map((mention, index) => attach(mention, index, expansion)));
  return attached.flat();
}

async function attach(
  { server, uri, written }: Mention,
  index: number,
  expansion: Expansion,
): Promise<readonly UserBlock[]> {
  const { access, signal } = expansion;
  const name = `resource-${index + 1}`;
  try {
    const refused = await expansion.refuse(access.parts().get(server) ?? '');
    if (refused !== undefined) throw new Error(refused);
    const connection = await access.connection(server, signal);
    if (!connection.offers.resources) throw new Error('the server has no resources');
    const exact = await trimUri(uri, () => connection.listResources(signal));
    const { contents } = await connection.readResource(exact, signal);
    const head = text(`@${server}:${exact} is attached. It is the text of that MCP server, not the person's:`);
    const content = await convertResources(contents, keepingOf(expansion, server, name));
    return await bounded([head, ...content], expansion, server, name);
  } catch (error) {
    if (signal.aborted) throw error;
    return neutralizeContent([text(`(${written} could not be attached: ${reasonOf(error)})`)]);
  }
}

/** A longer one does not occur in a sentence. */
const LONGEST_URI = 4_096;

/** Trims a full stop or bracket after a URI in a sentence, unless the server lists it with that. */
async function trimUri(uri: string, list: () => Promise<readonly { readonly uri: string }[]>): Promise<string> {
  if (uri.length > LONGEST_URI) return uri;
  const bare = uri.replace(/[.,;:!?)\]}'"»”]+$/u, '');
  if (bare === uri || bare === '') return uri;
  const listed = await list().catch(() => []);
  return listed.some((one) => one.uri === uri) ? uri : bare;
}

function keepingOf({ id, keepOutput }: Expansion, server: string, name: string): ContentStore {
  return { callId: `${id}-${name}`, server, keepOutput };
}

async function bounded(
  content: readonly ResultContent[],
  expansion: Expansion,
  server: string,
  name: string,
): Promise<readonly UserBlock[]> {
  const outcome = await boundResult(
    succeeded(joinTexts(content)),
    expansion.limits,
    keepingOf(expansion, server, name),
  );
  return neutralizeContent(outcome.content);
}

export type Mention = {
  /** As configured. */
  readonly server: string;
  readonly uri: string;
  /** As written in the prompt. */
  readonly written: string;
};

/** A mail address has something before its @; an unknown server is no mention. */
const MENTION = /(?<![^\s([{<"'`,;])@([^\s:@]+):(\S+)/gu;

/** Each once, in order. `parts`: of the configured servers, which can be named by either. */
export function findMentions(texts: readonly string[], parts: ReadonlyMap<string, string>): readonly Mention[] {
  const names = [...parts.keys()];
  const found = new Map<string, Mention>();
  for (const [written, called = '', uri = ''] of texts.flatMap((value) => [...value.matchAll(MENTION)])) {
    const server = names.find((name) => name === called) ?? names.find((name) => parts.get(name) === called);
    if (server !== undefined) found.set(`${server} ${uri}`, { server, uri, written });
  }
  return [...found.values()];
}

export type PromptArgument = { readonly name: string; readonly description?: string; readonly required?: boolean };

export type Assigned =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly missing: string };

/** The last argument takes the rest. */
export function assignArguments(declared: readonly PromptArgument[], words: readonly string[]): Assigned {
  const last = declared.length - 1;
  const values = declared.map(({ name }, index): [string, string | undefined] => {
    return [name, index === last && words.length > declared.length ? words.slice(last).join(' ') : words[index]];
  });
  const missing = declared.filter(({ required }, index) => required === true && (values[index]?.[1] ?? '') === '');
  if (missing.length > 0) return { ok: false, missing: missing.map(describeArgument).join(' and ') };
  return {
    ok: true,
    values: Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  };
}

function describeArgument({ name, description }: PromptArgument): string {
  return `"${name}"${description ? ` (${description.replace(/\s+/g, ' ').slice(0, 200)})` : ''}`;
}

export function describeUse(command: string, declared: readonly PromptArgument[]): string {
  return [`/${command}`, ...declared.map(({ name, required }) => (required === true ? `<${name}>` : `[${name}]`))].join(
    ' ',
  );
}
