/** `coppice sim`: serves the simulated model until it is interrupted. */

import { configDir, coppiceHome, userHome } from '../../../config/paths.js';
import { nodeHost } from '../../../host/node-host.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import {
  builtInScenarios,
  type LocalServer,
  parseRecording,
  parseScenario,
  type Scenario,
  startRecorder,
  startReplay,
  startSim,
} from '../../../sim/index.js';
import { describeReplay } from '../../../sim/recording/describe-replay.js';
import { secretsIn } from '../../../sim/recording/find-secrets.js';
import { EXIT, usageError } from '../exit-code.js';

export type SimFlags = {
  readonly scenario: string;
  readonly port: number;
  readonly ttft: number;
  readonly key?: string;
  readonly list?: boolean;
  readonly record?: string;
  readonly to: string;
  readonly replay?: string;
};

export async function runSim(flags: SimFlags): Promise<number> {
  if (flags.list) {
    for (const name of Object.keys(builtInScenarios)) process.stdout.write(`${name}\n`);
    return EXIT.done;
  }
  if (!Number.isInteger(flags.port) || flags.port < 0 || flags.port > 65_535) {
    return usageError('invalid --port: give a whole number from 0 to 65535');
  }
  if (!(flags.ttft >= 0)) return usageError('invalid --ttft: give a number of milliseconds, 0 or more');
  if (flags.record !== undefined && flags.replay !== undefined)
    return usageError('give --record or --replay, not both');
  const started = await start(flags);
  if (typeof started === 'string') return usageError(started);
  process.stdout.write(`The simulated model is listening at ${started.server.url}\n`);
  process.stdout.write(
    `Try: ANTHROPIC_BASE_URL=${started.server.url} ANTHROPIC_API_KEY=simulated-key coppice -p "hello"\n`,
  );
  await untilInterrupted();
  await started.server.close();
  return started.failed() ? EXIT.error : EXIT.done;
}

type Started = { readonly server: Pick<LocalServer, 'url' | 'close'>; failed(): boolean };

async function start(flags: SimFlags): Promise<Started | string> {
  try {
    if (flags.record !== undefined) return await startRecording(flags, flags.record);
    if (flags.replay !== undefined) return await startPlayback(flags, flags.replay);
    const scenario = await findScenario(flags.scenario);
    if (typeof scenario === 'string') return scenario;
    const server = await startSim({
      scenario,
      port: flags.port,
      ttftMs: flags.ttft,
      keepBodies: false,
      ...(flags.key === undefined ? {} : { key: flags.key }),
    });
    return { server, failed: () => false };
  } catch (error) {
    return reasonOf(error);
  }
}

async function startRecording(flags: SimFlags, file: string): Promise<Started | string> {
  const { files, env } = nodeHost(process.cwd());
  const found = await files.lstat(file);
  if (found?.kind === 'folder') return `${file} is a folder: use the name of a new file`;
  if (found !== undefined) return `${file} already exists: delete it to record again`;
  const handle = await files.openAppend(file);
  const server = await startRecorder({
    upstream: flags.to,
    port: flags.port,
    write: async (line) => {
      await handle.write(Buffer.from(line));
    },
    known: knownHere(),
    secrets: secretsIn(env),
  });
  const close = async () => {
    await server.close();
    await handle.close();
  };
  return { server: { url: server.url, close }, failed: () => false };
}

/** The client's folder is inferred from its requests; the rest is assumed to be the same here. */
function knownHere() {
  const { env } = process;
  return { home: userHome(env), config: configDir(env), state: coppiceHome(env) };
}

async function startPlayback(flags: SimFlags, file: string): Promise<Started | string> {
  const bytes = await nodeHost(process.cwd())
    .files.read(file)
    .catch((error: unknown) => `${file} can't be read: ${reasonOf(error)}`);
  if (typeof bytes === 'string') return bytes;
  const parsed = parseRecording(bytes.toString('utf8'), file);
  if (!parsed.ok) return parsed.mistake;
  if (parsed.exchanges.length === 0) return `${file} contains no requests: delete it and record again (--record)`;
  for (const warning of parsed.warnings) process.stderr.write(`${warning}\n`);
  const server = await startReplay({ exchanges: parsed.exchanges, port: flags.port, known: knownHere() });
  return {
    server,
    failed: () => {
      const wrong = describeReplay(server.status);
      if (wrong !== undefined) process.stderr.write(`${wrong}\n`);
      return wrong !== undefined;
    },
  };
}

async function findScenario(name: string): Promise<Scenario | string> {
  const builtIn = builtInScenarios[name];
  if (builtIn !== undefined) return builtIn;
  const host = nodeHost(process.cwd());
  try {
    const parsed = parseScenario((await host.files.read(name)).toString('utf8'), name);
    return parsed.ok ? parsed.scenario : parsed.mistakes.join('\n');
  } catch (error) {
    const names = Object.keys(builtInScenarios).join(', ');
    return `${name} is not a built-in scenario (${names}) and can't be read as a file: ${reasonOf(error)}`;
  }
}

function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}
