/** Formats one line of progress for the user. */

import { escapeToLine } from '../../../protocol/escape-controls.js';

export type Progress = {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
};

const LONGEST = 200;

export function describeProgress({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined ? count : escapeToLine(`${count} ${message.slice(0, LONGEST).toWellFormed()}`);
}
