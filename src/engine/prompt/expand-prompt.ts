/**
 * Expands a prompt in one step before it is admitted, so that every client has it: `/name args` is a skill, a command
 * or a prompt of an MCP server; `@path` and `@server:uri` attach what they name (EX-3, MC-17). Loaded when a prompt has
 * either.
 */

import type { LiveAgent } from '../../agents/live-agent.js';
import { attachFiles } from '../../agents/prompt/attach-files.js';
import type { Runtime } from '../../agents/runtime.js';
import type { TypedSkill } from '../../agents/skills/session-skills.js';
import { runToolCall } from '../../loop/run-tool-call.js';
import { text, type UserBlock } from '../../protocol/blocks.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import type { Announcements } from '../../protocol/events.js';
import type { Result } from '../../protocol/result.js';
import { findSlashCommand, SLASH_COMMANDS } from '../../protocol/slash-commands.js';
import { nearestNames } from '../../tools/nearest-names.js';
import type { Engine } from '../engine.js';

export type PromptToExpand = {
  readonly blocks: readonly UserBlock[];
  /** Ids of its files and calls are made from it. */
  readonly key: string;
  readonly signal: AbortSignal;
};

/** `reason`, for the user: nothing was sent. */
export type ExpandedPrompt = Result<{
  readonly blocks: readonly UserBlock[];
  /** Their announcements, so that the same text is not sent twice. */
  readonly announcements?: Announcements;
  /** Starts what a skill changes for the turn. Call it once they are admitted. */
  readonly begin?: () => Promise<void>;
}>;

const COMMAND = /^\s*\/([A-Za-z?][^\s/]*)(?:\s+([\s\S]*))?$/;
/** Names of skills below the working folder have slashes: `/apps/web:deploy`. */
const NESTED = /^\s*\/([^\s:]+:[^\s/]+)(?:\s+([\s\S]*))?$/;

export async function expandPrompt(engine: Engine, main: LiveAgent, prompt: PromptToExpand): Promise<ExpandedPrompt> {
  const { runtime } = engine;
  const { blocks, key, signal } = prompt;
  const [first, ...rest] = blocks;
  const typedText = first?.type === 'text' ? first.text : '';
  const command = COMMAND.exec(typedText) ?? NESTED.exec(typedText);
  const [, name = '', args = ''] = command ?? [];
  const isOfServer = name.startsWith('mcp__');
  const skill = command === null || isOfServer ? undefined : runtime.skills.find(name);
  if (command !== null && !isOfServer && skill === undefined) {
    const unknown = await explainUnknown(runtime, name);
    if (unknown !== undefined) return { ok: false, reason: escapeToLine(unknown) };
  }
  const id = key.replace(/\W+/g, '-');
  const taken = skill && (await runSkill(runtime, main, { name: skill.name, args: args.trim(), id, signal }));
  if (taken?.ok === false) return taken;
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const run = { agent: main, ports: runtime.ports, signal };
  const attached = await attachFiles(run, { texts, folder: runtime.host.folder, id, isTyped: true });
  // Only your own text: what a skill or its shell lines print attaches nothing.
  const own = taken ? { ...prompt, blocks: [text(typedText.trim()), ...rest] } : prompt;
  const expanded = await fromServers(engine, main, own);
  if (!expanded.ok) return expanded;
  const [typed, ...others] = expanded.blocks;
  const whole = taken && typed ? [typed, ...taken.blocks, ...others] : expanded.blocks;
  const { announcements, begin } = taken ?? {};
  const more = { ...(announcements ? { announcements } : {}), ...(begin ? { begin } : {}) };
  return { ok: true, blocks: [...whole, ...attached], ...more };
}

/** A word after a slash that is not a command may be a folder: then the prompt is a sentence about it. */
async function explainUnknown({ host, skills }: Runtime, name: string): Promise<string | undefined> {
  if (!/^[\w:.-]+$/.test(name)) return undefined;
  const isPath = (await host.files.stat(`/${name}`).catch(() => undefined)) !== undefined;
  if (isPath) return undefined;
  if (findSlashCommand(name) !== undefined) return `/${name} is available only in the terminal.`;
  const refusal = skills.refusal(name);
  if (refusal !== undefined) return refusal;
  const near = nearestNames(name, [...skills.list().map((skill) => skill.name), ...SLASH_COMMANDS]);
  const hint = near.length > 0 ? `Did you mean ${near.map((one) => `/${one}`).join(' or ')}?` : AS_TEXT;
  return `Unknown command /${name}. ${hint}`;
}

const AS_TEXT = 'To send it as text, start with another word.';

type SkillCall = { readonly name: string; readonly args: string; readonly id: string; readonly signal: AbortSignal };
type SkillRun = Result<{ readonly blocks: readonly UserBlock[] } & Pick<TypedSkill, 'announcements' | 'begin'>>;

/** A call of the Skill tool by you: the same rules, hooks and records as one of a model (EX-11). */
async function runSkill(runtime: Runtime, main: LiveAgent, { name, args, id, signal }: SkillCall): Promise<SkillRun> {
  const call = `typed-${id}-${runtime.host.newShortId()}`;
  const typed: TypedSkill = {};
  runtime.typedSkills.set(call, typed);
  try {
    // Also if agents don't have it: you typed it.
    const { skillTool: tool } = runtime;
    const use = { type: 'tool_use', id: call, name: 'Skill', input: { skill: name, args } } as const;
    const run = { agent: main, ports: runtime.ports, signal };
    const { outcome, stop } = await runToolCall(run, { use, aside: true, tool });
    if (stop !== undefined) return { ok: false, reason: `a hook stopped it: ${stop}` };
    const { blocks, ...more } = typed;
    if (blocks !== undefined && outcome?.isError === false) return { ok: true, blocks, ...more };
    const output = outcome?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) ?? [];
    return { ok: false, reason: output.join('\n') || 'interrupted' };
  } finally {
    runtime.typedSkills.delete(call);
  }
}

/** A prompt of a server, and resources. Loads nothing if it names neither. */
async function fromServers(
  { runtime, servers }: Engine,
  main: LiveAgent,
  prompt: PromptToExpand,
): Promise<ExpandedPrompt> {
  const { blocks, key, signal } = prompt;
  const isPlain = !blocks.some((block) => block.type === 'text' && /^\s*\/mcp__|@[^\s:]+:/.test(block.text));
  if (isPlain) return { ok: true, blocks };
  await runtime.mcp.loaded();
  if (servers.reports().length === 0) return { ok: true, blocks };
  const { expandFromServers } = await import('./server-prompts.js');
  return expandFromServers(blocks, {
    access: servers,
    limits: servers.limits(),
    id: key.replace(/\W+/g, '-'),
    keepOutput: runtime.ports.saveOutput,
    refuse: (server) => refuseResource(runtime, main, server),
    signal,
  });
}

/** Typing at a terminal is permission, unless a rule denies it; elsewhere the text may be anybody's. */
async function refuseResource({ ports, settings }: Runtime, main: LiveAgent, server: string) {
  const call = {
    id: 'prompt',
    tool: 'ReadMcpResource',
    input: { server },
    actions: [{ kind: 'mcp' as const, server }],
  };
  const { decision } = await ports.gate.decide(main.requester, call);
  if (decision.behavior === 'deny') return decision.reason;
  const isAllowed = decision.behavior === 'allow' || settings.interactive;
  return isAllowed ? undefined : `no rule allows mcp__${server}, and nobody typed this at a terminal`;
}
