/** A record that can't be saved, at each position: nothing has changed, nothing after it happens, the next run goes on. */

import { describe, expect, it } from 'vitest';
import { decode } from '../../../src/protocol/frozen-block.js';
import type { HistoryView } from '../../../src/protocol/history.js';
import { type AgentState, createState } from '../../../src/session/state/agent-state.js';
import { reduce } from '../../../src/session/state/reduce.js';
import { TranscriptError } from '../../../src/session/transcript/append-port.js';
import { call, LoopStage, meanwhile, reply, SONNET, used } from './loop-stage.js';
import type { Answer } from './scripted-model.js';
import { changeTool, lookTool, Moment } from './small-tools.js';

/** Calls that read and change, words meanwhile, a fault, another mode and model, a compaction, a hook that goes on. */
function busyStage(): LoopStage {
  const fault = { kind: 'server-error', message: 'oops' } as const;
  const full = { ...reply({ type: 'retry', fault }, call('c', 'Change'), call('d')), usage: used(2_700, 100) };
  const words = meanwhile(() => stage.admit('meanwhile').catch(() => {}));
  const switches = meanwhile(() => {
    stage.agent.switches.push({ kind: 'mode', mode: 'acceptEdits' });
    stage.agent.switches.push({ kind: 'epoch', next: ({ tools }) => stage.epoch(SONNET, tools, 4_000) });
  });
  const answers: Answer[] = [
    reply({ type: 'thinking', thinking: 'hm', signature: 's' }, switches, call('a'), words, call('b', 'Gone')),
    full,
    reply('the summary'),
    reply('almost'),
    reply('done'),
  ];
  let objected = false;
  const object = () => {
    if (objected) return {};
    objected = true;
    return { decision: 'block' as const, reason: 'go on' };
  };
  const stage: LoopStage = new LoopStage(answers, {
    tools: [lookTool(), changeTool()],
    context: 4_000,
    hooks: { Stop: [{ hooks: [object] }] },
  });
  return stage;
}

const whole = busyStage();
await whole.say('go');

it('the scenario has a record of every kind that the loop writes', () => {
  expect(new Set(whole.log.events.map(({ kind }) => kind))).toEqual(
    new Set([
      ...['input-admitted', 'message-joined', 'turn-started', 'epoch-started', 'assistant-replied', 'call-intended'],
      ...['call-finished', 'fault-met', 'mode-changed', 'history-mended', 'history-compacted', 'run-ended'],
      'response-discarded',
    ]),
  );
});

const POSITIONS = whole.records.map((record, index) => [index + 1, record] as const);

describe.each([
  ['once', false],
  ['and none after it', true],
])('DU-4: a record that can not be saved, %s', (_name, lasting) => {
  it.each(POSITIONS)('record %i, %s', async (position) => {
    const stage = busyStage();
    let before: unknown;
    let tries = 0;
    stage.log.refuses = () => {
      tries += 1;
      const refused = lasting ? tries >= position : tries === position;
      if (refused && before === undefined) before = snapshot(stage.agent.state);
      return refused;
    };
    const isMeanwhile = whole.records[position - 1] === 'input-admitted person' && position > 1;
    // Words that could not be admitted are their sender's loss; the run itself goes on unless it can't save either.
    if (isMeanwhile && !lasting) {
      expect((await stage.say('go')).reason).toBe('completed');
      return;
    }
    await expect(stage.say('go')).rejects.toThrow(TranscriptError);
    expect(snapshot(stage.agent.state)).toEqual(before);
    expect(stage.log.events).toHaveLength(position - 1);
    expect(recorded(stage.agent.state)).toEqual(recorded(fold(stage)));

    stage.log.refuses = () => false;
    stage.model.script(reply('on it'), reply('on it'), reply('on it'));
    expect(await stage.say('again')).toMatchObject({ reason: 'completed' });
    expect(stage.model.sent.at(-1)?.join('\n')).toContain('again');
    expect(recorded(stage.agent.state)).toEqual(recorded(fold(stage)));
    expect(stage.agent.switches).toHaveLength(0);
  });
});

it('LC-22: a parallel call that ignores the abort after a failed save is abandoned without side effects', async () => {
  const end = new Moment();
  const look = lookTool(async ({ n }) => {
    if (n === 2) await end.wait();
    return `saw ${n}`;
  });
  const calls = [call('a', 'Look', { n: 1 }), call('b', 'Look', { n: 2 })];
  const stage = new LoopStage([reply(...calls), reply('on it'), reply('and on')], { tools: [look] });
  stage.log.refuses = (event) => event.kind === 'call-finished' && event.call === 'a';
  await expect(stage.clock.runWhile(stage.say('go'))).rejects.toThrow(TranscriptError);
  stage.log.refuses = () => false;
  await stage.say('again');
  expect(stage.model.sent[1]?.at(-1)).toMatch(/^user: a!Interrupted: .* b!Interrupted; .* again$/);
  end.come();
  await stage.clock.settle();
  await stage.say('more');
  expect(stage.model.sent[2]?.at(-1)).toBe('user: more');
  expect(bytesOf(fold(stage).history)).toEqual(bytesOf(stage.agent.state.history));
});

function snapshot(state: AgentState): unknown {
  return structuredClone({ ...state, history: bytesOf(state.history) });
}

/** What is in force, as far as records say. */
function recorded({
  history,
  pending,
  results,
  intended,
  callIds,
  mode,
  epoch,
  generation,
  runEnd,
  lastSeq,
}: AgentState) {
  return { history: bytesOf(history), pending, results, intended, callIds, mode, epoch, generation, runEnd, lastSeq };
}

/** The state as a resume would read it. */
function fold(stage: LoopStage): AgentState {
  const state = createState();
  stage.log.events.forEach((event, index) => {
    reduce(state, event, index + 1);
  });
  return state;
}

function bytesOf(history: HistoryView): string[] {
  return [...history].map(({ role, blocks }) => `${role} ${blocks.map(({ bytes }) => decode(bytes)).join()}`);
}
