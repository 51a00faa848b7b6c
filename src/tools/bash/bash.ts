/** Bash: runs a command line in its own process group. */

import * as z from 'zod';
import type { ProcessExit, RunningProcess } from '../../host/processes.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { bashFacts } from '../../protocol/tools/bash.js';
import { outputName } from '../bounds.js';
import DECLARED_INPUTS from '../declared-inputs.json' with { type: 'json' };
import { interrupted } from '../failures.js';
import { absolutePath, pathContextOf, pathInput } from '../path-context.js';
import type { Tool, ToolContext } from '../tool.js';
import { withoutFields } from '../without-fields.js';
import { zodTool } from '../zod-tool.js';
import { bashBackgroundText, bashConfinedText, bashSandboxText, bashText } from './bash.text.js';
import { runInBackground } from './bash-background.js';
import { CommandOutput, readable } from './bash-output.js';
import { bashResponse } from './bash-response.js';
import { shellCommand } from './shell-command.js';
import { followShell, startingFolder } from './shell-folder.js';

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 300;
const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
/** Linux allows 128 KB for one argument. */
const MAX_COMMAND_BYTES = 120_000;
const PROGRESS_EVERY_MS = 500;
const DRAIN_MS = 1_000;
const QUIET_MS = 50;

const schema = () =>
  z.object({
    command: z
      .string()
      .min(1, 'is empty: give a command')
      .refine((command) => !command.includes('\0'), 'contains a NUL character, which no command can have')
      .describe('The command line'),
    description: z.string().optional().describe('What it does, in a few words'),
    timeout: z.number().positive().optional().describe('Milliseconds; 120000 unless given, 600000 at most'),
    run_in_background: z.boolean().optional().describe('Return at once; a notice comes when it ends'),
    needs: z
      .object({ network: z.boolean().optional(), write: z.array(pathInput()).optional() })
      .optional()
      .describe(
        'More than the sandbox gives, for this command: the network, absolute paths to write to. It is asked for.',
      ),
    unconfined: z
      .boolean()
      .optional()
      .describe('Not in the reading box: with the whole machine in view, as an ordinary command. It is asked for.'),
  });

type Input = z.infer<ReturnType<typeof schema>>;

export type BashVariant = {
  readonly background: boolean;
  readonly sandbox: boolean;
  /** Read-only commands may run in the read-only sandbox. */
  readonly confines: boolean;
};

/** The declared schema contains only what this session supports. */
export function createBashTool({ background, sandbox, confines }: BashVariant): Tool<Input> {
  const texts = [
    bashText,
    ...(background ? [bashBackgroundText] : []),
    ...(sandbox ? [bashSandboxText] : []),
    ...(confines ? [bashConfinedText] : []),
  ];
  return zodTool({
    name: bashFacts.name,
    description: texts.join('\n'),
    schema,
    inputSchema: withoutFields(DECLARED_INPUTS.Bash, [
      ...(background ? [] : (['run_in_background'] as const)),
      ...(sandbox ? [] : (['needs'] as const)),
      ...(confines ? [] : (['unconfined'] as const)),
    ]),
    concurrent: false,
    declare: (input, at) => {
      const outside = confines && input.unconfined === true ? { unconfined: true } : {};
      const shell = { kind: 'shell', command: input.command, cwd: at.cwd, ...outside } as const;
      if (!sandbox || input.needs === undefined) return [shell];
      const { network = false, write = [] } = input.needs;
      return [shell, { kind: 'grant', network, paths: write.map((path) => absolutePath(path, at)) }];
    },
    run: runBash,
  });
}

export const bashTool: Tool<Input> = createBashTool({ background: true, sandbox: false, confines: true });

async function runBash(input: Input, context: ToolContext): Promise<ToolOutcome> {
  const { host, signal, callId } = context;
  if (signal.aborted) return interrupted('The command was not started.');
  if (Buffer.byteLength(input.command) > MAX_COMMAND_BYTES) {
    return failed(`The command is longer than ${MAX_COMMAND_BYTES} bytes. Write it to a script file and run that.`);
  }
  const start = await startingFolder(context);
  if ('reason' in start) return failed(start.reason);
  try {
    const plain = shellCommand(input.command, start.folder, context);
    const confined = await context.confine?.(plain, { grant: input.needs && grantOf(input.needs, context) });
    if (confined?.ok === false) return failed(confined.reason);
    const process = host.processes.start(confined?.command ?? plain);
    if (input.run_in_background === true) return await runInBackground(input.command, process, context, confined);
    const output = new CommandOutput(async () => {
      const path = await context.outputPath(outputName(callId, 'output'));
      return { path, handle: await host.files.openAppend(path) };
    });
    const timeoutMs = Math.min(input.timeout ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS);
    const end = await watchCommand(process, output, context, timeoutMs);
    if (end === 'moved')
      return await runInBackground(input.command, process, context, confined, await output.handOver());
    const moved = await followShell(context, await process.report());
    const shown = await output.finish();
    const notes = confined ? [...(await confined.finish(end.exit)), confined.explain(shown, end.exit)] : [];
    const outcome = report(end, shown, [start.note, moved, ...notes], timeoutMs);
    return { ...outcome, response: () => bashResponse(shown, end.stopped !== undefined) };
  } catch (error) {
    return failed(`Could not run the command: ${reasonOf(error)}`);
  }
}

/** Opens what was judged: the path that each resolved to then. */
function grantOf({ network = false, write = [] }: NonNullable<Input['needs']>, context: ToolContext) {
  const paths = write.map((path) => absolutePath(path, pathContextOf(context)));
  return { network, writable: paths.map((path) => context.judged?.get(path) ?? path) };
}

type CommandEnd = {
  readonly exit: ProcessExit;
  readonly stopped: 'timeout' | 'abort' | undefined;
  /** Processes it started were still running after it ended. */
  readonly leftBehind: boolean;
};

async function watchCommand(
  process: RunningProcess,
  output: CommandOutput,
  context: ToolContext,
  timeoutMs: number,
): Promise<CommandEnd | 'moved'> {
  const { host, signal } = context;
  const { closed, letGo } = collect(process, output, context);
  let stopped: CommandEnd['stopped'];
  let ending: Promise<void> | undefined;
  const stop = (reason: 'timeout' | 'abort') => {
    stopped ??= reason;
    ending ??= process.end(GRACE_MS);
  };
  const onAbort = () => stop('abort');
  const cancel = host.clock.after(timeoutMs, () => stop('timeout'));
  signal.addEventListener('abort', onAbort, { once: true });
  // The signal may have aborted during the folder check; no event fires after that.
  if (signal.aborted) onAbort();

  let fix = () => {};
  const moved = new Promise<'moved'>((resolve) => {
    fix = context.onMove?.(() => resolve('moved')) ?? fix;
  });
  const first = await Promise.race([process.exit, moved]);
  fix();
  cancel();
  signal.removeEventListener('abort', onAbort);
  if (first === 'moved' && stopped === undefined) {
    letGo();
    return 'moved';
  }
  const exit = await process.exit;
  if (ending !== undefined) await ending;
  const leftBehind = await process.groupRuns();
  await drain(closed, output, context, leftBehind);
  if (leftBehind) await process.end(GRACE_MS);
  // A process that left the group (setsid) may hold the pipe open forever.
  process.stdout.destroy();
  process.stderr.destroy();
  return { exit, stopped, leftBehind: leftBehind && stopped === undefined };
}

type Collecting = {
  /** Resolves when both streams are closed. */
  readonly closed: Promise<unknown>;
  /** Pauses the streams; another reader takes over from here. */
  letGo(): void;
};

/** Feeds both streams into the output. */
function collect(process: RunningProcess, output: CommandOutput, context: ToolContext): Collecting {
  let shownAt = context.host.clock.elapsed();
  let isOver = false;
  const streams = [process.stdout, process.stderr].map((stream) => {
    const take = (chunk: Buffer) => {
      const busy = output.add(chunk);
      if (busy !== undefined) {
        stream.pause();
        void busy.then(() => {
          if (!isOver) stream.resume();
        });
      }
      const now = context.host.clock.elapsed();
      if (now - shownAt < PROGRESS_EVERY_MS) return;
      shownAt = now;
      context.progress(lastLine(chunk));
    };
    stream.on('data', take);
    const closed = new Promise<void>((resolve) => {
      stream.once('close', () => resolve());
      stream.once('end', () => resolve());
      stream.once('error', () => resolve());
    });
    return { stream, take, closed };
  });
  return {
    closed: Promise.all(streams.map(({ closed }) => closed)),
    letGo: () => {
      isOver = true;
      for (const { stream, take } of streams) stream.pause().off('data', take);
    },
  };
}

/** Reads what is still in the pipe after the command ended. If other processes keep it open, silence ends it. */
async function drain(
  closed: Promise<unknown>,
  output: CommandOutput,
  { host: { clock } }: ToolContext,
  othersWrite: boolean,
): Promise<void> {
  let done = false;
  void closed.then(() => {
    done = true;
  });
  const until = clock.elapsed() + DRAIN_MS;
  let seen = -1;
  while (!done && clock.elapsed() < until) {
    if (othersWrite && seen === output.total) return;
    seen = output.total;
    await Promise.race([closed, clock.sleep(QUIET_MS)]);
  }
}

function report(
  end: CommandEnd,
  output: string,
  notes: readonly (string | undefined)[],
  timeoutMs: number,
): ToolOutcome {
  const { exit, stopped, leftBehind } = end;
  if (exit.error !== undefined) return failed(`Could not start bash: ${exit.error.message}. Is bash installed?`);
  const lines: string[] = [];
  if (stopped === 'timeout') {
    lines.push(`(timed out after ${timeoutMs / 1000} s: the command and everything it started were ended)`);
  } else if (stopped === 'abort') {
    lines.push('(interrupted: the command and everything it started were ended)');
  } else if (exit.signal !== null) {
    lines.push(`(ended by signal ${exit.signal})`);
  } else if (exit.code !== 0) {
    lines.push(`(exit code ${exit.code})`);
  }
  const isError = lines.length > 0;
  if (leftBehind) lines.push('(processes that the command left in the background were ended)');
  for (const note of notes) if (note !== undefined) lines.push(`(${note})`);
  const body = [output.replace(/\n+$/, ''), ...lines].filter((part) => part.trim() !== '').join('\n');
  return { ...succeeded(body === '' ? '(no output)' : body), isError };
}

function lastLine(chunk: Buffer): string {
  const lines = readable(chunk.subarray(-400))
    .trimEnd()
    .split(/[\r\n]/);
  return (lines.at(-1) ?? '').slice(0, 200);
}
