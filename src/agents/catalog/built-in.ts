/** The built-in agents. A file of the same name replaces one. */

import { type AgentDefinition, DEFAULT_MAX_TURNS } from '../../config/definitions/agent-definition.js';
import { HOOK_AGENT_TYPE } from '../../protocol/agent-spawned.js';
import * as texts from './built-in.text.js';

const READING = ['Read', 'Grep', 'Glob'];

export const BUILT_IN_DEFINITIONS: readonly AgentDefinition[] = [
  builtIn({
    name: 'general-purpose',
    description:
      'Any task of several steps that needs its own context: research, changes across files, running things.',
    prompt: texts.GENERAL_PURPOSE,
  }),
  builtIn({
    name: 'Explore',
    description:
      'Quick, read-only search through the code: where something is, how it works, what uses it. Say how thorough it should be. Not for judging or changing code.',
    prompt: texts.EXPLORE,
    model: 'haiku',
    tools: [...READING, 'Bash'],
    oneShot: true,
  }),
  builtIn({
    name: 'Plan',
    description: 'Works out how to implement something, read-only: steps, files to touch, risks, and what to decide.',
    prompt: texts.PLAN,
    tools: [...READING, 'Bash'],
    oneShot: true,
  }),
  builtIn({
    name: 'statusline-setup',
    description: "Sets up or changes the person's status line.",
    prompt: texts.STATUSLINE_SETUP,
    tools: ['Read', 'Edit'],
  }),
  builtIn({
    name: 'guide',
    description:
      'Answers questions about Coppice itself: settings, agents, hooks, memory, the library, from its own docs.',
    prompt: texts.GUIDE,
    tools: READING,
  }),
  builtIn({
    name: 'verification',
    description:
      'Checks finished work with fresh eyes: runs the checks, tries to break it, reports pass, fail or partial with evidence. Changes nothing.',
    prompt: texts.VERIFICATION,
    tools: [...READING, 'Bash'],
  }),
];

/** Decides for a hook (EX-23). Not in any catalog: only a hook starts it. */
export const HOOK_AGENT: AgentDefinition = builtIn({
  name: HOOK_AGENT_TYPE,
  description: 'Decides for a hook.',
  prompt: texts.HOOK,
  model: 'haiku',
  tools: READING,
  permissionMode: 'dontAsk',
  maxTurns: 50,
  oneShot: true,
  omitClaudeMd: true,
});

/** Names that users know from elsewhere. */
export const TYPE_ALIASES: Readonly<Record<string, string>> = { 'claude-code-guide': 'guide' };

/** In these, Bash runs only commands proven to be read-only; a list of tools alone would not be enough. */
const READ_ONLY_TYPES = new Set(['Explore', 'Plan', HOOK_AGENT_TYPE]);

export function isReadOnlyType(definition: AgentDefinition): boolean {
  return definition.source.scope === 'built-in' && READ_ONLY_TYPES.has(definition.name);
}

type Given = Pick<AgentDefinition, 'name' | 'description' | 'prompt'> & Partial<AgentDefinition>;

function builtIn(given: Given): AgentDefinition {
  return {
    tools: 'all',
    disallowedTools: [],
    model: 'inherit',
    maxTurns: DEFAULT_MAX_TURNS,
    skills: [],
    requiredMcpServers: [],
    background: false,
    omitClaudeMd: false,
    oneShot: false,
    source: { scope: 'built-in', file: 'built-in', trusted: true },
    ...given,
  };
}
