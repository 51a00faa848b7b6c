/** Takes the user's prompt: admitted, saved, and answered by the main agent. */

import type { LiveAgent } from '../../agents/live-agent.js';
import { showHooks } from '../../gate/hooks/hooks.js';
import type { RunEnd } from '../../loop/run-loop.js';
import { text, type UserBlock } from '../../protocol/blocks.js';
import type { CommandOf } from '../../protocol/commands.js';
import type { Announcements } from '../../protocol/events.js';
import { callsIn, parseBlock } from '../../protocol/frozen-block.js';
import { once } from '../../protocol/once.js';
import { reminder } from '../../protocol/tags.js';
import { NO_USAGE } from '../../protocol/usage.js';
import { addedTo } from '../../session/inbox.js';
import type { Engine } from '../engine.js';
import type { ExpandedPrompt, PromptToExpand } from '../prompt/expand-prompt.js';

/** The answer of a closed session. */
export const CLOSED = 'the session is closed';

/**
 * While the agent is running, the prompt reaches it at its next safe point, and the end is that of the running work.
 */
export function prompt(engine: Engine, command: CommandOf<'prompt'>): Promise<RunEnd> {
  const { key } = command;
  if (key === undefined) return take(engine, command);
  // Sent again before it is admitted: its shell lines run once.
  const known = engine.pendingPrompts.get(key);
  if (known !== undefined) return known;
  const work = take(engine, command).finally(() => void engine.pendingPrompts.delete(key));
  engine.pendingPrompts.set(key, work);
  return work;
}

function take(engine: Engine, { content, key, attached = [], when }: CommandOf<'prompt'>): Promise<RunEnd> {
  const { driver, runtime } = engine;
  const comesBetween = driver.working !== undefined;
  return driver.guard(async () => {
    if (runtime.isClosing) return { reason: 'interrupted', text: '', turns: 0, usage: NO_USAGE, line: CLOSED };
    const blocks = nonBlank(content);
    if (blocks.length + nonBlank(attached).length === 0) {
      return { reason: 'empty_prompt', text: '', turns: 0, usage: NO_USAGE, line: EMPTY };
    }
    const signal = driver.begin();
    // On disk before anything is waited for.
    const main = await engine.opened();
    if (key !== undefined && main.state.admittedKeys.has(key) && isAnswered(main)) {
      return driver.working ?? driver.lastEnd ?? lastReply(main);
    }
    if (driver.working === undefined) await engine.refresh(main);
    const admitted = key ?? `prompt ${runtime.host.newId()}`;
    if (when === 'next' && comesBetween) driver.urgent.add(admitted);
    const missing = driver.working === undefined ? await engine.toolChanges.refusal(signal) : undefined;
    if (missing !== undefined) {
      return { reason: 'prompt_refused', text: '', turns: 0, usage: NO_USAGE, line: missing };
    }
    const expanded = await expand(engine, main, { blocks, key: admitted, signal });
    if (!expanded.ok) {
      return { reason: 'prompt_refused', text: '', turns: 0, usage: NO_USAGE, line: expanded.reason };
    }
    const initial = engine.takeInitialPrompt();
    const first = initial === undefined ? [] : [text(initial)];
    const admittedBlocks = [...first, ...expanded.blocks, ...nonBlank(attached)];
    const held = when === 'after' && driver.working !== undefined;
    if (held) driver.heldToEnd.add(admitted);
    const refusal = await admitPrompt(
      main,
      admittedBlocks,
      { key: admitted, announcements: expanded.announcements, held },
      signal,
    );
    if (refusal !== undefined) {
      return { reason: 'hook_stopped', text: '', turns: 0, usage: NO_USAGE, line: refusal };
    }
    const begin = once(async () => expanded.begin?.());
    if (held) {
      driver.heldTurns.set(admitted, begin);
      if (driver.working !== undefined) {
        // Other work may have started meanwhile.
        if (!signal.aborted) driver.heldToEnd.add(admitted);
        return driver.working;
      }
      // The run ended during the write. An interrupt leaves it held.
      if (signal.aborted) return driver.lastEnd ?? lastReply(main);
      await driver.release(main, new Set([admitted]));
    }
    // Interrupted meanwhile; it is read now.
    if (when === 'next' && comesBetween) driver.begin();
    if (driver.working !== undefined) await begin();
    // Waits for servers that are still connecting, once the prompt is saved.
    await engine.toolChanges.waitForServers(signal);
    if (driver.working === undefined) await engine.toolChanges.apply(main);
    // A model switch uses the tools as they are now.
    await begin();
    return driver.drive();
  });
}

const EMPTY = 'the prompt is empty: nothing was sent';

/** Loads nothing if the prompt names nothing. An admitted prompt is not expanded again: its shell lines have run. */
async function expand(engine: Engine, main: LiveAgent, prompt: PromptToExpand): Promise<ExpandedPrompt> {
  const { blocks, key } = prompt;
  const isPlain = !blocks.some((block) => block.type === 'text' && /^\s*\/|@\S/.test(block.text));
  if (isPlain || main.state.admittedKeys.has(key)) return { ok: true, blocks };
  const { expandPrompt } = await import('../prompt/expand-prompt.js');
  return expandPrompt(engine, main, prompt);
}

/** The API refuses blank text. */
function nonBlank(content: string | readonly UserBlock[]): UserBlock[] {
  const blocks = typeof content === 'string' ? [text(content)] : [...content];
  return blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '');
}

/** True if the model has answered everything it received. */
function isAnswered({ state, inbox }: LiveAgent): boolean {
  if (inbox.asks) return false;
  // A run may end with a call: then its result is the last message.
  if (state.runEnd?.structured !== undefined) return true;
  const last = state.history.at(state.history.length - 1);
  return last?.role === 'assistant' && callsIn([last]).length === 0;
}

/** How the work of an earlier process ended, according to the conversation. */
function lastReply({ state }: LiveAgent): RunEnd {
  const last = state.history.at(state.history.length - 1);
  const texts = (last?.blocks ?? []).map(parseBlock).flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const { reason = 'completed', line, structured } = state.runEnd ?? {};
  if (structured !== undefined) {
    const { value } = structured;
    return { reason, text: JSON.stringify(value), structured: value, turns: 0, usage: state.usage };
  }
  return { reason, text: texts.join('\n'), turns: 0, usage: state.usage, ...(line === undefined ? {} : { line }) };
}

async function admitPrompt(
  main: LiveAgent,
  prompt: readonly UserBlock[],
  {
    key,
    announcements,
    held,
  }: { readonly key: string; readonly announcements: Announcements | undefined; readonly held: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (main.state.admittedKeys.has(key)) return undefined;
  const typed = prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const verdict = await showHooks(
    { agent: main },
    await main.hooks.run('UserPromptSubmit', { prompt: typed }, { signal }),
  );
  if (verdict.decision === 'deny' || verdict.stop !== undefined) {
    return `a hook refused the prompt: ${verdict.reason ?? verdict.stop ?? 'no reason given'}`;
  }
  await main.inbox.admit({ origin: 'person', key, ...(announcements ? { announcements } : {}), held }, prompt);
  for (const [index, context] of verdict.context.entries()) {
    if (main.inbox.wasTakenBack(key)) break;
    await main.inbox.admit({ origin: 'hook', key: `${addedTo(key)}${index}`, held }, [text(reminder(context))]);
  }
  return undefined;
}
