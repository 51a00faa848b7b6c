/** An agent for tests of the loop: everything of it is real but the model, the log and the gate. */

import type { Gate, GateAnswer, GatedCall } from '../../../src/gate/gate.js';
import type { HooksConfig } from '../../../src/gate/hooks/hook-config.js';
import { createHooks } from '../../../src/gate/hooks/hooks.js';
import { newAbort } from '../../../src/host/clock.js';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { Activity } from '../../../src/loop/activity.js';
import type { Agent, Epoch } from '../../../src/loop/agent.js';
import { Budget, type BudgetLimits } from '../../../src/loop/budget.js';
import type { Ports } from '../../../src/loop/ports.js';
import { type RunEnd, runLoop } from '../../../src/loop/run-loop.js';
import { modelData } from '../../../src/model/models.js';
import { type ToolUseBlock, text } from '../../../src/protocol/blocks.js';
import type { AgentEvent, DurableEvent, Origin } from '../../../src/protocol/events.js';
import type { Decision } from '../../../src/protocol/permission.js';
import { NO_USAGE, type Usage } from '../../../src/protocol/usage.js';
import { createEmit, Listeners } from '../../../src/session/emit.js';
import { Inbox } from '../../../src/session/inbox.js';
import { createState } from '../../../src/session/state/agent-state.js';
import { FilesRead } from '../../../src/tools/files-read.js';
import type { Tool } from '../../../src/tools/tool.js';
import { ManualClock } from '../../support/hosts/manual-clock.js';
import { MemoryLog } from './memory-log.js';
import { type Answer, ScriptedModel, type Step } from './scripted-model.js';

export type LoopOptions = {
  readonly tools?: readonly Tool[];
  /** What the gate says of a call; by default yes. */
  readonly decide?: (call: GatedCall) => Decision;
  /** What the person says to a question; by default no. */
  readonly ask?: (call: GatedCall) => GateAnswer;
  readonly hooks?: HooksConfig;
  readonly maxTurns?: number;
  readonly limits?: BudgetLimits;
  /** Of the model, in tokens. */
  readonly context?: number;
  readonly depth?: number;
};

export class LoopStage {
  readonly log = new MemoryLog();
  readonly clock = new ManualClock();
  readonly model: ScriptedModel;
  readonly agent: Agent;
  readonly ports: Ports;
  /** Everything listeners heard, in order. */
  readonly heard: AgentEvent[] = [];
  readonly listeners = new Listeners();
  readonly unlisten = this.listeners.add(({ event }) => this.heard.push(event));
  /** Prefixes that were stored. */
  readonly kept: string[] = [];
  abort = newAbort();
  #prompts = 0;

  constructor(answers: readonly Answer[], options: LoopOptions = {}) {
    this.model = new ScriptedModel(answers);
    this.ports = this.#ports(options);
    this.agent = this.#agent(options);
  }

  /** Says something and lets the agent work. */
  async say(words: string): Promise<RunEnd> {
    await this.admit(words);
    return this.run();
  }

  run(): Promise<RunEnd> {
    return runLoop({ agent: this.agent, ports: this.ports, signal: this.abort.signal });
  }

  admit(words: string, origin: Origin = 'person'): Promise<boolean> {
    this.#prompts += 1;
    return this.agent.inbox.admit({ origin, key: `prompt ${this.#prompts}` }, [text(words)]);
  }

  /** Does something the first time such an event is told. */
  once(kind: AgentEvent['kind'], act: () => void): void {
    const unlisten = this.listeners.add(({ event }) => {
      if (event.kind !== kind) return;
      unlisten();
      act();
    });
  }

  /** After an interruption: the next run has a signal of its own. */
  renew(): void {
    this.abort = newAbort();
  }

  /** The records so far, a word or two each. */
  get records(): string[] {
    return this.log.events.map(shown);
  }

  /** What an epoch of another model or other tools would be. */
  epoch(model: string, tools: readonly Tool[] = this.agent.epoch.tools, context?: number): Epoch {
    const data = { ...modelData(model), ...(context === undefined ? {} : { context }) };
    const prefix = this.model.provider.freezePrefix({ model, tools, system: ['be brief'] });
    return { model: data, tools, maxTokens: 1_000, prefix };
  }

  eventsOf<K extends AgentEvent['kind']>(kind: K): Extract<AgentEvent, { kind: K }>[] {
    return this.heard.filter((event): event is Extract<AgentEvent, { kind: K }> => event.kind === kind);
  }

  #agent({ tools = [], hooks = {}, maxTurns = 50, limits, context, depth = 0 }: LoopOptions): Agent {
    const state = createState();
    const emit = createEmit({ agent: 'main', state, log: this.log, listeners: this.listeners });
    const host: Host = { ...nodeHost('/'), clock: this.clock };
    const base = () => ({ session_id: 's', transcript_path: '/s.jsonl', cwd: '/', permission_mode: state.mode });
    const ownHooks = createHooks({ host, projectDir: '/', sources: [{ origin: 'test', hooks }], base, warn: () => {} });
    const shell = { cwd: '/' };
    const identity = { id: 'main', type: 'main', depth, chain: 'tree', transcript: '/s.jsonl' };
    return {
      ...identity,
      state,
      emit,
      inbox: new Inbox(state, emit),
      epoch: this.epoch(OPUS, tools, context),
      switches: [],
      cacheLifetime: '5m',
      maxTurns,
      budget: new Budget(limits),
      requester: {
        ...identity,
        get mode() {
          return state.mode;
        },
        readOnly: false,
        limits: undefined,
        roots: ['/'],
        folder: '/',
        cwd: '/',
        files: host.files.sync,
        hooks: ownHooks,
        notify: (event) => emit(event),
      },
      hooks: ownHooks,
      host,
      roots: ['/'],
      activity: new Activity(),
      files: new FilesRead(),
      shell,
      announced: { generation: 0, names: new Set() },
      origin: undefined,
      beforeRetry: undefined,
    };
  }

  #ports({ decide = () => ({ behavior: 'allow', by: 'test' }), ask = () => NO }: LoopOptions): Ports {
    const gate: Gate = {
      decide: async (_asker, call) => ({ decision: decide(call), realPaths: new Map() }),
      mayRead: () => undefined,
      ask: async (_asker, call) => ask(call),
      childMode: async () => 'default',
      confirm: async () => 'nobody',
      askQuestions: async () => ({ kind: 'nobody' }),
      elicit: async () => ({ action: 'decline' }),
      laterRules: () => ({ answered: [], added: [] }),
      addRules: () => {},
      isAgentDenied: () => false,
      questions: () => [],
      answer: () => false,
      addAnswerer: () => () => {},
    };
    return {
      markedSession: 's',
      model: this.model.provider,
      gate,
      savePrefix: async ({ sha256 }) => void this.kept.push(sha256),
      instructionsFor: async () => undefined,
      saveOutput: async (name) => `/kept/${name}`,
      outputPath: async (name) => `/kept/${name}`,
      memory: { prepared: async () => {}, withLock: async (_folder, work) => ({ ok: true, value: await work() }) },
      confine: async (_agent, command) => ({ ok: true, command, explain: () => undefined, finish: async () => [] }),
    };
  }
}

export const OPUS = 'claude-opus-5-5';
export const SONNET = 'claude-sonnet-5';

/** What one try of a request used. */
export function used(input: number, output: number): Usage {
  return { ...NO_USAGE, input, output };
}

const NO: GateAnswer = { behavior: 'deny', by: 'person', reason: 'the person said no' };

/** A reply of these blocks; words are text. */
export function reply(...steps: readonly (string | Step)[]): Answer {
  return { steps: steps.map((step) => (typeof step === 'string' ? text(step) : step)) };
}

export function call(id: string, name = 'Look', input: unknown = {}): ToolUseBlock {
  return { type: 'tool_use', id, name, input };
}

export function meanwhile(act: () => unknown): Step {
  return { type: 'meanwhile', act };
}

/** What stands in a record, as far as a test is about it. */
function shown(event: DurableEvent): string {
  switch (event.kind) {
    case 'call-finished':
      return `${event.kind} ${event.call}${event.isError ? '!' : ''}`;
    case 'call-intended':
      return `${event.kind} ${event.call}`;
    case 'permission-answered':
      return `${event.kind} ${event.behavior} by ${event.by}`;
    case 'input-admitted':
      return `${event.kind} ${event.origin}`;
    case 'epoch-started':
    case 'run-ended':
      return `${event.kind} ${event.reason}`;
    case 'fault-met':
      return `${event.kind} ${event.fault}`;
    case 'mode-changed':
      return `${event.kind} ${event.mode}`;
    case 'history-compacted':
      return `${event.kind} ${event.trigger}`;
    default:
      return event.kind;
  }
}
