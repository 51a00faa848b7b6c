/** The main command: chooses the kind of session from the flags and the standard streams. */

import { EXIT } from './exit-code.js';
import type { Flags } from './flags.js';
import { readPrompt } from './read-prompt.js';

export async function runMain(argument: string | undefined, flags: Flags): Promise<number> {
  const mistake = findMistake(argument, flags);
  if (mistake !== undefined) return wrong(mistake);
  if (flags.inputFormat === 'stream-json') {
    const { runStreamInput } = await import('./control/run-stream-input.js');
    return runStreamInput(flags);
  }
  if (flags.plain || (isInteractive(flags) && wantsLines(process.env))) {
    const { runPlain } = await import('./plain/run-plain.js');
    return runPlain(argument, flags);
  }
  if (isInteractive(flags)) {
    const { runTerminal } = await import('./terminal/run-terminal.js');
    return runTerminal(argument, flags);
  }
  const prompt = await readPrompt(argument);
  if (prompt.kind === 'none' && flags.rewindTo !== undefined) {
    const { runRewind } = await import('./commands/rewind.js');
    return runRewind(flags);
  }
  if (prompt.kind === 'none') {
    const taken = typeof flags.worktree === 'string' ? ` (${flags.worktree} was taken for the name of a worktree)` : '';
    return wrong(`there is no prompt${prompt.reason}${taken}. Give one: coppice -p "what to do"`);
  }
  const { runPrint } = await import('./run-print.js');
  return runPrint(prompt.text, flags);
}

/** For screen readers, and for terminals that can't place a cursor: lines only (TU-29). */
function wantsLines({ ACCESSIBLE, TERM }: NodeJS.ProcessEnv): boolean {
  return (ACCESSIBLE !== undefined && ACCESSIBLE !== '' && ACCESSIBLE !== '0') || TERM === 'dumb';
}

/** A person is at both ends, and no machine-readable output was requested. */
function isInteractive(flags: Flags): boolean {
  return !flags.print && flags.outputFormat === 'text' && process.stdin.isTTY && process.stdout.isTTY;
}

function findMistake(argument: string | undefined, flags: Flags): string | undefined {
  const lines = flags.inputFormat === 'stream-json';
  if (flags.resume === true && !flags.plain && !isInteractive(flags))
    return '--resume needs an id here; coppice sessions lists them, --continue takes the newest';
  if (flags.continue && flags.resume !== undefined) return 'give --continue or --resume, not both';
  if (flags.record !== undefined && flags.replay !== undefined) return 'give --record or --replay, not both';
  const goesOn = flags.continue === true || flags.resume !== undefined;
  const isBranch = flags.branch === true || flags.forkSession === true;
  if (isBranch && !goesOn) {
    return `${flags.branch ? '--branch' : '--fork-session'} needs --continue or --resume: the session to branch from`;
  }
  if (flags.sessionPersistence === false && goesOn && !isBranch) {
    return '--no-session-persistence with --continue or --resume needs --branch: what was kept stays';
  }
  if (flags.resumeSessionAt !== undefined && !goesOn) {
    return '--resume-session-at needs --continue or --resume: the session that the message is in';
  }
  if (flags.resumeSessionAt !== undefined && flags.rewindTo !== undefined) {
    return 'give --resume-session-at or --rewind-to, not both';
  }
  if (flags.dangerouslySkipPermissions && (flags.permissionMode ?? 'bypassPermissions') !== 'bypassPermissions') {
    return 'give --permission-mode or --dangerously-skip-permissions, not both: they say different things';
  }
  if (flags.rewindTo !== undefined && !goesOn) {
    return '--rewind-to needs --continue or --resume: the session to rewind';
  }
  if (flags.rewind !== undefined && flags.rewindTo === undefined) {
    return '--rewind needs --rewind-to: the number of the prompt to rewind to';
  }
  if (lines && flags.outputFormat !== 'stream-json') {
    return '--input-format stream-json needs --output-format stream-json: the answers are lines too';
  }
  if (lines && argument !== undefined) {
    return 'with --input-format stream-json the prompts come on standard input, not as an argument';
  }
  if (flags.replayUserMessages && !lines) {
    return '--replay-user-messages needs --input-format stream-json: it prints the lines of the input again';
  }
  if (flags.plain && (flags.print || flags.outputFormat !== 'text' || lines)) {
    return '--plain is interactive: leave out --print, --output-format and --input-format';
  }
  if (flags.jsonSchema !== undefined && (flags.plain || isInteractive(flags))) {
    return '--json-schema is for programs: use it with --print, not in an interactive session';
  }
  if (flags.permissionPromptTool !== undefined && !lines) {
    return '--permission-prompt-tool stdio needs --input-format stream-json: the answers come on standard input';
  }
  return undefined;
}

function wrong(message: string): number {
  process.stderr.write(`error: ${message}\n`);
  return EXIT.usage;
}
