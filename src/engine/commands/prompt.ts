/** What the person says: admitted, kept, and answered by the main agent. */

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

/** What a session says that was left. */
export const CLOSED = 'the session is closed';

/** While the agent works already, the words reach it at its next safe point, and the end is that of the work under way. */
export function prompt(engine: Engine, command: CommandOf<'prompt'>): Promise<RunEnd> {
  const { key } = command;
  if (key === undefined) return take(engine, command);
  // Given again before it is admitted: its shell lines run once.
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
    const blocks = sayable(content);
    if (blocks.length + sayable(attached).length === 0) {
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
    const missing = driver.working === undefined ? await engine.toolChanges.whyNot(signal) : undefined;
    if (missing !== undefined) {
      return { reason: 'prompt_refused', text: '', turns: 0, usage: NO_USAGE, line: missing };
    }
    const expanded = await expand(engine, main, { blocks, key: admitted, signal });
    if (!expanded.ok) {
      return { reason: 'prompt_refused', text: '', turns: 0, usage: NO_USAGE, line: expanded.reason };
    }
    const initial = engine.takeInitialPrompt();
    const first = initial === undefined ? [] : [text(initial)];
    const said = [...first, ...expanded.blocks, ...sayable(attached)];
    const held = when === 'after' && driver.working !== undefined;
    if (held) driver.heldToEnd.add(admitted);
    const refusal = await admitPrompt(
      main,
      said,
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
        // Another work may have begun meanwhile.
        if (!signal.aborted) driver.heldToEnd.add(admitted);
        return driver.working;
      }
      // The run ended while it was written. An interrupt leaves it held.
      if (signal.aborted) return driver.lastEnd ?? lastReply(main);
      await driver.release(main, new Set([admitted]));
    }
    // Interrupted meanwhile, it is to be read now.
    if (when === 'next' && comesBetween) driver.begin();
    if (driver.working !== undefined) await begin();
    // Those that still connect are waited for once the person's words are kept.
    await engine.toolChanges.waitForServers(signal);
    if (driver.working === undefined) await engine.toolChanges.takeUp(main);
    // Another model is for the tools as they are now.
    await begin();
    return driver.drive();
  });
}

const EMPTY = 'the prompt is empty: nothing was sent';

/** Nothing is loaded where it names nothing. What was admitted is not expanded again: its shell lines have run. */
async function expand(engine: Engine, main: LiveAgent, prompt: PromptToExpand): Promise<ExpandedPrompt> {
  const { blocks, key } = prompt;
  const isPlain = !blocks.some((block) => block.type === 'text' && /^\s*\/|@\S/.test(block.text));
  if (isPlain || main.state.admittedKeys.has(key)) return { ok: true, blocks };
  const { expandPrompt } = await import('../prompt/expand-prompt.js');
  return expandPrompt(engine, main, prompt);
}

/** The API takes no text that is blank. */
function sayable(content: string | readonly UserBlock[]): UserBlock[] {
  const blocks = typeof content === 'string' ? [text(content)] : [...content];
  return blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '');
}

/** Nothing was said to the model that it has not answered. */
function isAnswered({ state, inbox }: LiveAgent): boolean {
  if (inbox.asks) return false;
  // A run may end with a call: then its result is the last message.
  if (state.runEnd?.structured !== undefined) return true;
  const last = state.history.at(state.history.length - 1);
  return last?.role === 'assistant' && callsIn([last]).length === 0;
}

/** How the work of an earlier process ended, as far as the conversation says. */
function lastReply({ state }: LiveAgent): RunEnd {
  const last = state.history.at(state.history.length - 1);
  const words = (last?.blocks ?? []).map(parseBlock).flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const { reason = 'completed', line, structured } = state.runEnd ?? {};
  if (structured !== undefined) {
    const { value } = structured;
    return { reason, text: JSON.stringify(value), structured: value, turns: 0, usage: state.usage };
  }
  return { reason, text: words.join('\n'), turns: 0, usage: state.usage, ...(line === undefined ? {} : { line }) };
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
  const words = prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const verdict = await showHooks(
    { agent: main },
    await main.hooks.run('UserPromptSubmit', { prompt: words }, { signal }),
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
