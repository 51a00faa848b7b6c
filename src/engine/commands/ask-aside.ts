/**
 * Answers a question aside from the conversation (`/btw`) with a fork that has no tools, even while the main agent
 * works.
 */

import { takeCompletePoint } from '../../agents/fork/take-fork-point.js';
import { spawn } from '../../agents/start/spawn.js';
import { newAbort } from '../../host/clock.js';
import { costOf, modelData } from '../../model/models.js';
import type { CommandOf } from '../../protocol/commands.js';
import { oneLine } from '../../protocol/text/one-line.js';
import type { Engine } from '../engine.js';
import type { AskedAside } from './command-results.js';
import { explainNoFork } from './fork-by-hand.js';

/** One answer, and another try after refused calls. */
const MAX_TURNS = 3;

export async function askAside(engine: Engine, { question }: CommandOf<'ask-aside'>): Promise<AskedAside> {
  const { runtime } = engine;
  const off = explainNoFork(runtime);
  if (off !== undefined) return { ok: false, reason: off };
  if (question.trim() === '') return { ok: false, reason: 'the question is empty' };
  const parent = engine.isStarted || engine.isResumed ? await engine.opened() : undefined;
  const point = parent && takeCompletePoint(parent);
  if (parent === undefined || point === undefined) {
    return { ok: false, reason: 'the conversation is empty: send a prompt first' };
  }
  const own = newAbort();
  engine.forks.add(own);
  try {
    const spawned = await spawn(runtime, {
      parent,
      call: `aside-${runtime.host.newId()}`,
      prompt: question,
      description: oneLine(question).slice(0, 60).toWellFormed(),
      name: undefined,
      model: undefined,
      maxTurns: MAX_TURNS,
      maxUsd: undefined,
      cwd: undefined,
      isolation: undefined,
      signal: own.signal,
      background: false,
      aside: true,
      kind: { fork: point },
    });
    if (!spawned.ok) return { ok: false, reason: spawned.reason };
    const { id } = spawned.agent;
    const result = await spawned.agent.done;
    if (result?.status !== 'completed') return { ok: false, reason: result?.line ?? 'it was never started' };
    if (result.content.trim() === '') return { ok: false, reason: 'the model gave no answer' };
    const costUsd = costOf(result.usage, modelData(result.model, runtime.models));
    return { ok: true, text: result.content, agent: id, ...(costUsd === undefined ? {} : { costUsd }) };
  } finally {
    engine.forks.delete(own);
  }
}
