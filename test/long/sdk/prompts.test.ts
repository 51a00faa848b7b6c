/** CL-2: prompts and system prompts. */

import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { expect } from 'vitest';
import { runProgram } from '../../support/program.js';
import { type Case, pixel, runCases, systemOf } from './cases.js';

/** Of the prompt of our own. */
const OWN = 'You are Coppice';

const CASES: readonly Case[] = [
  {
    about: 'prompt',
    says: 'a text',
    prompt: 'count the files',
    expects: ({ sent, result, error }) => {
      expect(error).toBeUndefined();
      expect(JSON.stringify(sent[0]?.messages)).toContain('count the files');
      expect(result).toMatchObject({ subtype: 'success', result: 'Hello.', is_error: false });
    },
  },
  {
    about: 'prompt',
    says: 'a stream: one `result` each, in one session',
    rules: [
      { when: { user: 'second' }, reply: 'Two.' },
      { when: { user: 'first' }, reply: 'One.' },
    ],
    play: async (stage) => {
      const live = stage.open();
      live.say('first');
      expect(await live.result(1)).toMatchObject({ result: 'One.' });
      live.say('second');
      expect(await live.result(2)).toMatchObject({ result: 'Two.' });
      const { messages, error, sent } = await live.end();
      expect(error).toBeUndefined();
      expect(sent[1]?.messages.length).toBeGreaterThan(sent[0]?.messages.length ?? 0);
      expect(new Set(messages.map(({ session_id }) => session_id)).size).toBe(1);
    },
  },
  {
    about: 'prompt',
    says: 'images',
    play: async (stage) => {
      const { result } = await stage.run(once(pixel('look')));
      expect(result).toMatchObject({ subtype: 'success' });
      expect(stage.sim.requests[0]?.raw.toString('utf8')).toContain('"media_type":"image/png"');
    },
  },
  {
    about: 'systemPrompt',
    says: 'omitted: none of ours is sent',
    expects: ({ sent, error }) => {
      expect(error).toBeUndefined();
      expect(sent).toHaveLength(1);
      expect(systemOf(sent[0])).not.toContain(OWN);
    },
  },
  {
    about: 'systemPrompt',
    says: 'a text instead of ours',
    given: { systemPrompt: 'Speak like MARKER-ONE.' },
    expects: ({ sent }) => {
      expect(systemOf(sent[0])).toContain('Speak like MARKER-ONE.');
      expect(systemOf(sent[0])).not.toContain(OWN);
    },
  },
  {
    about: 'systemPrompt',
    says: 'a list of texts',
    given: { systemPrompt: ['MARKER-ONE', 'MARKER-TWO'] },
    expects: ({ sent }) => expect(systemOf(sent[0])).toMatch(/MARKER-ONE[\s\S]*MARKER-TWO/),
  },
  {
    about: 'systemPrompt',
    says: '`custom`',
    given: { systemPrompt: { type: 'custom', prompt: 'MARKER-ONE' } },
    expects: ({ sent }) => expect(systemOf(sent[0])).toContain('MARKER-ONE'),
  },
  {
    about: 'systemPrompt',
    says: '`preset`: ours',
    given: { systemPrompt: { type: 'preset', preset: 'claude_code' } },
    expects: ({ sent }) => expect(systemOf(sent[0])).toContain(OWN),
  },
  {
    about: 'systemPrompt',
    says: '`preset` with `append`: ours, and the text after it',
    given: {
      systemPrompt: { type: 'preset', preset: 'claude_code', append: 'MARKER-MORE', excludeDynamicSections: true },
    },
    expects: ({ sent }) => {
      expect(systemOf(sent[0]).indexOf('MARKER-MORE')).toBeGreaterThan(systemOf(sent[0]).indexOf(OWN));
      expect(systemOf(sent[0])).toContain(OWN);
    },
  },
  {
    about: 'cwd',
    says: 'the folder of the session',
    given: (stage) => ({ cwd: stage.folder }),
    expects: ({ messages }, { folder }) => expect(messages.find(({ subtype }) => subtype === 'init')?.cwd).toBe(folder),
  },
  {
    about: 'env',
    says: 'the environment of the program and of its tools',
    rules: [
      { when: { result: { tool: 'Bash' } }, reply: 'It says {{result}}' },
      { reply: [{ tool: 'Bash', input: { command: 'echo "$MARKER"', description: 'show' } }] },
    ],
    given: ({ env }) => ({ env: { ...env, MARKER: 'from-the-client' }, allowedTools: ['Bash'] }),
    expects: ({ result }) => expect(result.result).toContain('from-the-client'),
  },
  {
    about: 'additionalDirectories',
    says: 'may be read and written like the folder itself',
    rules: [
      { when: { result: { tool: 'Read' } }, reply: 'It says {{result}}' },
      {
        when: { user: { matches: 'read (?<file>\\S+)' } },
        reply: [{ tool: 'Read', input: { file_path: '{{file}}' } }],
      },
    ],
    files: { '../beside/notes.txt': 'MARKER-BESIDE' },
    play: async (stage) => {
      const file = stage.folder.replace(/project$/, 'beside/notes.txt');
      const without = await stage.run(`read ${file}`);
      expect(without.result.result).not.toContain('MARKER-BESIDE');
      const given = await stage.run(`read ${file}`, { additionalDirectories: [file.replace(/\/notes\.txt$/, '')] });
      expect(given.result.result).toContain('MARKER-BESIDE');
    },
  },
  {
    about: 'title',
    says: 'the name of the session; lists of sessions show it',
    given: { title: 'Counting MARKER files' },
    expects: async ({ result }, { at }) => {
      const { stdout } = await runProgram(['sessions', '--json'], at);
      expect(JSON.parse(stdout)).toMatchObject([{ id: result.session_id, name: 'Counting MARKER files' }]);
    },
  },
];

async function* once(content: SDKUserMessage['message']['content']): AsyncGenerator<SDKUserMessage> {
  yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

runCases('CL-2', 'prompts', CASES);
