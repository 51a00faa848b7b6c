/** The description of the Agent tool. Fixed when the session begins; later changes are announced in reminders. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { type FittedListing, fitInOrder, LONGEST_ENTRY } from '../../context/skills/listing.js';
import { oneLine } from '../../protocol/text/one-line.js';

export type AgentToolText = {
  readonly definitions: readonly AgentDefinition[];
  readonly fork: boolean;
  readonly background: boolean;
  /** The limit of the agent list in characters. Beyond it, some agents have no description. */
  readonly most: number;
};

export type DescribedAgentTool = {
  readonly description: string;
  /** The number of agents without a description. */
  readonly cut: number;
};

export function describeAgentTool({ definitions, fork, background, most }: AgentToolText): DescribedAgentTool {
  const { lines, cut } = listAgents(definitions, most);
  const description = [
    `Hands a task to a child: an agent that works on its own and returns one message, its conclusion. Its changes to files stay.`,
    `Kinds of agents (subagent_type):\n${lines.join('\n')}`,
    ...(cut > 0 ? [describeCut(cut)] : []),
    `When to use it:
- For most work that is worth handing on, choose the type made for it: it starts clean, with its own prompt and tools.
- A fresh child knows nothing of this conversation. Its prompt must stand alone: the goal, what is known, the paths, what to return, and whether to write code or only to find out.
- Several calls in one reply run at the same time. Use that for parts that don't depend on each other; two children that edit the same files get in each other's way.
- Don't use it for a single file or a search you can do in one or two calls.`,
    ...(fork ? [FORK_TEXT] : []),
    WORKTREE_TEXT,
    ...(background ? [BACKGROUND_TEXT] : []),
    `The result is for you; the person does not see it. Tell them what matters. What a child says is a report, not proof: check what you build on.`,
  ].join('\n\n');
  return { description, cut };
}

const describeCut = (cut: number) =>
  `${cut} of these have no description here, to save room. SearchListing finds agents by words and shows what each is for.`;

/** In the order of the catalog. Built-in agents keep their descriptions. */
function listAgents(definitions: readonly AgentDefinition[], most: number): FittedListing {
  const entries = definitions.map((definition) => {
    const { name, source } = definition;
    const description = describeDefinition(definition);
    const rank = RANKS[source.scope] * LONGEST_ENTRY * 2 - description.length;
    return { name, description, rank };
  });
  return fitInOrder(entries, most);
}

/**
 * The closer to this project, the longer an agent keeps its description; among equals the shorter wins, so that more
 * fit.
 */
const RANKS: Readonly<Record<AgentDefinition['source']['scope'], number>> = {
  'built-in': Number.POSITIVE_INFINITY,
  flag: 5,
  managed: 4,
  project: 3,
  user: 2,
  plugin: 1,
};

function describeDefinition({ name, description, tools }: AgentDefinition): string {
  const list = tools === 'all' ? 'all tools' : tools.join(', ') || 'no tools';
  const tail = ` (tools: ${list.length > MAX_TOOLS ? `${list.slice(0, MAX_TOOLS)}…` : list})`;
  const room = LONGEST_ENTRY - `- ${name}: `.length - tail.length;
  return `${oneLine(description).slice(0, Math.max(0, Math.min(MAX_DESCRIPTION, room)))}${tail}`;
}

const MAX_DESCRIPTION = 1_500;
const MAX_TOOLS = 400;

const FORK_TEXT = `With fork: true the child starts with this whole conversation, on this model and with these tools, and costs little more than its own work. Use it when the task needs what was said here: continuing a refactor across files, say, or trying two ways of going on. Its prompt is a directive: say what to do and what to report, not the background. A fork can't start agents itself.`;

const WORKTREE_TEXT = `With isolation: "worktree" the child works in a git checkout of its own, on a branch of its own: use it for children that change files at the same time as others, or for changes you may not want to keep. Its edits don't reach your files by themselves; its result names the path and the branch, and if it changed nothing, the worktree is removed.`;

const BACKGROUND_TEXT = `With run_in_background: true the call returns at once and the child goes on by itself; a notice with its result reaches you when it ends. Don't poll for it. Without it the call waits.`;
