/** What developers run all day to check a repository. Nothing in it changes a file. */

import { readLines } from '../../../support/read-lines.js';

export type Everyday = {
  readonly command: string;
  /** What it prints differs from run to run. */
  readonly varies: boolean;
};

const list = (name: string, varies: boolean) =>
  readLines(new URL(name, import.meta.url)).map((command): Everyday => ({ command, varies }));

export const READING_COMMANDS: readonly Everyday[] = [
  ...list('reading.txt', false),
  ...list('reading-varying.txt', true),
];
