/**
 * Turns the tools of connected servers into our tools. A server's descriptions are data: readable, bounded, and without
 * any permission. A tool holds no connection: each call requests one.
 */

import { newAbort } from '../../../host/clock.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { type JsonObject, objectOf } from '../../../protocol/json/json-values.js';
import { failed, succeeded, type ToolOutcome } from '../../../protocol/outcome.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import { interrupted } from '../../failures.js';
import type { ToolContext } from '../../tool.js';
import { parseFields } from '../../zod-tool.js';
import type { ListedTool } from '../connect/connection.js';
import type { ServerAccess, ServerOffer } from '../server-access.js';
import { fitNames, longName, nameWithin, serverPart } from './names.js';
import { maxChars, type ResultLimits } from './result-limits.js';
import { boundResult, convertResult } from './results.js';
import { type DeclaredSchema, declareSchema } from './schemas.js';
import { serverText } from './server-text.js';
import type { ServerTool } from './server-tool.js';

export type MadeTools = {
  /** Sorted by name. */
  readonly tools: readonly ServerTool[];
  /** A message for each tool that can't be declared. */
  readonly dropped: readonly string[];
};

/** Creates the same tools from the same offers in any order; the same objects if nothing has changed. */
export interface Offering {
  /** `parts`: of all configured servers, connected or not, so that the order of connecting does not matter. */
  make(offers: readonly ServerOffer[], parts: ReadonlyMap<string, string>): MadeTools;
}

type Setting = { readonly access: ServerAccess; readonly limits: ResultLimits };

export function createOffering(access: ServerAccess, limits: ResultLimits): Offering {
  const prepared = new WeakMap<ServerOffer, Prepared>();
  const made = new WeakMap<PreparedTool, Map<string, ServerTool>>();
  const prepare = (offer: ServerOffer): Prepared => {
    const known = prepared.get(offer) ?? prepareOffer(offer);
    prepared.set(offer, known);
    return known;
  };
  const makeOnce = (one: PreparedTool, name: string, part: string): ServerTool => {
    const known = made.get(one) ?? new Map<string, ServerTool>();
    made.set(one, known);
    const key = `${name} ${part}`;
    const tool = known.get(key) ?? makeTool(one, name, part, { access, limits });
    known.set(key, tool);
    return tool;
  };
  return {
    make: (given, parts) => {
      const offers = [...new Map(given.map((offer) => [offer.server.name, offer])).values()];
      const all = offers.flatMap((offer) => {
        const part = parts.get(offer.server.name) ?? '';
        return prepare(offer).tools.map((one) => ({ one, part, long: longName(part, one.part) }));
      });
      const fitted = fitNames(all.map(({ long }) => long));
      const tools = all.map(({ one, part, long }) => makeOnce(one, fitted.get(long) ?? long, part));
      const dropped = offers.flatMap((offer) => prepare(offer).dropped);
      return { tools: tools.sort((a, b) => (a.name < b.name ? -1 : 1)), dropped: dropped.sort() };
    },
  };
}

type Prepared = { readonly tools: readonly PreparedTool[]; readonly dropped: readonly string[] };

type PreparedTool = {
  readonly offer: ServerOffer;
  readonly listed: ListedTool;
  /** The server's part of the name. */
  readonly part: string;
  readonly schema: Extract<DeclaredSchema, { ok: true }>;
  readonly instructions: string | undefined;
};

/** Everything that does not depend on other servers. */
function prepareOffer(offer: ServerOffer): Prepared {
  const tools: PreparedTool[] = [];
  const dropped: string[] = [];
  const parts = nameWithin(offer.listed.map(({ name }) => name));
  const seen = new Set<string>();
  const instructions = offer.instructions?.trim() ? serverText(offer.instructions) : undefined;
  const server = escapeToLine(offer.server.name);
  for (const listed of offer.listed) {
    const drop = (reason: string) =>
      dropped.push(
        `the tool ${escapeToLine(listed.name.slice(0, 100))} of the MCP server ${server} is left out: ${reason}`,
      );
    if (seen.has(listed.name)) {
      drop('the server lists another of the same name before it');
      continue;
    }
    seen.add(listed.name);
    const schema = declareSchema(listed.inputSchema);
    if (schema.ok) tools.push({ offer, listed, part: parts.get(listed.name) ?? '', schema, instructions });
    else drop(schema.reason);
  }
  return { tools, dropped };
}

function makeTool(one: PreparedTool, name: string, server: string, setting: Setting): ServerTool {
  const { offer, listed, part, schema } = one;
  const meta = objectOf(listed._meta);
  // With `__` in the server's name, it would read as a tool of another server.
  const written = offer.server.name.includes('__') ? [] : [longName(offer.server.name, listed.name)];
  const aliases = namesBeside(name, [longName(server, part), ...written]);
  const interactive = meta['anthropic/requiresUserInteraction'] === true ? { interactive: true as const } : {};
  const requested = meta['anthropic/maxResultSizeChars'];
  // A deny rule may use the name it would have alone, or the name as written.
  const alone = [longName(serverPart(offer.server.name), part), longName(offer.server.name, listed.name)];
  const also = namesBeside(longName(server, part), alone);
  return {
    name,
    ...(aliases.length > 0 ? { aliases } : {}),
    description: describe(one),
    inputSchema: schema.schema,
    // A hint grants no permission. It only lets calls declared read-only run in parallel.
    concurrent: listed.annotations?.readOnlyHint === true,
    quotes: 'all',
    maxResultChars: Math.max(LEAST_CHARS, maxChars(setting.limits, requested)),
    parse: (raw) => parseFields(name, raw),
    declare: () => [{ kind: 'mcp', server, tool: part, ...interactive, ...(also.length > 0 ? { also } : {}) }],
    run: (input, context) =>
      runOrMove(name, context, (signal) => callServer(one, objectOf(input), { ...context, signal }, setting)),
    offered: {
      server: offer.server.name,
      instructions: one.instructions,
      alwaysLoad: offer.server.config.alwaysLoad === true || meta['anthropic/alwaysLoad'] === true,
    },
  };
}

/** The result is already bounded; this preserves the line with the path of the rest. */
const LEAST_CHARS = 10_000;

function namesBeside(name: string, others: readonly string[]): readonly string[] {
  return [...new Set(others)].filter((other) => other !== name);
}

function describe({ offer, listed, schema }: PreparedTool): string {
  const output = serverText(listed.description ?? listed.title ?? listed.annotations?.title ?? '');
  const head = `[MCP server ${serverText(offer.server.name, 100)}]`;
  return [`${head} ${output || '(the server says nothing about it)'}`, ...schema.notes].join('\n');
}

async function callServer(
  { offer, listed, schema }: PreparedTool,
  input: JsonObject,
  context: ToolContext,
  { access, limits }: Setting,
): Promise<ToolOutcome> {
  const { signal, agentId, callId } = context;
  const server = offer.server.name;
  const keeping = { callId, server, keepOutput: context.keepOutput.bind(context), progress: progressOf(context) };
  try {
    const connection = await access.connection(server, signal);
    const result = await connection.callTool(listed.name, schema.toServer(input), {
      agentId,
      signal,
      progress: keeping.progress,
    });
    if (signal.aborted) return interrupted();
    const requested = listed._meta?.['anthropic/maxResultSizeChars'];
    const own = typeof requested === 'number' ? { maxChars: maxChars(limits, requested) } : {};
    return await boundResult(await convertResult(result, keeping), { maxTokens: limits.maxTokens, ...own }, keeping);
  } catch (error) {
    return signal.aborted ? interrupted('What the server did is not known.') : failed(reasonOf(error));
  }
}

const LONGEST_LINE = 300;

/** Shown to the user: it is the server's text. */
function progressOf(context: Pick<ToolContext, 'progress'>): (line: string) => void {
  return (line) => context.progress(escapeToLine(line.slice(0, LONGEST_LINE)));
}

/** `call` must not reject, and ends when its signal aborts. */
async function runOrMove(
  tool: string,
  context: ToolContext,
  call: (signal: AbortSignal) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { keepCalling, signal, host } = context;
  if (keepCalling === undefined) return call(signal);
  const own = newAbort();
  const follow = () => own.abort();
  if (signal.aborted) follow();
  signal.addEventListener('abort', follow, { once: true });
  const outcome = call(own.signal);
  const inTime = newAbort();
  const first = await Promise.race([outcome, host.clock.sleep(keepCalling.afterMs, inTime.signal)]);
  inTime.abort();
  if (first !== undefined || signal.aborted) return outcome;
  try {
    const { id, outputFile } = await keepCalling.keep({ tool, outcome, cancel: follow });
    // From here on, only its own end or the user ends it.
    signal.removeEventListener('abort', follow);
    return succeeded(
      `It takes longer than ${keepCalling.afterMs / 1000} s and goes on in the background as task ${id}. A notice with its result comes when it ends; don't call it again. The result will also be in ${outputFile}.`,
    );
  } catch (error) {
    follow();
    return failed(reasonOf(error));
  }
}
