/** Opens the recorder or the replay of a session's model traffic. Loaded on demand. */

import { dirname, resolve } from 'node:path';
import type { Runtime } from '../../agents/runtime.js';
import { configDir, coppiceHome, projectKey, userHome } from '../../config/paths.js';
import { errorCode } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { secretsIn } from '../../sim/recording/find-secrets.js';
import type { KnownValues } from '../../sim/recording/find-varying.js';
import { recordFetch } from '../../sim/recording/record-fetch.js';
import { RecordedOrder } from '../../sim/recording/recorded-order.js';
import { type ParsedRecording, parseRecording } from '../../sim/recording/recording.js';
import { replayFetch } from '../../sim/recording/replay-fetch.js';
import type { FindSender } from '../../sim/recording/traffic-fetch.js';
import { TrafficRecorder } from '../../sim/recording/traffic-recorder.js';
import { TrafficReplay } from '../../sim/recording/traffic-replay.js';
import type { Resources } from '../resources.js';
import { type OpenFailure, type SessionOptions, usageFailure } from '../session-options.js';
import { agentKey, inputKey, senderOf } from './agent-keys.js';
import { SessionActivity } from './session-activity.js';
import type { Traffic } from './traffic.js';

export type TrafficSetup = {
  readonly host: Host;
  /** Your current folder: paths of recordings are relative to it. */
  readonly from: string;
  readonly session: string;
  readonly folder: string;
  readonly roots: readonly string[];
  readonly repoRoot: string | undefined;
};

export async function openTraffic(
  { record, replay, modelClient }: SessionOptions,
  setup: TrafficSetup,
  resources: Resources,
): Promise<Traffic | OpenFailure> {
  if (record !== undefined && replay !== undefined) return usageFailure('use either record or replay, not both');
  if (modelClient !== undefined)
    return usageFailure('only the Messages API can be recorded or replayed, not a modelClient');
  // An empty name would be the folder itself, and nobody should be advised to delete that.
  if (record === '' || replay === '') return usageFailure(`${record === '' ? 'record' : 'replay'} needs a file name`);
  const file = resolve(setup.from, record ?? replay ?? '');
  return record === undefined ? openReplay(file, setup, resources) : openRecording(file, setup, resources);
}

async function openRecording(file: string, setup: TrafficSetup, resources: Resources): Promise<Traffic | OpenFailure> {
  const { files, env } = setup.host;
  try {
    await files.create(file, '');
  } catch (error) {
    return usageFailure(await explainNotMade(setup.host, file, error));
  }
  const handle = await files.openAppend(file);
  const write = async (line: string) => {
    for (let rest: Uint8Array = Buffer.from(line); rest.length > 0; ) rest = rest.subarray(await handle.write(rest));
  };
  const recorder = new TrafficRecorder({ write, known: knownOf(setup), secrets: secretsIn(env) });
  resources.add('the recording', async () => {
    await recorder.close().finally(() => handle.close());
  });
  let runtime: Runtime | undefined;
  const findSender: FindSender = (headers) => runtime && senderOf(runtime, headers);
  return {
    fetch: { kind: 'around', wrap: (fetch) => recordFetch(fetch, recorder, findSender) },
    warnings: [],
    follow: (followed) => {
      runtime = followed;
      followed.listeners.add(
        ({ agent, seq, event }) => {
          const to = agentKey(followed, agent);
          const input = event.kind === 'input-admitted' ? inputKey(followed, event) : undefined;
          if (input !== undefined) recorder.noteInput(input, to, seq);
          if (event.kind === 'run-ended') recorder.noteRunEnd(to);
          if (event.kind === 'message-joined') recorder.noteTaken(to, event.from);
          if (event.kind === 'input-withdrawn') recorder.noteTaken(to, event.inputs);
        },
        ['input-admitted', 'message-joined', 'input-withdrawn', 'run-ended'],
      );
    },
  };
}

async function explainNotMade({ files }: Host, file: string, error: unknown): Promise<string> {
  const code = errorCode(error);
  const found = code === 'EEXIST' || code === 'EISDIR' ? await files.lstat(file).catch(() => undefined) : undefined;
  if (found?.kind === 'folder') return `${file} is a folder: use the name of a new file`;
  if (code === 'EEXIST') return `${file} exists: delete it to record again`;
  const hint = code === 'ENOENT' ? `no folder ${dirname(file)}; create it first` : reasonOf(error);
  return `${file} could not be created: ${hint}`;
}

async function openReplay(file: string, setup: TrafficSetup, resources: Resources): Promise<Traffic | OpenFailure> {
  const { host } = setup;
  const read = await readRecording(host, file);
  if (!read.ok) return usageFailure(read.mistake);
  const { exchanges, inputs, warnings } = read;
  const activity = new SessionActivity();
  const sleep = (ms: number, signal?: AbortSignal) => host.clock.sleep(ms, signal);
  const order = new RecordedOrder({ exchanges, inputs, sleep, activity: () => activity.now });
  const advice = `If the change is intended, delete ${file} and record it again (--record).`;
  const replay = new TrafficReplay({ exchanges, known: knownOf(setup), secrets: secretsIn(host.env), advice });
  resources.add('the replay', async () => order.end());
  let runtime: Runtime | undefined;
  const findSender: FindSender = (headers) => runtime && senderOf(runtime, headers);
  const fetch = replayFetch({
    replay,
    order,
    findSender,
    sleep,
    onStart: (sender) => activity.requestStarted(sender?.id),
    onEnd: (sender) => activity.answerEnded(sender?.id),
  });
  return {
    fetch: { kind: 'instead', fetch },
    warnings,
    status: () => replay.status,
    follow: (followed) => {
      runtime = followed;
      followed.listeners.add((event) => {
        activity.hear(event);
        const { kind } = event.event;
        if (kind === 'run-ended') order.runEnded(agentKey(followed, event.agent));
        const input = kind === 'input-admitted' ? inputKey(followed, event.event) : undefined;
        if (input !== undefined) order.inputCame(input, agentKey(followed, event.agent));
      });
    },
    pace: {
      beforeTurn: async (agent, signal) => {
        const key = runtime && agentKey(runtime, agent);
        if (key === undefined) return;
        const next = replay.nextStart(key);
        const turn = next === undefined ? order.untilStopped(key, signal) : order.afterInputs(key, next, signal);
        await activity.whileHeld(agent, turn);
      },
      beforeEnd: async (agent, signal) => {
        if (runtime === undefined) return;
        const key = agentKey(runtime, agent);
        await activity.whileHeld(agent, order.beforeRunEnd(key, replay.nextStart(key), signal));
      },
      beforeInput: async (agent, { key }) => {
        if (runtime === undefined) return;
        const input = inputKey(runtime, typeof key === 'string' ? { key } : { notice: key });
        if (input === undefined) return;
        const held = order.beforeInput(input, agentKey(runtime, agent));
        await activity.whileHeld(typeof key === 'string' ? '' : key.agent, held);
      },
    },
  };
}

function explainNotRead(error: unknown): string {
  const code = errorCode(error);
  if (code === 'ENOENT') return 'no such file; record it first (--record)';
  return code === 'EISDIR' ? 'it is a folder, not a recording' : reasonOf(error);
}

async function readRecording(host: Host, file: string): Promise<ParsedRecording> {
  try {
    const parsed = parseRecording((await host.files.read(file)).toString('utf8'), file);
    if (!parsed.ok)
      return { ok: false, mistake: `${parsed.mistake}. Record it again, or take it from version control` };
    if (parsed.exchanges.length > 0) return parsed;
    return { ok: false, mistake: `${file} contains no requests: delete it and record again (--record)` };
  } catch (error) {
    return { ok: false, mistake: `${file} can't be read: ${explainNotRead(error)}` };
  }
}

function knownOf({ host: { env }, folder, roots, repoRoot, session }: TrafficSetup): KnownValues {
  return {
    folder,
    roots,
    repo: repoRoot,
    config: configDir(env),
    state: coppiceHome(env),
    home: userHome(env),
    project: projectKey(folder),
    session,
  };
}
