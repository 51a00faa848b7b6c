/** Executes commands. An expected failure is a result; anything else is reported as a bug. */

import type { LiveAgent } from '../../agents/live-agent.js';
import { continueAgent, RESUME_TEXT } from '../../agents/resume/continue-agent.js';
import type { Runtime } from '../../agents/runtime.js';
import { listTasks } from '../../agents/tools/list-tasks.js';
import { admitOrEnd } from '../../agents/tools/send-message-tool.js';
import { FEATURE_COMMANDS, type FeatureResults } from '../../features/features.js';
import { newAbort } from '../../host/clock.js';
import { compact } from '../../loop/compact/compact.js';
import { applySwitches } from '../../loop/epoch.js';
import { closeOpenCalls, joinMessage } from '../../loop/join-message.js';
import { text } from '../../protocol/blocks.js';
import type { Command, CommandOf } from '../../protocol/commands.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { outcomeText } from '../../protocol/outcome.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { fail } from '../../protocol/result.js';
import type { Rewound } from '../../session/files/rewind.js';
import type { Engine } from '../engine.js';
import { readName } from '../session-name.js';
import { reportSkills } from '../skills/report-skills.js';
import { runningChildren } from '../wait-until-idle.js';
import { branchOpen } from './branch-open.js';
import type { Branched, CommandResult, CommandResults, Done } from './command-results.js';
import { forkByHand, notStarted } from './fork-by-hand.js';
import { CLOSED, prompt } from './prompt.js';
import { rewindSession } from './rewind-session.js';
import { sendHeld, takeBack } from './sent-messages.js';
import { sessionFacts } from './session-facts.js';
import {
  listServerPrompts,
  readResource,
  reconnectServers,
  reportServers,
  setServers,
  toggleServer,
} from './session-servers.js';
import { handBack, takeOver } from './take-over.js';
import { toBackground } from './to-background.js';

type Handlers = {
  readonly [T in Command['type']]: (engine: Engine, command: CommandOf<T>) => Promise<CommandResults[T]>;
};

/** Never rejects for an expected failure. */
export function execute<C extends Command>(engine: Engine, command: C): Promise<CommandResult<C>> {
  const handler = HANDLERS[command.type] as unknown as (engine: Engine, command: C) => Promise<CommandResult<C>>;
  const work = handler(engine, command);
  // Closing waits for running commands, and must not wait for itself.
  return command.type === 'close' ? work : engine.track(work);
}

type FeatureCommand = (runtime: Runtime, command: never) => Promise<unknown>;

const ofFeatures = Object.entries<FeatureCommand>(FEATURE_COMMANDS).map(
  ([type, handle]) => [type, whileOpen(({ runtime }, command: never) => handle(runtime, command))] as const,
);

const HANDLERS: Handlers = {
  ...(Object.fromEntries(ofFeatures) as unknown as Pick<Handlers, keyof FeatureResults>),
  prompt,
  message: whileOpen((engine, { agent, text: message, key }) => writeTo(engine, agent, message, key)),
  answer: async ({ runtime }, { question, answer }) =>
    runtime.ports.gate.answer(question, answer) ? DONE : fail(`question ${question} is not waiting for an answer`),
  'take-back': whileOpen(takeBack),
  'send-held': whileOpen((engine) => sendHeld(engine)),
  interrupt,
  'set-mode': whileOpen((engine, { mode }) => choose(engine, { mode })),
  'set-model': whileOpen((engine, wish) => choose(engine, wish)),
  'set-thinking': whileOpen((engine, { thinking }) => choose(engine, { thinking })),
  fork,
  'ask-aside': whileOpen(async (engine, command) => (await import('./ask-aside.js')).askAside(engine, command)),
  'take-over': whileOpen((engine, { agent }) => takeOver(engine, agent)),
  'hand-back': whileOpen((engine, { agent }) => handBack(engine, agent)),
  'resume-agent': whileOpen((engine, { agent, words: message = RESUME_TEXT }) => resumeAgent(engine, agent, message)),
  'stop-task': stopTask,
  'to-background': async ({ runtime }, target) => ({ ok: true, moved: toBackground(runtime, target) }),
  rewind: whileOpen(rewind),
  rename: whileOpen(rename),
  compact: whileOpen(compactNow),
  clear: whileOpen(clear),
  branch: whileOpen(branch),
  diff: whileOpen(async (engine, command) => (await import('../inspect/report-diff.js')).reportDiff(engine, command)),
  'agent-work': whileOpen(async (engine, { agents }) =>
    (await import('../inspect/report-work.js')).reportWork(engine, agents),
  ),
  prompts: whileOpen(async (engine) => (await import('../inspect/report-prompts.js')).reportPrompts(engine)),
  servers: whileOpen(reportServers),
  'reconnect-servers': whileOpen((engine, { server }) => reconnectServers(engine, server)),
  'toggle-server': whileOpen(toggleServer),
  'set-servers': whileOpen(setServers),
  'read-resource': whileOpen(readResource),
  'server-prompts': whileOpen((engine) => listServerPrompts(engine)),
  skills: whileOpen(async ({ runtime, parts }, { fresh }) => {
    const skills = fresh === true ? await parts.skills.read() : runtime.skills;
    return { ok: true, skills: reportSkills(skills) };
  }),
  agents: whileOpen(async (engine, { fresh }) => (await reports()).reportAgents(engine, fresh)),
  plugins: whileOpen(async (engine, { fresh }) => (await reports()).reportPlugins(engine, fresh)),
  'output-styles': whileOpen(async (engine) => (await reports()).reportStyles(engine)),
  models: whileOpen(async (engine) => (await reports()).reportModels(engine)),
  account: whileOpen(async (engine) => (await reports()).reportAccount(engine)),
  context: whileOpen(async (engine) => (await import('../inspect/report-context.js')).reportContext(engine)),
  settings: whileOpen(async (engine) => (await import('../inspect/report-settings.js')).reportSettings(engine)),
  'change-settings': whileOpen(async (engine, command) =>
    (await import('../inspect/change-settings.js')).changeSettings(engine, command),
  ),
  'permission-rules': whileOpen(async (engine) => (await import('../inspect/report-settings.js')).reportRules(engine)),
  'task-output': whileOpen(async (engine, command) =>
    (await import('../inspect/task-output.js')).taskOutput(engine, command),
  ),
  'read-file': whileOpen(async (engine, command) =>
    (await import('../inspect/read-for-client.js')).readForClient(engine, command),
  ),
  facts: whileOpen(async (engine) => ({ ok: true, facts: sessionFacts(engine) })),
  'call-tool': whileOpen(async (engine, command) => (await import('./call-tool.js')).callTool(engine, command)),
  'cancel-call': async ({ calls }, { call }) => (calls.cancel(call) ? DONE : fail(`call ${call} is not running`)),
  shell: whileOpen(async (engine, command) => (await import('./run-shell-line.js')).runShellLine(engine, command)),
  remember: whileOpen(async (engine, command) => (await import('./remember.js')).remember(engine, command)),
  'list-files': whileOpen(async (engine, command) =>
    (await import('../inspect/list-files.js')).listFiles(engine, command),
  ),
  notify: whileOpen(async (engine, command) => (await import('./notify.js')).notify(engine, command)),
  close: async (engine, { reason }) => {
    const [problem] = await engine.close(reason);
    return problem === undefined ? DONE : fail(problem);
  },
};

/** Loaded with the first query. */
const reports = () => import('../inspect/report-kinds.js');

const DONE: Done = { ok: true };

/** A closed session starts and writes nothing any more. A failed write is a reason, not an exception. */
function whileOpen<C, R>(handler: (engine: Engine, command: C) => Promise<R>) {
  return async (engine: Engine, command: C): Promise<R | ReturnType<typeof fail>> => {
    if (engine.runtime.isClosing) return fail(CLOSED);
    try {
      return await handler(engine, command);
    } catch (error) {
      return fail(reasonOf(error));
    }
  };
}

async function choose(engine: Engine, choice: Parameters<Engine['choose']>[0]): Promise<Done> {
  const refusal = await engine.choose(choice);
  return refusal === undefined ? DONE : fail(refusal);
}

async function fork(engine: Engine, command: CommandOf<'fork'>) {
  const isThere = !engine.runtime.isClosing && (engine.isStarted || engine.isResumed);
  const own = newAbort();
  engine.forks.add(own);
  try {
    const parent = isThere ? await engine.ready() : undefined;
    return await forkByHand(engine.runtime, parent, command.directive, command, own.signal);
  } catch (error) {
    return notStarted(reasonOf(error));
  } finally {
    engine.forks.delete(own);
  }
}

async function resumeAgent(engine: Engine, agent: string, message: string): Promise<Done> {
  if (message.trim() === '') return fail(EMPTY_MESSAGE);
  await engine.ready();
  const { runtime } = engine;
  const live = runtime.agents.get(agent);
  // Its run has ended; wait for what follows (its notice, its files).
  if (live !== undefined && !live.isActive) await live.finishing;
  const ended = runtime.ended.get(agent);
  if (ended === undefined)
    return fail(runtime.agents.has(agent) ? 'it is running' : `no agent ${agent} in this session`);
  const key = `prompt ${runtime.host.newId()}`;
  const outcome = await continueAgent(runtime, ended, text(message), { origin: 'person', key });
  return outcome.isError ? fail(outcomeText(outcome)) : DONE;
}

const EMPTY_MESSAGE = 'the message is empty: nothing was sent';

async function writeTo(engine: Engine, id: string, message: string, key?: string): Promise<Done> {
  if (message.trim() === '') return fail(EMPTY_MESSAGE);
  await engine.ready();
  const { runtime } = engine;
  const agent = runtime.agents.get(id);
  const input = { origin: 'person', key: key ?? `prompt ${runtime.host.newId()}` } as const;
  if (agent !== undefined && (await admitOrEnd(runtime, agent, input, text(message)))) {
    if (agent.isMain) runtime.wakeMain();
    return DONE;
  }
  return resumeAgent(engine, id, message);
}

async function stopTask({ runtime }: Engine, { task }: CommandOf<'stop-task'>): Promise<Done> {
  const found = listTasks(runtime).find((one) => one.id === task);
  if (found === undefined) return fail(`no task ${task} in this session`);
  await found.stop('person');
  return DONE;
}

/** The reason why something that needs an idle session must not run now. */
function whyBusy({ driver, runtime, isStarting }: Engine): string | undefined {
  const isBusy = isStarting || driver.working !== undefined || runningChildren(runtime).length > 0;
  return isBusy ? 'something is running; interrupt or stop it first' : undefined;
}

async function rewind(engine: Engine, command: CommandOf<'rewind'>): Promise<Rewound> {
  // With running children, you are asked only once the effect is known.
  const isPreview = command.dryRun === true && !engine.isStarting && engine.driver.working === undefined;
  const busy = isPreview ? undefined : whyBusy(engine);
  if (busy !== undefined) return fail(busy);
  if (!engine.isStarted && !engine.isResumed) return fail('the conversation is empty');
  return engine.driver.exclusive(async () => rewindSession(engine.runtime, await engine.ready(), command));
}

async function rename(engine: Engine, { name: given }: CommandOf<'rename'>): Promise<Done> {
  const read = readName(given);
  if (!read.ok) return fail(read.reason);
  engine.naming.requested = read.name;
  const isThere = engine.isStarted || engine.isResumed;
  if (isThere && !engine.isStarting) await engine.naming.apply(engine.runtime, await engine.opened());
  return DONE;
}

async function compactNow(engine: Engine, { instructions }: CommandOf<'compact'>): Promise<Done> {
  if (engine.driver.working !== undefined) return fail('the agent is running; interrupt it first');
  if (!engine.isStarted && !engine.isResumed) return fail('the conversation is empty');
  const main = await engine.ready();
  if (main.state.history.length < 3) return fail('the conversation is too short to compact');
  await engine.driver.exclusive(() => summarise(engine, main, instructions));
  return DONE;
}

async function clear(engine: Engine): Promise<Done> {
  if (engine.driver.working !== undefined) return fail('the agent is running; interrupt it first');
  if (!engine.isStarted && !engine.isResumed) return fail('the conversation is empty');
  await engine.driver.exclusive(() => engine.clear());
  return DONE;
}

async function branch(engine: Engine, { name }: CommandOf<'branch'>): Promise<Branched> {
  if (!engine.isKept) return fail("this session is not saved, so it can't be copied");
  const busy = whyBusy(engine);
  if (busy !== undefined) return fail(busy);
  if (!engine.isStarted && !engine.isResumed) return fail('the conversation is empty');
  return engine.driver.exclusive(() => branchOpen(engine.runtime, name));
}

async function summarise({ runtime, driver }: Engine, main: LiveAgent, instructions = ''): Promise<void> {
  await closeOpenCalls(main);
  await joinMessage(main, 'results');
  const run = { agent: main, ports: runtime.ports, signal: driver.begin() };
  const compacted = await compact(run, 'manual', instructions).finally(async () => {
    // It may have used the fallback model, which ends with it.
    runtime.turns.end(MAIN_AGENT);
    await applySwitches(main);
  });
  if (compacted.kind === 'failed') throw new Error(compacted.line);
  if (compacted.kind === 'interrupted') throw new Error('it was interrupted');
}

/** Interrupts the current work, or the turn of one child. An interrupted agent can be resumed, unlike a stopped one. */
async function interrupt({ driver, runtime }: Engine, { agent: id }: CommandOf<'interrupt'>): Promise<Done> {
  if (id === undefined || id === MAIN_AGENT) {
    driver.interrupt();
    return { ok: true };
  }
  const agent = runtime.agents.get(id);
  if (agent === undefined || !agent.isActive) return { ok: false, reason: `agent ${id} is not running` };
  // A queued agent has no turn to end.
  if (agent.status === 'queued' && !agent.isTakenOver) agent.abort.abort();
  else agent.turn.abort();
  return { ok: true };
}
