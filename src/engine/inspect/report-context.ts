/**
 * The contents of the context window in the next request, by part. The API counts a request as a whole; the parts are
 * estimated from their bytes and scaled to that count.
 */

import { describeFile } from '../../context/instructions.js';
import type { Epoch } from '../../loop/agent.js';
import { compactsAt } from '../../loop/compact/compact.js';
import { expectedInput } from '../../loop/request-facts.js';
import { estimateBlock, estimateHistory } from '../../model/models.js';
import { toolIdOf, toolNameOf } from '../../protocol/frozen-block.js';
import type { HistoryView } from '../../protocol/history.js';
import type { AgentState } from '../../session/state/agent-state.js';
import type { ContextUsed } from '../commands/command-results.js';
import type { Engine } from '../engine.js';
import { mainEpoch } from '../main-agent.js';
import { type ContextReport, type ListedTokens, type MessageTokens, sumTokens } from './reports.js';

export async function reportContext(engine: Engine): Promise<ContextUsed> {
  const { runtime, parts } = engine;
  const main = engine.isStarted && !engine.isStarting ? await engine.opened() : undefined;
  const epoch = main?.epoch ?? mainEpoch(runtime, parts.setup, { ...engine.choice, tools: engine.tools });
  const state = main?.state ?? parts.loaded?.state;
  const raw = measure(engine, state, epoch);
  const used = state === undefined || state.lastRequest.messages === 0 ? raw.whole : expectedInput({ state, epoch });
  // The same factor for all of them: the API's tokens per byte here.
  const scale = raw.whole === 0 ? 1 : used / raw.whole;
  const round = (tokens: number) => Math.round(tokens * scale);
  const scaled = <T extends { readonly tokens: number }>(list: readonly T[]) =>
    list.map((one) => ({ ...one, tokens: round(one.tokens) }));
  const { messages } = raw;
  const system = round(raw.system);
  const tools = scaled(raw.tools);
  const [instructions, agents, skills] = [scaled(raw.instructions), scaled(raw.agents), scaled(raw.skills)];
  const others =
    system + sumTokens([...tools.filter((tool) => tool.isDeclared), ...instructions, ...agents, ...skills]);
  const context: ContextReport = {
    model: epoch.model.id,
    window: epoch.model.context,
    compactsAt: Math.floor(compactsAt(epoch)),
    used,
    counted: Math.min(used, state?.lastRequest.tokens ?? 0),
    system,
    tools,
    instructions,
    agents,
    skills,
    messages: {
      total: Math.max(0, used - others),
      prompts: round(messages.prompts),
      replies: round(messages.replies),
      calls: round(messages.calls),
      results: round(messages.results),
      attachments: round(messages.attachments),
      byTool: messages.byTool.map(({ name, calls, results }) => ({
        name,
        calls: round(calls),
        results: round(results),
      })),
    },
  };
  return { ok: true, context };
}

/** By bytes. `whole` is the total of the request. */
function measure({ runtime, parts, servers }: Engine, state: AgentState | undefined, { prefix }: Epoch) {
  const declared = prefix.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    tokens: tokensOf({ name, description, inputSchema }),
  }));
  const listed = (tool: string, all: readonly Listed[]) => {
    const text = declared.find(({ name }) => name === tool)?.description;
    return text === undefined ? [] : all.flatMap((one) => listedTokens(text, one));
  };
  const agents = listed('Agent', runtime.catalog.list());
  const skills = listed(
    'Skill',
    runtime.skills.listed().map(({ skill }) => skill),
  );
  const lists: Readonly<Record<string, number>> = { Agent: sumTokens(agents), Skill: sumTokens(skills) };
  const reports = servers.reports();
  const serverOf = (name: string) => reports.find(({ tools }) => tools.includes(name))?.name;
  const tools = [
    ...declared.map(({ name, tokens }) => ({
      name,
      tokens: Math.max(0, tokens - (lists[name] ?? 0)),
      isDeclared: true,
    })),
    ...servers
      .tools()
      .filter(({ name }) => !declared.some((one) => one.name === name))
      .map(({ name, description, inputSchema }) => ({
        name,
        tokens: tokensOf({ name, description, inputSchema }),
        isDeclared: false,
      })),
  ].map((tool) => ({ ...tool, ...named(serverOf(tool.name)) }));
  const omitted = parts.setup.definition?.omitClaudeMd === true;
  const instructions = (omitted ? [] : parts.config.instructions.now.files).map((file) => ({
    path: file.path,
    tokens: bytesToTokens(Buffer.byteLength(describeFile(file))),
  }));
  const system = bytesToTokens(Buffer.byteLength(prefix.system.join('\n')));
  const history = state?.history.view();
  const said = history === undefined || history.length === 0 ? sumTokens(instructions) : estimateHistory(history);
  const inPrefix = system + sumTokens(tools.filter((tool) => tool.isDeclared)) + sumTokens(agents) + sumTokens(skills);
  const messages = measureMessages(history, sumTokens(instructions));
  return { whole: inPrefix + said, system, tools, instructions, agents, skills, messages };
}

function measureMessages(history: HistoryView | undefined, ofInstructions: number): Omit<MessageTokens, 'total'> {
  const sums = { prompts: 0, replies: 0, calls: 0, results: 0, attachments: 0 };
  const byTool = new Map<string, { name: string; calls: number; results: number }>();
  const names = new Map<string, string>();
  const toolOf = (name: string) => {
    const known = byTool.get(name) ?? { name, calls: 0, results: 0 };
    byTool.set(name, known);
    return known;
  };
  for (let index = 0; index < (history?.length ?? 0); index += 1) {
    const message = history?.at(index);
    for (const block of message?.blocks ?? []) {
      const tokens = estimateBlock(block);
      switch (block.type) {
        case 'tool_use': {
          const name = toolNameOf(block);
          names.set(toolIdOf(block) ?? '', name);
          sums.calls += tokens;
          toolOf(name).calls += tokens;
          break;
        }
        case 'tool_result':
          sums.results += tokens;
          toolOf(names.get(toolIdOf(block) ?? '') ?? 'unknown').results += tokens;
          break;
        case 'image':
        case 'document':
          sums.attachments += tokens;
          break;
        default:
          if (message?.role === 'assistant') sums.replies += tokens;
          else sums.prompts += tokens;
      }
    }
  }
  // They are part of the opening, and have their own row.
  return { ...sums, prompts: Math.max(0, sums.prompts - ofInstructions), byTool: [...byTool.values()] };
}

type Listed = {
  readonly name: string;
  readonly description: string;
  readonly source: { readonly scope: string; readonly file: string };
};

/** The part of it that is in the list: a long list has some by name only, or not at all. */
function listedTokens(text: string, { name, description, source: { scope, file } }: Listed): readonly ListedTokens[] {
  if (!text.includes(name)) return [];
  const listed = text.includes(description.trim()) ? `- ${name}: ${description.trim()}\n` : `- ${name}\n`;
  return [{ name, tokens: bytesToTokens(Buffer.byteLength(listed)), scope, file }];
}

function named(server: string | undefined): { readonly server?: string } {
  return server === undefined ? {} : { server };
}

function tokensOf(value: object): number {
  return bytesToTokens(Buffer.byteLength(JSON.stringify(value)));
}

const BYTES_PER_TOKEN = 3.5;

function bytesToTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
