import { onTestFinished } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import { StatusLineRunner } from '../../../src/front/status-line/status-line-runner.js';

export const settings = (command: string, more: object = {}) => ({ statusLine: { type: 'command', command, ...more } });

export function watch(session: Session): { line: StatusLineRunner; changes: string[] } {
  const changes: string[] = [];
  const line = new StatusLineRunner({
    session,
    colours: false,
    size: () => ({ columns: 132, lines: 43 }),
    onChange: (lines) => changes.push(lines.join('\n')),
  });
  onTestFinished(() => line.close());
  line.start();
  return { line, changes };
}

export const interactive = { interactive: true } as const;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
