/**
 * What a person's prompt stands for, in one step before it is admitted, so that every client has it: `/name words` is a skill,
 * a command or a prompt of an MCP server; `@path` and `@server:uri` attach what they name (EX-3, MC-17). Loaded when a
 * prompt has either.
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
  /** Ids of what it keeps and calls are made from it. */
  readonly key: string;
  readonly signal: AbortSignal;
};

/** `reason`, for the user: nothing was sent. */
export type ExpandedPrompt = Result<{
  readonly blocks: readonly UserBlock[];
  /** What they tell, so that the same text is not said twice. */
  readonly announcements?: Announcements;
  /** What a skill in it changes for the turn begins. To be called once they are admitted. */
  readonly begin?: () => Promise<void>;
}>;

const COMMAND = /^\s*\/([A-Za-z?][^\s/]*)(?:\s+([\s\S]*))?$/;
/** Names of skills that were found below the working folder have slashes: `/apps/web:deploy`. */
const NESTED = /^\s*\/([^\s:]+:[^\s/]+)(?:\s+([\s\S]*))?$/;

export async function expandPrompt(engine: Engine, main: LiveAgent, prompt: PromptToExpand): Promise<ExpandedPrompt> {
  const { runtime } = engine;
  const { blocks, key, signal } = prompt;
  const [first, ...rest] = blocks;
  const words = first?.type === 'text' ? first.text : '';
  const command = COMMAND.exec(words) ?? NESTED.exec(words);
  const [, name = '', args = ''] = command ?? [];
  const isOfServer = name.startsWith('mcp__');
  const skill = command === null || isOfServer ? undefined : runtime.skills.find(name);
  if (command !== null && !isOfServer && skill === undefined) {
    const unknown = await whyUnknown(runtime, name);
    if (unknown !== undefined) return { ok: false, reason: escapeToLine(unknown) };
  }
  const id = key.replace(/\W+/g, '-');
  const taken = skill && (await takeUpSkill(runtime, main, { name: skill.name, args: args.trim(), id, signal }));
  if (taken?.ok === false) return taken;
  const said = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const run = { agent: main, ports: runtime.ports, signal };
  const attached = await attachFiles(run, { texts: said, folder: runtime.host.folder, id, isTyped: true });
  // Of the person's own words: what a skill says, or its shell lines printed, names nothing on their word.
  const own = taken ? { ...prompt, blocks: [text(words.trim()), ...rest] } : prompt;
  const expanded = await fromServers(engine, main, own);
  if (!expanded.ok) return expanded;
  const [typed, ...others] = expanded.blocks;
  const whole = taken && typed ? [typed, ...taken.blocks, ...others] : expanded.blocks;
  const { announcements, begin } = taken ?? {};
  const more = { ...(announcements ? { announcements } : {}), ...(begin ? { begin } : {}) };
  return { ok: true, blocks: [...whole, ...attached], ...more };
}

/** A word after a slash that is no command may be a folder: then it is a sentence about that. */
async function whyUnknown({ host, skills, settings }: Runtime, name: string): Promise<string | undefined> {
  if (!/^[\w:.-]+$/.test(name)) return undefined;
  const isPath = (await host.files.stat(`/${name}`).catch(() => undefined)) !== undefined;
  if (isPath) return undefined;
  const as = 'Nothing was sent. To send it as plain text, begin with another word.';
  if (findSlashCommand(name) !== undefined) return `/${name} is a command of the terminal, not of a prompt. ${as}`;
  const near = nearestNames(name, SLASH_COMMANDS).map((one) => `/${one}`);
  const where = settings.interactive ? 'Built in:' : 'In the terminal there is';
  const hint = near.length > 0 ? ` ${where} ${near.join(', ')}.` : '';
  return `${skills.whyNone(name)}${hint} ${as}`;
}

type SkillCall = { readonly name: string; readonly args: string; readonly id: string; readonly signal: AbortSignal };
type TakenUp = Result<{ readonly blocks: readonly UserBlock[] } & Pick<TypedSkill, 'announcements' | 'begin'>>;

/** A call of the Skill tool by the person: the same rules, hooks and records as one of a model (EX-11). */
async function takeUpSkill(runtime: Runtime, main: LiveAgent, { name, args, id, signal }: SkillCall): Promise<TakenUp> {
  const call = `typed-${id}-${runtime.host.newShortId()}`;
  const typed: TypedSkill = {};
  runtime.typedSkills.set(call, typed);
  try {
    // Also where agents don't have it: the person typed it.
    const { skillTool: tool } = runtime;
    const use = { type: 'tool_use', id: call, name: 'Skill', input: { skill: name, args } } as const;
    const run = { agent: main, ports: runtime.ports, signal };
    const { outcome, stop } = await runToolCall(run, { use, aside: true, tool });
    if (stop !== undefined) return { ok: false, reason: `a hook stopped it: ${stop}` };
    const { blocks, ...more } = typed;
    if (blocks !== undefined && outcome?.isError === false) return { ok: true, blocks, ...more };
    const said = outcome?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) ?? [];
    return { ok: false, reason: said.join('\n') || 'it was interrupted' };
  } finally {
    runtime.typedSkills.delete(call);
  }
}

/** A prompt of a server, and resources. Nothing is loaded where it names neither. */
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
    whyNot: (server) => whyNotAttached(runtime, main, server),
    signal,
  });
}

/** What a person types at a terminal is their word, unless a rule denies it; without one it may be anybody's text. */
async function whyNotAttached({ ports, settings }: Runtime, main: LiveAgent, server: string) {
  const call = {
    id: 'prompt',
    tool: 'ReadMcpResource',
    input: { server },
    actions: [{ kind: 'mcp' as const, server }],
  };
  const { decision } = await ports.gate.decide(main.requester, call);
  if (decision.behavior === 'deny') return decision.reason;
  const isTheirWord = decision.behavior === 'allow' || settings.interactive;
  return isTheirWord ? undefined : `no rule allows mcp__${server}, and nobody typed this at a terminal`;
}
