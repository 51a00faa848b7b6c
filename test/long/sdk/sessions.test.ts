/** CL-2: sessions that continue, and what is kept of them. */

import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { type Case, runCases } from './cases.js';
import type { SdkStage } from './sdk-stage.js';

const TALK: readonly Rule[] = [
  { when: { user: 'third' }, reply: 'Three.' },
  { when: { user: 'second' }, reply: 'Two.' },
  { when: { user: 'first' }, reply: 'One.' },
];

const WRITES: readonly Rule[] = [
  { when: { result: { tool: 'Write' } }, reply: 'Written.' },
  {
    when: { user: { matches: 'write (?<what>\\w+)' } },
    reply: [{ tool: 'Write', input: { file_path: 'made.txt', content: '{{what}}' } }],
  },
];

const PROMPT = '11111111-1111-4111-8111-111111111111';

const said = (stage: SdkStage) => JSON.stringify(stage.sim.requests.at(-1)?.body.messages);

const CASES: readonly Case[] = [
  {
    about: 'sessionId',
    says: 'the id of the new session',
    given: { sessionId: '22222222-2222-4222-8222-222222222222' },
    expects: ({ result }) => expect(result.session_id).toBe('22222222-2222-4222-8222-222222222222'),
  },
  {
    about: 'resume',
    says: 'goes on with a session, under the same id',
    rules: TALK,
    play: async (stage) => {
      const first = await stage.run('first');
      const second = await stage.run('second', { resume: String(first.result.session_id) });
      expect(second.result).toMatchObject({ result: 'Two.', session_id: first.result.session_id });
      expect(said(stage)).toMatch(/first[\s\S]*One\.[\s\S]*second/);
    },
  },
  {
    about: 'resume',
    says: 'one that is not there: the run ends with an error',
    given: { resume: '33333333-3333-4333-8333-333333333333' },
    expects: ({ sent, error, stderr }) => {
      expect(sent).toEqual([]);
      expect(error).toBeDefined();
      expect(stderr).toMatch(/33333333/);
    },
  },
  {
    about: 'continue',
    says: 'goes on with the newest session of the folder',
    rules: TALK,
    play: async (stage) => {
      const first = await stage.run('first');
      const second = await stage.run('second', { continue: true });
      expect(second.result.session_id).toBe(first.result.session_id);
      expect(said(stage)).toContain('One.');
    },
  },
  {
    about: 'forkSession',
    says: 'with `resume`: as a new session; the old one stays as it is',
    rules: TALK,
    play: async (stage) => {
      const first = await stage.run('first');
      const id = String(first.result.session_id);
      const fork = await stage.run('second', { resume: id, forkSession: true });
      expect(fork.result.session_id).not.toBe(id);
      expect(said(stage)).toContain('One.');
      await stage.run('third', { resume: id });
      expect(said(stage)).not.toContain('Two.');
    },
  },
  {
    about: 'resumeSessionAt',
    says: 'goes on from just after a message, by its `uuid`',
    rules: TALK,
    play: async (stage) => {
      const live = stage.open();
      live.say('first');
      await live.result(1);
      live.say('second');
      await live.result(2);
      const { messages, result } = await live.end();
      const reply = messages.find(({ type }) => type === 'assistant');
      const options = { resume: String(result.session_id), resumeSessionAt: String(reply?.uuid) };
      const third = await stage.run('third', options);
      expect(third.error).toBeUndefined();
      expect(third.result.result).toBe('Three.');
      expect(said(stage)).toContain('One.');
      expect(said(stage)).not.toContain('second');
    },
  },
  {
    about: 'resumeSessionAt',
    says: 'a message that is not there: the run ends with an error',
    rules: TALK,
    play: async (stage) => {
      const first = await stage.run('first');
      const lost = '44444444-4444-4444-8444-444444444444';
      const { error, sent, stderr } = await stage.run('second', {
        resume: String(first.result.session_id),
        resumeSessionAt: lost,
      });
      expect(sent).toHaveLength(1);
      expect(error).toBeDefined();
      expect(stderr).toContain(lost);
    },
  },
  {
    about: 'persistSession',
    says: '`false`: nothing of it is on disk when it has ended',
    rules: TALK,
    play: async (stage) => {
      const kept = await stage.run('first');
      expect(filesWith(stage, String(kept.result.session_id))).not.toEqual([]);
      const { result, error } = await stage.run('second', { persistSession: false });
      expect(error).toBeUndefined();
      expect(result.result).toBe('Two.');
      expect(filesWith(stage, String(result.session_id))).toEqual([]);
      const resumed = await stage.run('third', { resume: String(result.session_id) });
      expect(resumed.error).toBeDefined();
    },
  },
  {
    about: 'enableFileCheckpointing',
    says: 'with `rewindFiles(uuid of a prompt)`: files are as before it',
    rules: WRITES,
    play: async (stage) => {
      const live = stage.open({
        enableFileCheckpointing: true,
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
      });
      live.say('write before');
      await live.result(1);
      live.say('write after', { uuid: PROMPT });
      await live.result(2);
      expect(await stage.read('made.txt')).toBe('after');
      expect(await live.query.rewindFiles(PROMPT, { dryRun: true })).toMatchObject({ canRewind: true });
      expect(await stage.read('made.txt')).toBe('after');
      const done = await live.query.rewindFiles(PROMPT);
      expect(done).toMatchObject({ canRewind: true });
      expect(await stage.read('made.txt')).toBe('before');
      await live.end();
    },
  },
];

function filesWith(stage: SdkStage, id: string): string[] {
  return readdirSync(stage.home, { recursive: true })
    .map(String)
    .filter((name) => name.includes(id));
}

runCases('CL-2', 'sessions', CASES);
