/** Runs the main command: chooses the kind of session from the flags and the standard streams. */

import { usageError } from './exit-code.js';
import type { Flags } from './flags.js';
import { readPrompt } from './read-prompt.js';

export async function runMain(argument: string | undefined, flags: Flags): Promise<number> {
  const mistake = findMistake(argument, flags);
  if (mistake !== undefined) return usageError(mistake);
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
    const taken = typeof flags.worktree === 'string' ? ` (${flags.worktree} was read as the name of a worktree)` : '';
    return usageError(`no prompt${prompt.reason}${taken}. Give one: coppice -p "what to do"`);
  }
  const { runPrint } = await import('./run-print.js');
  return runPrint(prompt.text, flags);
}

/** True for screen readers, and for terminals that can't place a cursor (TU-29). */
function wantsLines({ ACCESSIBLE, TERM }: NodeJS.ProcessEnv): boolean {
  return (ACCESSIBLE !== undefined && ACCESSIBLE !== '' && ACCESSIBLE !== '0') || TERM === 'dumb';
}

/** True if input and output are a terminal, and no machine-readable output was requested. */
function isInteractive(flags: Flags): boolean {
  return !flags.print && flags.outputFormat === 'text' && process.stdin.isTTY && process.stdout.isTTY;
}

function findMistake(argument: string | undefined, flags: Flags): string | undefined {
  const isStream = flags.inputFormat === 'stream-json';
  if (flags.resume === true && !flags.plain && !isInteractive(flags))
    return '--resume needs an id here; coppice sessions lists them, --continue resumes the newest';
  if (flags.continue && flags.resume !== undefined) return 'give --continue or --resume, not both';
  if (flags.record !== undefined && flags.replay !== undefined) return 'give --record or --replay, not both';
  const resumes = flags.continue === true || flags.resume !== undefined;
  const isBranch = flags.branch === true || flags.forkSession === true;
  if (isBranch && !resumes) {
    return `${flags.branch ? '--branch' : '--fork-session'} needs --continue or --resume: the session to branch from`;
  }
  if (flags.sessionPersistence === false && resumes && !isBranch) {
    return '--no-session-persistence with --continue or --resume needs --branch: a saved session is not deleted';
  }
  if (flags.resumeSessionAt !== undefined && !resumes) {
    return '--resume-session-at needs --continue or --resume: the session that the message is in';
  }
  if (flags.resumeSessionAt !== undefined && flags.rewindTo !== undefined) {
    return 'give --resume-session-at or --rewind-to, not both';
  }
  if (flags.dangerouslySkipPermissions && (flags.permissionMode ?? 'bypassPermissions') !== 'bypassPermissions') {
    return 'give --permission-mode or --dangerously-skip-permissions, not both: they conflict';
  }
  if (flags.rewindTo !== undefined && !resumes) {
    return '--rewind-to needs --continue or --resume: the session to rewind';
  }
  if (flags.rewind !== undefined && flags.rewindTo === undefined) {
    return '--rewind needs --rewind-to: the number of the prompt to rewind to';
  }
  if (isStream && flags.outputFormat !== 'stream-json') {
    return '--input-format stream-json needs --output-format stream-json: the output is a stream too';
  }
  if (isStream && argument !== undefined) {
    return 'with --input-format stream-json the prompts come on standard input, not as an argument';
  }
  if (flags.replayUserMessages && !isStream) {
    return '--replay-user-messages needs --input-format stream-json: it echoes the input';
  }
  if (flags.plain && (flags.print || flags.outputFormat !== 'text' || isStream)) {
    return '--plain is interactive: leave out --print, --output-format and --input-format';
  }
  if (flags.jsonSchema !== undefined && (flags.plain || isInteractive(flags))) {
    return '--json-schema is for programs: use it with --print, not in an interactive session';
  }
  if (flags.permissionPromptTool !== undefined && !isStream) {
    return '--permission-prompt-tool stdio needs --input-format stream-json: the answers come on standard input';
  }
  return undefined;
}
