/** What runs on this machine, as the process table says. Dead processes that nobody collected don't count. */

import { readdirSync, readFileSync } from 'node:fs';

/** Command lines of all running processes that contain `text`, with their ids. */
export function runningWith(text: string): string[] {
  return ids().flatMap((id) => {
    try {
      const line = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return line.includes(text) && state(id)?.state !== 'Z' ? [`${id} ${line}`] : [];
    } catch {
      return [];
    }
  });
}

/** The same, of those that were started with `text` in a value of their environment. */
export function runningIn(text: string): string[] {
  return ids().flatMap((id) => {
    try {
      const isIts = readFileSync(`/proc/${id}/environ`, 'utf8').includes(text) && state(id)?.state !== 'Z';
      return isIts ? [`${id} ${readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)}`] : [];
    } catch {
      return [];
    }
  });
}

export function groupRuns(group: number): boolean {
  return ids().some((id) => {
    const found = state(id);
    return found !== undefined && found.group === group && found.state !== 'Z' && found.state !== 'X';
  });
}

function ids(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

function state(id: string): { state: string; group: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    const [letter = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: letter, group: Number(group) };
  } catch {
    return undefined;
  }
}
