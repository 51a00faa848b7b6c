/**
 * The tools of a session: built-in ones, those for agents, skills and questions to the user, and the embedder's own.
 */

import type { Catalog } from '../../agents/catalog/catalog.js';
import { chooseTools, withoutTools } from '../../agents/catalog/tool-pool.js';
import type { AgentSettings, Runtime } from '../../agents/runtime.js';
import { createSearchListing } from '../../agents/skills/search-listing.js';
import { createSkillTool, describeSkillTool } from '../../agents/skills/skill-tool.js';
import { createAgentTool } from '../../agents/tools/agent-tool.js';
import { describeAgentTool } from '../../agents/tools/agent-tool.text.js';
import { createSendMessageTool } from '../../agents/tools/send-message-tool.js';
import { createTaskTools } from '../../agents/tools/task-tools.js';
import type { ModelProvider } from '../../model/provider.js';
import { once } from '../../protocol/once.js';
import { factsOf } from '../../protocol/tools/built-in-tools.js';
import { type AskUser, createAskUserQuestionTool } from '../../tools/ask/ask-user-question.js';
import { type BashVariant, createBashTool } from '../../tools/bash/bash.js';
import { nearestNames } from '../../tools/nearest-names.js';
import { BUILT_IN_TOOLS } from '../../tools/registry.js';
import type { Tool } from '../../tools/tool.js';
import type { SearchWeb } from '../../tools/web/search-port.js';
import { createWebSearchTool } from '../../tools/web/web-search.js';
import { createExitPlanModeTool } from '../plan/exit-plan-mode.js';
import type { PlanMode } from '../plan/plan-mode.js';
import type { SkillListing } from '../skills/model-listings.js';

export type ToolsOptions = Pick<BashVariant, 'sandbox' | 'confines'> & {
  readonly settings: AgentSettings;
  readonly catalog: Catalog;
  /** The size of the agent listing, in characters. */
  readonly agentListing: number;
  readonly skills: SkillListing;
  readonly plans: PlanMode;
  readonly more: readonly Tool[];
  /** Deny rules of the command line: a tool that one names is not offered to a model. */
  readonly denied: readonly string[];
  /** Shows a warning to the user. */
  warn(line: string): void;
};

export type BuiltTools = {
  readonly tools: readonly Tool[];
  /** For a `/name` that the user types, even if no agent has it. */
  readonly skillTool: Tool;
  /** The reason why the session can't have the requested tools. */
  readonly refusal: string | undefined;
};

export function buildTools(runtime: () => Runtime, options: ToolsOptions): BuiltTools {
  const { settings, catalog, agentListing, sandbox, confines, plans, skills, more } = options;
  const { forkAvailable, backgroundAvailable } = settings;
  const agents = describeAgentTool({
    definitions: catalog.list(),
    fork: forkAvailable,
    background: backgroundAvailable,
    most: agentListing,
  });
  if (agents.cut > 0) options.warn(describeCut(agents.cut, 'agents', 'agentListingBudgetFraction'));
  if (skills.cut > 0) options.warn(describeCut(skills.cut, 'skills', 'skillListingBudgetFraction'));
  const bash = createBashTool({ background: backgroundAvailable, sandbox, confines }) as Tool;
  const skillTool = createSkillTool(runtime, describeSkillTool(skills.lines, skills.cut)) as Tool;
  const all = [
    ...BUILT_IN_TOOLS.map((tool) => (tool.name === bash.name ? bash : tool)),
    createAgentTool(runtime, settings, agents.description) as Tool,
    createSendMessageTool(runtime, { backgroundAvailable }) as Tool,
    ...createTaskTools(runtime),
    skillTool,
    createAskUserQuestionTool(createAskUser(runtime)) as Tool,
    createExitPlanModeTool(plans) as Tool,
    createWebSearchTool((question, signal) => runtime().webSearch(question, signal)) as Tool,
  ];
  const { tools: chosen, refusal } = chooseBuiltIn(all, more, settings.builtInTools);
  const tools = withoutTools(chosen, options.denied);
  const isListed = (agents.cut > 0 && has(tools, 'Agent')) || (skills.cut > 0 && has(tools, 'Skill'));
  const search = isListed ? [createSearchListing(() => listedIn(runtime())) as Tool] : [];
  return { tools: [...tools, ...search, ...more], skillTool, refusal };
}

function has(tools: readonly Tool[], name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

/** Only the requested ones. Tools of servers and of the embedder stay, so their names may be in the list. */
function chooseBuiltIn(
  all: readonly Tool[],
  more: readonly Tool[],
  names: readonly string[] | undefined,
): Pick<BuiltTools, 'tools' | 'refusal'> {
  if (names === undefined) return { tools: all, refusal: undefined };
  const asked = names.filter((name) => !name.startsWith('mcp__') && name !== 'StructuredOutput' && !has(more, name));
  const { tools, unknown } = chooseTools(all, asked);
  const wrong = [...unknown, ...asked.filter((name) => name.includes('('))];
  return { tools, refusal: wrong.length === 0 ? undefined : describeUnknown(wrong, all) };
}

function describeUnknown(unknown: readonly string[], all: readonly Tool[]): string {
  const hints = unknown.map((name) => {
    if (name.includes('(')) return `"${name}" is a rule, not a tool name (use --allowedTools for rules)`;
    const known = all.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])]);
    const near = nearestNames(name, known);
    return near.length > 0 ? `"${name}" (nearest: ${near.join(', ')})` : `"${name}"`;
  });
  const names = all.map((tool) => tool.name).join(', ');
  return `unknown built-in tool in --tools: ${hints.join('; ')}. Available: ${names}`;
}

/** Explains why some of them are rarely used. */
function describeCut(cut: number, what: string, setting: string): string {
  return `${cut} ${what} are listed for the model by name only, because their descriptions exceed the listing budget; it can search for them. Raise ${setting} to list more.`;
}

function listedIn({ catalog, skills }: Runtime) {
  return [
    ...catalog.list().map(({ name, description }) => ({ kind: 'agent' as const, name, description })),
    ...skills
      .list()
      .filter((skill) => skill.modelInvocable)
      .map(({ name, description }) => ({ kind: 'skill' as const, name, description })),
  ];
}

/** A coordinator delegates everything and reads the results. */
export function mainTools({ tools, settings }: Pick<Runtime, 'tools' | 'settings'>): readonly Tool[] {
  return settings.coordinator ? tools.filter((tool) => factsOf(tool.name).coordinates) : tools;
}

/** New tools come last; a tool with a known name replaces the old one. */
export function withTools(tools: readonly Tool[], more: readonly Tool[]): readonly Tool[] {
  const byName = new Map(more.map((tool) => [tool.name, tool]));
  const replaced = tools.map((tool) => byName.get(tool.name) ?? tool);
  const known = new Set(tools.map((tool) => tool.name));
  return [...replaced, ...[...byName.values()].filter((tool) => !known.has(tool.name))];
}

/** The web search of a session, loaded with the first search. */
export function lazyProviderSearch(provider: ModelProvider, runtime: () => Runtime): SearchWeb {
  // Once: it counts the searches of the session.
  const load = once(async () => (await import('./provider-search.js')).createProviderSearch(provider, runtime()));
  return async (question, signal) => (await load())(question, signal);
}

/** Puts the model's questions to the user, on behalf of the agent that asks. */
function createAskUser(runtime: () => Runtime): AskUser {
  return async (request, agentId, signal) => {
    const { agents, ports } = runtime();
    const agent = agents.get(agentId);
    return agent === undefined ? { kind: 'nobody' } : ports.gate.askQuestions(request, agent.requester, signal);
  };
}
