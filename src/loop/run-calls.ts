/**
 * Runs the calls of one reply. Adjacent concurrent calls run in parallel, any other runs alone; results keep their
 * order.
 */

import { newAbort } from '../host/clock.js';
import type { Tool } from '../tools/tool.js';
import { resolveTool } from './parse-call.js';
import type { Call, Run } from './run.js';
import { type CallEnd, runToolCall } from './run-tool-call.js';

const MAX_TOGETHER = 10;

export type CallsEnd = Omit<CallEnd, 'outcome'> & {
  /** Unsuccessful calls of a tool that concludes the run. */
  readonly missed: readonly NonNullable<CallEnd['outcome']>[];
};

/** Runs the calls and records all results. Returns whether the run ends with them: see `CallEnd`. */
export async function runCalls(run: Run, calls: readonly Call[]): Promise<CallsEnd> {
  const ends: CallEnd[] = [];
  for (const group of groupCalls(run, calls)) ends.push(...(await runGroup(run, group)));
  const stop = ends.find((end) => end.stop !== undefined)?.stop;
  const { conclusion, structured } = ends.findLast((end) => end.conclusion !== undefined) ?? {};
  return {
    ...(stop === undefined ? {} : { stop }),
    ...(conclusion === undefined ? {} : { conclusion }),
    ...(structured === undefined ? {} : { structured }),
    missed: ends.flatMap(({ outcome, structured: given }, index) => {
      const call = calls[index];
      const isMissed = call !== undefined && given === undefined && toolOf(run, call)?.concludes === true;
      return isMissed && outcome !== undefined ? [outcome] : [];
    }),
  };
}

function groupCalls(run: Run, calls: readonly Call[]): Call[][] {
  const groups: Call[][] = [];
  let together: Call[] | undefined;
  for (const call of calls) {
    if (toolOf(run, call)?.concurrent !== true) {
      groups.push([call]);
      together = undefined;
    } else if (together === undefined) {
      together = [call];
      groups.push(together);
    } else {
      together.push(call);
    }
  }
  return groups;
}

function toolOf({ agent }: Run, { use }: Call): Tool | undefined {
  const resolved = resolveTool(agent.epoch.tools, use);
  return resolved?.ok ? resolved.tool : undefined;
}

/**
 * Runs at most ten at a time. Calls that start a child only wait, so they are exempt. If something can't be saved, the
 * run ends: the other calls are then aborted and awaited, so that none outlives the run.
 */
async function runGroup(run: Run, group: readonly Call[]): Promise<readonly CallEnd[]> {
  const own = newAbort();
  const stop = () => own.abort();
  run.signal.addEventListener('abort', stop, { once: true });
  if (run.signal.aborted) stop();
  const together = { ...run, signal: own.signal };
  const door = openDoor();
  let isBroken = false;
  const ends = await Promise.allSettled(
    group.map(async (call) => {
      const waits = toolOf(run, call)?.startsChild === true;
      if (!waits) await door.enter();
      try {
        return isBroken ? {} : await runToolCall(together, call);
      } catch (error) {
        isBroken = true;
        stop();
        throw error;
      } finally {
        if (!waits) door.leave();
      }
    }),
  );
  run.signal.removeEventListener('abort', stop);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}

function openDoor() {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    enter: async (): Promise<void> => {
      if (inside >= MAX_TOGETHER) await new Promise<void>((resolve) => waiting.push(resolve));
      inside += 1;
    },
    leave: (): void => {
      inside -= 1;
      waiting.shift()?.();
    },
  };
}
