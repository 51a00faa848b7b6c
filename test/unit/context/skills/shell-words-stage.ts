/** What the tests of shell-words.test.ts share with those of test:long. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell.

import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { renderSkill } from '../../../../src/context/skills/render-skill.js';

export const NAMES = ['first', 'second'];

export function commandOf(command: string, args: string): string {
  const facts = { args, argumentNames: NAMES, variables: { CLAUDE_SKILL_DIR: "/it's $(touch pwned)" } };
  const fence = '`'.repeat(20);
  const shells = renderSkill(`${fence}!\n${command}\n${fence}`, facts).filter((part) => part.kind === 'shell');
  expect(shells).toHaveLength(1);
  return shells[0]?.command ?? '';
}

/** The output of `words`, each word followed by NUL. Failures in the shell are irrelevant here. */
export function run(folder: string, command: string): readonly string[] {
  const script = `words() { printf '%s\\0' "$@"; }\n${command}\n`;
  try {
    const said = execFileSync('/bin/bash', ['-c', script], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    return said.toString().split('\0').slice(0, -1);
  } catch {
    return ['(failed)'];
  }
}

/** As one typed word. */
export const typed = (word: string) => `"${word.replace(/[\\"]/g, '\\$&')}"`;

export const HOSTILE = [
  "'; touch pwned; '",
  '"; touch pwned; "',
  '$(touch pwned)',
  '`touch pwned`',
  '\ntouch pwned\n',
  '"',
  "'",
  '\\',
  "\\'; touch pwned #",
  '$PATH',
  '*',
  '~',
  '{a,b}',
  '!!',
  '&& touch pwned',
  '>pwned',
  '\nEOF\ntouch pwned\n',
  ')" ; touch pwned ; "(',
  'x[$(touch pwned)]',
  '',
];
