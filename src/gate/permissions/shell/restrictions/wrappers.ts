/** Programs that run other programs or code, for rules that must find too much rather than too little. */

import { findProgram } from '../../programs/find-program.js';

/** The code may be attached: `perl -e'…'`. */
const INLINE_CODE = /^-(?:[A-Za-z]*[cepEr]|-(?:eval|print|command|exec|execute|run|code|file)(?:=|$))/;

/** The normalised name of a program: no folder, no case, no look-alike letters. */
export function programName(word: string): string {
  const base = word.slice(word.lastIndexOf('/') + 1);
  if (/^[\x21-\x7e]*$/.test(base)) return base.toLowerCase();
  return base
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Mn}\p{Zs}\p{Cc}]/gu, '')
    .toLowerCase();
}

/** It runs a command given in its arguments: for deny rules, every argument may start one. */
export function isRunner(name: string): boolean {
  const row = findProgram(name);
  return row?.runs === 'shell' || (row?.wraps !== undefined && row.wrapsByOption !== true);
}

/** It runs what the project or the person configured under a name, and sometimes a command. Computed words are normal. */
export function isLauncher(name: string): boolean {
  return findProgram(name)?.launches === true;
}

/** It reads shell text from an argument, a file or its input. */
export function isShell(name: string): boolean {
  return findProgram(name)?.runs === 'shell';
}

/** A shell, or a language whose code may be given on the command line. */
export function runsText(name: string): boolean {
  return isShell(name) ? name !== '.' && name !== 'source' : runsCode(name);
}

function runsCode(name: string): boolean {
  return findProgram(name)?.runs === 'code';
}

/** True for code in another language, which a rule about names can't inspect. */
export function runsInlineCode(name: string, args: readonly (string | undefined)[]): boolean {
  const row = findProgram(name);
  if (row?.runs !== 'code') return false;
  if (row.code === 'operands') return true;
  // Words after a script's name belong to the script.
  const script = args.findIndex(
    (arg) => arg !== undefined && !arg.startsWith('-') && /[./]/.test(arg) && !/^\/(?:dev|proc)\//.test(arg),
  );
  const own = script < 0 ? args : args.slice(0, script);
  return (
    args.length === 0 ||
    own.some((arg) => arg === undefined || /^(?:-$|\/dev\/|\/proc\/|eval$)/.test(arg) || INLINE_CODE.test(arg))
  );
}

/** It certainly changes what its arguments name. */
export function changesOperands(name: string): boolean {
  return findProgram(name)?.writes?.split(' ').includes('=') === true;
}

/** Its words are text, not files. */
export function takesText(name: string): boolean {
  const row = findProgram(name);
  return (
    row?.texts?.split(' ').includes('=') === true || (typeof row?.reads === 'object' && row.reads.operands === 'text')
  );
}

/** Options whose value is a program or a command line, for any program. */
export const PROGRAM_OPTION =
  /^--?(?:[a-z-]*-)?(?:exec|exec-batch|execdir|command|cmd|program|prog|pager|editor|shell|rsh|ssh|browser|html|pre|hook|action|script|upload-pack|receive-pack|hostname-bin|open-files-in-pager|extcmd|tool|ok|okdir|x|eval)(?:=([\s\S]*))?$/;

/** Variables whose value some program runs. */
export const PROGRAM_VARIABLE =
  /(?:COMMAND|_CMD|EDITOR|PAGER|SHELL|BROWSER|ASKPASS|EXTERNAL_DIFF|_SSH|RSH|LESSOPEN|LESSCLOSE|PS4|PROMPT|PROXY_CMD|WRAPPER|HOOK|VISUAL|MAKE|CC|CXX|LD|PRE)$/i;
