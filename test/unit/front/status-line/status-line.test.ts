/** EX-22: when the command of a status line runs, and what stays meanwhile. */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { StatusLineRun } from '../../../../src/engine/build/status-line-command.js';
import type { Session } from '../../../../src/front/sdk/session.js';
import { StatusLineRunner } from '../../../../src/front/status-line/status-line-runner.js';
import type { AgentEvent, Listener } from '../../../../src/protocol/events.js';
import { ManualClock } from '../../../support/hosts/manual-clock.js';
import { turns } from '../../../support/until.js';

type Made = {
  readonly clock: ManualClock;
  readonly line: StatusLineRunner;
  /** What each run was given; `end` ends the oldest that is open. */
  readonly runs: { readonly input: string; readonly signal: AbortSignal }[];
  end(outcome: StatusLineRun): Promise<void>;
  readonly changes: [readonly string[], string][];
  emit(event: AgentEvent, agent?: string): Promise<void>;
};

function make(refreshMs?: number): Made {
  const clock = new ManualClock();
  const runs: Made['runs'] = [];
  const open: ((outcome: StatusLineRun) => void)[] = [];
  const changes: Made['changes'] = [];
  let listener: Listener = () => {};
  const session = {
    id: 's',
    transcript: '/t',
    cwd: '/w',
    model: 'claude-opus-5',
    outputStyle: 'default',
    models: {},
    watch: (given: Listener) => {
      listener = given;
      return () => {
        listener = () => {};
      };
    },
    statusLine: {
      padding: 0,
      ...(refreshMs === undefined ? {} : { refreshMs }),
      facts: () => ({ projectDir: '/w', addedDirs: [], effort: undefined, agent: undefined }),
      run: (input: string, _size: unknown, signal: AbortSignal) => {
        runs.push({ input, signal });
        return new Promise<StatusLineRun>((resolve) => {
          open.push(resolve);
          signal.addEventListener('abort', () => resolve({ kind: 'failed', reason: 'aborted' }));
        });
      },
    },
  } as unknown as Session;
  const line = new StatusLineRunner({
    session,
    clock,
    colours: false,
    size: () => ({ columns: 80, lines: 24 }),
    onChange: (lines, cause) => changes.push([lines, cause]),
  });
  onTestFinished(() => line.close());
  return {
    clock,
    line,
    runs,
    changes,
    end: async (outcome) => {
      open.shift()?.(outcome);
      await turns(3);
    },
    emit: async (event, agent = 'main') => {
      await listener({ agent, seq: undefined, event });
      await turns(3);
    },
  };
}

const MODE: AgentEvent = { kind: 'mode-changed', mode: 'plan' };
const printed = (text: string) => ({ kind: 'printed', text }) as const;

describe('EX-22: when it runs', () => {
  it('EX-22: at the start, then at most every 300 ms, and once more for all that came meanwhile', async () => {
    const { clock, line, runs, end, emit } = make();
    line.start();
    await turns(3);
    expect(runs).toHaveLength(1);
    await end(printed('one'));
    for (let times = 0; times < 5; times += 1) await emit(MODE);
    expect(runs).toHaveLength(1);
    await clock.advance(299);
    expect(runs).toHaveLength(1);
    await clock.advance(1);
    expect(runs).toHaveLength(2);
    await end(printed('two'));
    await clock.advance(1_000);
    expect(runs).toHaveLength(2);
    expect(line.lines).toEqual(['two']);
  });

  it('EX-22: a slow one may finish: it never runs twice at once, and the last line stays', async () => {
    const { clock, line, runs, end, emit } = make();
    line.start();
    await turns(3);
    await end(printed('one'));
    await clock.advance(300);
    await emit(MODE);
    expect(runs).toHaveLength(2);
    await clock.advance(4_000);
    await emit(MODE);
    expect(runs).toHaveLength(2);
    expect(line.lines).toEqual(['one']);
    await end(printed('slow'));
    expect(line.lines).toEqual(['slow']);
    expect(runs).toHaveLength(3);
  });

  it.each<[string, AgentEvent, boolean]>([
    ['a mode', MODE, true],
    ['a cleared conversation, with its style', { kind: 'history-cleared' }, true],
    ['the end of a child', { kind: 'agent-state-changed', state: 'completed', run: 1 }, true],
    ['a child at work', { kind: 'agent-state-changed', state: 'running', run: 1 }, false],
    ['a text that streams', { kind: 'text-streamed', index: 0, text: 'x' }, false],
    [
      'a line of the person',
      { kind: 'call-finished', call: 'c', tool: 'Bash', aside: true, isError: false, effects: true, ms: 1, blocks: [] },
      true,
    ],
    [
      'a call of the model',
      { kind: 'call-finished', call: 'c', tool: 'Bash', isError: false, effects: true, ms: 1, blocks: [] },
      false,
    ],
  ])('EX-22: for %s', async (_, event, runsAgain) => {
    const { clock, line, runs, end, emit } = make();
    line.start();
    await turns(3);
    await end(printed('one'));
    await clock.advance(1_000);
    await emit(event, 'child');
    expect(runs).toHaveLength(runsAgain ? 2 : 1);
  });

  it('EX-22: every refreshInterval, and the client knows that only time went by', async () => {
    const { clock, line, runs, changes, end } = make(2_000);
    line.start();
    await turns(3);
    await end(printed('12:00'));
    await clock.advance(2_000);
    expect(runs).toHaveLength(2);
    await end(printed('12:02'));
    await clock.advance(2_000);
    expect(runs).toHaveLength(3);
    expect(changes).toEqual([
      [['12:00'], 'event'],
      [['12:02'], 'time'],
    ]);
  });

  it('EX-22: what fails leaves the line; what prints nothing clears it; the same is no change', async () => {
    const { clock, line, changes, end, emit } = make();
    const next = async (outcome: StatusLineRun) => {
      await clock.advance(300);
      await emit(MODE);
      await end(outcome);
    };
    line.start();
    await turns(3);
    await end(printed('one\n'));
    await next({ kind: 'failed', reason: 'exit 1' });
    expect(line.lines).toEqual(['one']);
    await next(printed('one'));
    await next(printed(''));
    expect(line.lines).toEqual([]);
    expect(changes.map(([lines]) => lines)).toEqual([['one'], []]);
  });

  it('EX-22: closed, it ends the current run and runs no more', async () => {
    const { clock, line, runs, emit } = make(1_000);
    line.start();
    await turns(3);
    await line.close();
    expect(runs[0]?.signal.aborted).toBe(true);
    await emit(MODE);
    await clock.advance(10_000);
    expect(runs).toHaveLength(1);
  });
});
