/** Where a session keeps its files, as a test finds them: by listing, without the program's own idea of it. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from '../../src/front/sdk/session.js';

/** Everything of the session but its main transcript. */
export function sessionFolder({ transcript }: Pick<Session, 'transcript'>): string {
  return transcript.replace(/\.jsonl$/, '');
}

export function agentTranscript(session: Pick<Session, 'transcript'>, id: string): string {
  return join(sessionFolder(session), 'subagents', `agent-${id}.jsonl`);
}

export async function agentTranscripts(session: Pick<Session, 'transcript'>): Promise<string[]> {
  const folder = join(sessionFolder(session), 'subagents');
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name));
}

/** Main transcripts of all sessions in a state folder. */
export async function transcriptsIn(home: string | undefined): Promise<string[]> {
  const projects = join(home ?? '', 'projects');
  const names = await readdir(projects, { recursive: true }).catch(() => []);
  return names.filter((name) => /^[^/]+\/[^/]+\.jsonl$/.test(name)).map((name) => join(projects, name));
}
