/** Sessions by chance: a model, a person and a clock that do what a seed says, and the ledger that is left on disk. */

// Loaded when first needed otherwise, which takes a time that no clock of ours knows.
import { agentTranscripts } from '../../support/session-files.js';
import '../../../src/gate/permissions/could-match-rule.js';
import '../../../src/gate/permissions/judge.js';
import '../../../src/gate/sandbox/guards/sandbox-state.js';
import { basename, join } from 'node:path';
import { openSession } from '../../../src/front/sdk/open-session.js';
import type { Session } from '../../../src/front/sdk/session.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { ModelClient, ModelEvent } from '../../../src/model/model-client.js';
import type { ModelRequest } from '../../../src/model/request.js';
import { text } from '../../../src/protocol/blocks.js';
import type { SessionEvent } from '../../../src/protocol/events.js';
import { freezeBlock, freezeToolUse, parseBlock } from '../../../src/protocol/frozen-block.js';
import { NO_USAGE } from '../../../src/protocol/usage.js';
import type { TranscriptRecord } from '../../../src/session/transcript/record.js';
import { withoutSync } from '../../support/hosts/faulty-host.js';
import type { ManualClock } from '../../support/hosts/manual-clock.js';
import { DiskClock, timedHost } from '../../support/hosts/timed-host.js';
import { scratchFolder } from '../../support/scratch.js';
import { readingTool, readTranscript } from '../../support/story.js';

export type Dice = {
  /** A whole number from 0 up to, not with, `sides`. */
  roll(sides: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T | undefined;
};

function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    roll: (sides) => Math.floor(next() * sides),
    chance: (share) => next() < share,
    pick: (list) => list[Math.floor(next() * list.length)],
  };
}

type Move = { readonly words?: string; readonly calls?: readonly { readonly name: string; readonly input: object }[] };

/** Whoever asks is told apart by the first words of its task; what it does is up to the dice. */
class ChanceModel implements ModelClient {
  readonly agents: string[] = [];
  #spawns = 12;
  #messages = 12;
  #requests = 300;
  #calls = 0;

  constructor(
    readonly dice: Dice,
    readonly clock: ManualClock,
  ) {}

  async *request(parts: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const { dice } = this;
    await this.clock.sleep(1 + dice.roll(60), signal);
    if (signal.aborted) return void (yield { type: 'fault', fault: { kind: 'aborted', message: 'aborted' } });
    const said = lastWords(parts);
    this.#requests -= 1;
    const depth = depthOf(parts);
    if (depth > 0 && dice.chance(0.1)) {
      return void (yield { type: 'fault', fault: { kind: 'invalid-request', message: 'the request was refused' } });
    }
    // A reply of this size makes the next turn compact the conversation first.
    const usage = { ...NO_USAGE, input: dice.chance(0.06) ? 50_000_000 : 100, output: 10 };
    yield { type: 'response-began', id: `msg_${this.#requests}`, model: 'claude-opus-5-5', usage };
    const move = said.includes('<compaction>') ? { words: 'A summary.' } : this.#move(depth, turnsOf(parts));
    let index = 0;
    const words = move.words ?? 'So.';
    yield { type: 'text-streamed', index, text: words };
    yield { type: 'block-finished', index, block: { block: text(words), frozen: freezeBlock(text(words)) } };
    for (const { name, input } of move.calls ?? []) {
      index += 1;
      this.#calls += 1;
      const id = `toolu_${this.#calls}`;
      const frozen = freezeToolUse(id, name, JSON.stringify(input));
      yield { type: 'block-finished', index, block: { block: { type: 'tool_use', id, name, input }, frozen } };
    }
    yield { type: 'response-finished', stop: index > 0 ? 'tool_use' : 'end_turn', usage };
  }

  #move(depth: number, turns: number): Move {
    const { dice } = this;
    // The first turn of a session hands something on, or there would be nothing to see.
    if (depth === 0 && turns === 0) return { calls: [1, 2, 3].flatMap(() => this.#spawn(depth) ?? []) };
    if (this.#requests <= 0 || (depth > 0 && turns > 4) || dice.chance(depth > 0 ? 0.4 : 0.3))
      return { words: 'Done.' };
    const calls = Array.from({ length: 1 + dice.roll(3) }, () => this.#call(depth)).flatMap((call) => call ?? []);
    return calls.length === 0 ? { words: 'Done after all.' } : { calls };
  }

  #spawn(depth: number): { name: string; input: object } | undefined {
    if (depth >= 2 || this.#spawns === 0) return undefined;
    this.#spawns -= 1;
    return {
      name: 'Agent',
      input: { prompt: `JOB at depth ${depth + 1}`, run_in_background: this.dice.chance(0.7) },
    };
  }

  #call(depth: number): { name: string; input: object } | undefined {
    const { dice } = this;
    switch (dice.roll(6)) {
      case 0:
      case 1:
        return this.#spawn(depth);
      case 2:
      case 3: {
        const to = dice.pick(['main', ...this.agents]);
        if (to === undefined || this.#messages === 0) return undefined;
        this.#messages -= 1;
        return { name: 'SendMessage', input: { to, message: `message ${this.#messages}.` } };
      }
      case 4: {
        const id = dice.pick(this.agents);
        return id === undefined ? undefined : { name: 'TaskStop', input: { task_id: id } };
      }
      default:
        return { name: 'Nap', input: {} };
    }
  }
}

function userTexts(parts: ModelRequest): string[] {
  return [...parts.history].flatMap((message) =>
    message.role === 'user'
      ? message.blocks.map(parseBlock).flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  );
}

function lastWords(parts: ModelRequest): string {
  return userTexts(parts).at(-1) ?? '';
}

/** After a compaction the task is gone from the conversation, but a child's system prompt is its own. */
function depthOf(parts: ModelRequest): number {
  const task = userTexts(parts).find((words) => words.startsWith('JOB at depth '));
  if (task !== undefined) return Number(task.slice('JOB at depth '.length));
  return Buffer.from(parts.prefix.bytes).includes('You are Coppice, a coding agent that works') ? 0 : 2;
}

function turnsOf(parts: ModelRequest): number {
  return [...parts.history].filter((message) => message.role === 'assistant').length;
}

export type Ledger = {
  readonly session: Session;
  readonly events: readonly SessionEvent[];
  /** By agent. */
  readonly transcripts: ReadonlyMap<string, readonly TranscriptRecord[]>;
  readonly closedEarly: boolean;
};

export async function playByChance(seed: number, options: { readonly interactive: boolean }): Promise<Ledger> {
  const dice = createDice(seed);
  const clock = new DiskClock();
  const disk = createDice(seed + 1);
  const folder = await scratchFolder();
  const env = { PATH: process.env.PATH, HOME: folder, COPPICE_HOME: join(folder, '.coppice') };
  const model = new ChanceModel(dice, clock);
  const events: SessionEvent[] = [];
  const opening = openSession({
    cwd: folder,
    env,
    host: timedHost(withoutSync(nodeHost(folder, env)), clock, () => disk.roll(4)),
    modelClient: model,
    interactive: options.interactive,
    settings: JSON.stringify({
      maxConcurrentAgents: 1 + dice.roll(4),
      stallMs: 1e12,
      autoBackgroundMs: dice.pick([0, 30]),
    }),
    tools: [readingTool('Nap', (_, signal) => clock.sleep(dice.roll(80), signal).then(() => 'rested'))],
    onEvent: (watched) => {
      events.push(watched);
      if (watched.event.kind === 'agent-spawned') model.agents.push(watched.event.agent);
    },
  });
  const opened = await drive(clock, opening);
  if (!opened.ok) throw new Error(opened.reason);
  const { session } = opened;
  const closesAt = dice.chance(0.35) ? dice.roll(250) : undefined;
  const work = live(session, dice, clock, closesAt);
  await drive(clock, work);
  await drive(clock, session.close());
  return { session, events, transcripts: await readAll(session), closedEarly: closesAt !== undefined };
}

/** Times that are only there in case something never comes. */
const FAR = 1_000_000;

/** Moves from timer to timer. */
async function drive<T>(clock: DiskClock, work: Promise<T>): Promise<T> {
  let done = false;
  const finished = work.finally(() => {
    done = true;
  });
  for (;;) {
    await clock.settle();
    if (done) return finished;
    const next = clock.next;
    if (next === undefined || next >= FAR) throw new Error('nothing goes on any more, and the work is not done');
    await clock.advance(next);
  }
}

/** The person: says something, and now and then stops, moves, interrupts or says more. */
async function live(session: Session, dice: Dice, clock: ManualClock, closesAt: number | undefined): Promise<void> {
  for (let count = dice.roll(8); count > 0; count -= 1) {
    const act = dice.pick([
      () => void dice.pick(session.tasks())?.stop(),
      () => void session.toBackground(),
      () => void session.send('And more.'),
      () => session.interrupt(),
    ]);
    if (act !== undefined) clock.after(dice.roll(600), act);
  }
  if (closesAt !== undefined) {
    const closed = new Promise<void>((resolve) => clock.after(closesAt, () => void session.close().then(resolve)));
    void session.send('Go.');
    return closed;
  }
  await session.send('Go.');
  await session.settled();
  // What the person had in mind is over by then.
  await clock.sleep(700);
  await session.settled();
}

async function readAll(session: Session): Promise<Map<string, readonly TranscriptRecord[]>> {
  const transcripts = new Map([['main', await readTranscript(session.transcript)]]);
  for (const path of await agentTranscripts(session)) {
    transcripts.set(basename(path).slice('agent-'.length, -'.jsonl'.length), await readTranscript(path));
  }
  return transcripts;
}
