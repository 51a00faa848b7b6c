/** The description of the Agent tool. Fixed when the session begins; later changes are told by reminders. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';

export type AgentToolText = {
  readonly definitions: readonly AgentDefinition[];
  readonly fork: boolean;
  readonly background: boolean;
};

export function describeAgentTool({ definitions, fork, background }: AgentToolText): string {
  return [
    `Hands a task to a child: an agent that works on its own and returns one message, its conclusion. Its changes to files stay.`,
    `Kinds of agents (subagent_type):\n${definitions.map(describeDefinition).join('\n')}`,
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
}

function describeDefinition({ name, description, tools }: AgentDefinition): string {
  const list = tools === 'all' ? 'all tools' : tools.join(', ') || 'no tools';
  return `- ${name}: ${description.replace(SPACES, ' ').trim().slice(0, MAX_DESCRIPTION)} (tools: ${list})`;
}

/** Every run of them but a single space, which is most of them. */
const SPACES = /[^\S ]\s*| \s+/g;

const MAX_DESCRIPTION = 1_500;

const FORK_TEXT = `With fork: true the child starts with this whole conversation, on this model and with these tools, and costs little more than its own work. Use it when the task needs what was said here: continuing a refactor across files, say, or trying two ways of going on. Its prompt is a directive: say what to do and what to report, not the background. A fork can't start agents itself.`;

const WORKTREE_TEXT = `With isolation: "worktree" the child works in a git checkout of its own, on a branch of its own: use it for children that change files at the same time as others, or for changes you may not want to keep. Its edits don't reach your files by themselves; its result names the path and the branch, and if it changed nothing, the worktree is removed.`;

const BACKGROUND_TEXT = `With run_in_background: true the call returns at once and the child goes on by itself; a notice with its result reaches you when it ends. Don't poll for it. Without it the call waits.`;
