/** A session an earlier version wrote (test/fixtures/transcripts): put into a stage's home, and its requests made comparable. */

import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder, projectKey } from '../../../../src/config/paths.js';
import type { SessionOptions } from '../../../../src/engine/session-options.js';
import type { SimRequest } from '../../../../src/sim/index.js';
import type { Stage } from '../../../support/story.js';
import { comparable } from '../../../support/wire-body.js';

export const OLD_SESSION = 'old-session';
/** Where the old program ran. */
const OLD_HOME = '/home/someone';
const FIXTURE = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'transcripts', 'v1');

/** What the session was opened with: the same main agent, so that the tools by name are the same in every later version. */
export const AS_BEFORE: SessionOptions = {
  resume: OLD_SESSION,
  fork: 'on',
  agents: {
    keeper: {
      description: 'keeps notes',
      prompt: 'You keep notes.',
      tools: 'Read, Write, Edit, Bash, Glob, TodoWrite, Agent, SendMessage, TaskOutput, TaskStop',
    },
  },
  agent: 'keeper',
};

/**
 * The session in its own state folder, and its project's files as they were. `records`: only so many of the main
 * transcript, whose path is returned.
 */
export async function placeOldSession(stage: Stage, records = Number.POSITIVE_INFINITY): Promise<string> {
  const home = await mkdtemp(join(stage.home, 'state-'));
  stage.env.COPPICE_HOME = home;
  await rm(stage.folder, { recursive: true, force: true });
  await cp(join(FIXTURE, 'project'), stage.folder, { recursive: true });
  const project = projectFolder(home, projectKey(stage.folder));
  await mkdir(project, { recursive: true });
  await cp(join(FIXTURE, OLD_SESSION), join(project, OLD_SESSION), { recursive: true });
  const main = join(project, `${OLD_SESSION}.jsonl`);
  const lines = (await readFile(join(FIXTURE, `${OLD_SESSION}.jsonl`), 'utf8')).split('\n').filter(Boolean);
  await writeFile(main, movedHere(stage, lines.slice(0, records)));
  const subagents = join(project, OLD_SESSION, 'subagents');
  for (const name of await readdir(subagents)) {
    const path = join(subagents, name);
    await writeFile(path, movedHere(stage, (await readFile(path, 'utf8')).split('\n').filter(Boolean)));
  }
  return main;
}

/** Paths of the machine become those of the stage. Blocks stay as they are: their bytes are what is tested. */
function movedHere(stage: Stage, lines: readonly string[]): string {
  const moved = lines.map((line) => {
    const blocks = line.indexOf(',"blocks":[');
    const head = blocks < 0 ? line : line.slice(0, blocks);
    const here = head
      .replaceAll(`"cwd":"${OLD_HOME}/project"`, `"cwd":"${stage.folder}"`)
      .replaceAll(`"path":"${OLD_HOME}/project/`, `"path":"${stage.folder}/`)
      .replaceAll(`"output":"${OLD_HOME}/.coppice/`, `"output":"${stage.env.COPPICE_HOME}/`);
    return `${here}${blocks < 0 ? '' : line.slice(blocks)}\n`;
  });
  return moved.join('');
}

export type OldRequest = {
  readonly status: number | null;
  readonly rule: string;
  readonly model: string;
  readonly chars: number;
  readonly sha256: string;
};

/** Requests of the old program in their order: the whole text up to the end of the last message, by length and hash. */
export async function oldRequests(): Promise<readonly OldRequest[]> {
  return JSON.parse(await readFile(join(FIXTURE, 'requests.json'), 'utf8')) as OldRequest[];
}

/** The request as far as the old one went. */
export function beginningOf(
  request: SimRequest | undefined,
  old: OldRequest | undefined,
): Omit<OldRequest, 'status' | 'rule'> {
  if (request === undefined || old === undefined) throw new Error('a request is missing');
  const text = comparable(request).slice(0, old.chars);
  return { model: request.body.model, chars: text.length, sha256: sha256(text) };
}

/** Expectations the old program wrote by playing the same story. */
export async function oldExpectation(name: string): Promise<unknown> {
  return JSON.parse(await readFile(join(FIXTURE, 'expected', `${name}.json`), 'utf8'));
}

/** Model, number of messages and a hash over their bytes; what depends on the day and the machine is left out. */
export function messagesIn(stage: Stage, request: SimRequest): string {
  const whole = comparable(request);
  const text = whole
    .slice(whole.indexOf(',"messages":['))
    .replaceAll(stage.folder, `${OLD_HOME}/project`)
    .replaceAll(stage.env.COPPICE_HOME ?? '', `${OLD_HOME}/.coppice`)
    .replaceAll(projectKey(stage.folder), 'KEY')
    .replace(/now \(\d{4}-\d\d-\d\d\)/g, 'now (DATE)')
    .replace(/Platform: [^\\]*\\nDate: [^\\]*/g, 'PLATFORM AND DATE')
    .replace(/duration: \d+ ms/g, 'DURATION')
    // The old program did not say it.
    .replace(/\\n[\w-]+ has ended since\. TaskOutput with task_id: \\"[\w-]+\\" shows what it said\./g, '');
  return `${request.body.model}, ${request.body.messages.length} messages ${sha256(text)}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
