/** Runs the calls of one reply. Neighbouring concurrent calls run together, any other runs alone; results keep their order. */

import { findTool } from '../tools/registry.js';
import type { Call, Run } from './run.js';
import { runToolCall } from './run-tool-call.js';

const MAX_TOGETHER = 10;

/** All results are recorded when it returns. Returns a reason to end the run, if a hook or the person gave one. */
export async function runCalls(run: Run, calls: readonly Call[]): Promise<string | undefined> {
  let stop: string | undefined;
  for (const group of groupCalls(run, calls)) {
    for (const end of await runGroup(run, group)) stop ??= end.stop;
  }
  return stop;
}

function groupCalls(run: Run, calls: readonly Call[]): Call[][] {
  const groups: Call[][] = [];
  let together: Call[] | undefined;
  for (const call of calls) {
    if (!findTool(run.agent.epoch.tools, call.use.name)?.concurrent) {
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

/** At most ten at a time. Calls that start a child only wait, so they don't count. */
async function runGroup(run: Run, group: readonly Call[]) {
  const waiting: (() => void)[] = [];
  let working = 0;
  const enter = async () => {
    if (working >= MAX_TOGETHER) await new Promise<void>((resolve) => waiting.push(resolve));
    working += 1;
  };
  const leave = () => {
    working -= 1;
    waiting.shift()?.();
  };
  const ends = await Promise.allSettled(
    group.map(async (call) => {
      if (findTool(run.agent.epoch.tools, call.use.name)?.startsChild) return runToolCall(run, call);
      await enter();
      try {
        return await runToolCall(run, call);
      } finally {
        leave();
      }
    }),
  );
  // A result that can't be saved ends the run, but not before its neighbours have ended: nothing goes on behind its back.
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}
