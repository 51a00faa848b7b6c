/** Reports the start and end of a hook, if somebody listens. */

import type { HookEnd } from '../../../protocol/events.js';
import type { HookRun } from '../hook-answer.js';
import type { HookCause } from '../hook-ports.js';
import type { HookSetup } from '../hooks-options.js';

type Reporting = Pick<HookSetup, 'tell' | 'host'> & { readonly cause: HookCause; readonly about: string | undefined };

/** Returns a function that reports its end. */
export function reportHook(
  { tell, host, cause, about }: Reporting,
  event: string,
): ((run: HookRun) => void) | undefined {
  if (tell === undefined) return undefined;
  const hook = { run: host.newId(), event, name: about === undefined ? event : `${event}:${about}` };
  tell(cause.agent, { kind: 'hook-began', ...hook });
  return (run) => tell(cause.agent, { kind: 'hook-finished', ...hook, ...endOf(run) });
}

function endOf(run: HookRun): HookEnd {
  switch (run.kind) {
    case 'exited': {
      const { code, stdout, stderr } = run;
      return { outcome: code === 0 ? 'success' : 'error', stdout, stderr, exitCode: code };
    }
    case 'answered':
      return { outcome: 'success', stdout: run.answer === undefined ? '' : JSON.stringify(run.answer), stderr: '' };
    case 'judged':
      return { outcome: 'success', stdout: JSON.stringify({ ok: run.ok, reason: run.reason }), stderr: '' };
    case 'aborted':
      return { outcome: 'cancelled', stdout: '', stderr: '' };
    case 'timed out':
      return { outcome: 'cancelled', stdout: '', stderr: `it took longer than ${run.seconds} s` };
    case 'killed':
      return { outcome: 'error', stdout: '', stderr: run.stderr };
    case 'failed':
    case 'not started':
    case 'threw':
      return { outcome: 'error', stdout: '', stderr: run.reason };
    default:
      return run satisfies never;
  }
}
