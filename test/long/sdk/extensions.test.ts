/** CL-2: agents, skills, plugins. */

import { join } from 'node:path';
import { expect } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { type Case, runCases, systemOf, toolNames } from './cases.js';

/** The main agent calls the agent `oak`. */
const CALLS_OAK: readonly Rule[] = [
  { when: { said: 'CHILD TASK' }, reply: 'The child says ok.' },
  { when: { result: { tool: 'Agent', error: true } }, reply: 'It failed: {{result}}' },
  { when: { result: { tool: 'Agent' } }, reply: 'It said: {{result}}' },
  { reply: [{ tool: 'Agent', input: { description: 'look', prompt: 'CHILD TASK', subagent_type: 'oak' } }] },
];

const SKILL = '---\nname: sawing\ndescription: how to saw MARKER-SKILL\n---\nSaw MARKER-BODY.\n';
const OTHER_SKILL = SKILL.replaceAll('sawing', 'felling').replaceAll('MARKER', 'OTHER');

const CASES: readonly Case[] = [
  {
    about: 'agents',
    says: 'can be called; prompt, tools and model are theirs',
    rules: CALLS_OAK,
    given: {
      agents: {
        oak: { description: 'looks at trees', prompt: 'You are MARKER-OAK.', tools: ['Read'], model: 'haiku' },
      },
    },
    expects: ({ sent, result, messages }) => {
      const child = sent.find((body) => systemOf(body).includes('MARKER-OAK'));
      expect(toolNames(child)).toContain('Read');
      expect(toolNames(child)).not.toContain('Bash');
      expect(child?.model).toBe('claude-haiku-5-5');
      expect(result.result).toContain('The child says ok.');
      expect(messages.find(({ subtype }) => subtype === 'init')?.agents).toContain('oak');
    },
  },
  {
    about: 'agents',
    says: '`disallowedTools`, `maxTurns`',
    rules: [{ when: { said: 'CHILD TASK' }, reply: [{ tool: 'Read', input: { file_path: 'a.txt' } }] }, ...CALLS_OAK],
    files: { 'a.txt': 'x' },
    given: {
      agents: { oak: { description: 'd', prompt: 'You are MARKER-OAK.', disallowedTools: ['Bash'], maxTurns: 2 } },
    },
    expects: ({ sent }) => {
      const children = sent.filter((body) => systemOf(body).includes('MARKER-OAK'));
      expect(children).toHaveLength(2);
      expect(toolNames(children[0])).not.toContain('Bash');
    },
  },
  {
    about: 'agent',
    says: 'the session itself runs as this agent',
    given: {
      agent: 'oak',
      agents: { oak: { description: 'd', prompt: 'You are MARKER-OAK.', tools: ['Read'], model: 'haiku' } },
      systemPrompt: { type: 'preset', preset: 'claude_code' },
    },
    expects: ({ sent }) => {
      expect(systemOf(sent[0])).toContain('MARKER-OAK');
      expect(sent[0]?.model).toBe('claude-haiku-5-5');
      expect(toolNames(sent[0])).not.toContain('Bash');
    },
  },
  {
    about: 'agent',
    says: 'one that nobody has: the run ends with an error',
    given: { agent: 'nobody' },
    expects: ({ sent, error, stderr }) => {
      expect(sent).toEqual([]);
      expect(error).toBeDefined();
      expect(stderr).toContain('nobody');
    },
  },
  {
    about: 'skills',
    says: 'a list: only these',
    files: {
      '~/.claude/skills/sawing/SKILL.md': SKILL,
      '~/.claude/skills/felling/SKILL.md': OTHER_SKILL,
    },
    given: { skills: ['sawing'] },
    expects: ({ sent, messages }) => {
      expect(JSON.stringify(sent[0])).toContain('MARKER-SKILL');
      expect(JSON.stringify(sent[0])).not.toContain('OTHER-SKILL');
      const init = messages.find(({ subtype }) => subtype === 'init');
      expect(init?.skills).toContain('sawing');
      expect(init?.skills).not.toContain('felling');
    },
  },
  {
    about: 'skills',
    says: '`all`; the model uses them without a question',
    files: { '~/.claude/skills/sawing/SKILL.md': SKILL },
    rules: [
      { when: { result: { tool: 'Skill', error: true } }, reply: 'It failed: {{result}}' },
      { when: { result: { tool: 'Skill' } }, reply: 'Used.' },
      { reply: [{ tool: 'Skill', input: { skill: 'sawing' } }] },
    ],
    given: { skills: 'all' },
    expects: ({ sent, result }) => {
      expect(result.result).toBe('Used.');
      expect(JSON.stringify(sent.at(-1)?.messages)).toContain('MARKER-BODY');
    },
  },
  {
    about: 'plugins',
    says: 'folders of plugins: their skills and agents are there',
    files: {
      '../plugin/.claude-plugin/plugin.json': JSON.stringify({ name: 'forest', version: '1.0.0' }),
      '../plugin/skills/sawing/SKILL.md': SKILL,
    },
    given: ({ folder }) => ({ plugins: [{ type: 'local', path: join(folder, '..', 'plugin') }] }),
    expects: ({ sent, messages, error }) => {
      expect(error).toBeUndefined();
      expect(JSON.stringify(sent[0])).toContain('MARKER-SKILL');
      const init = messages.find(({ subtype }) => subtype === 'init');
      expect(init?.plugins).toMatchObject([{ name: 'forest' }]);
    },
  },
  {
    about: 'plugins',
    says: 'one that can’t be loaded: the run ends with an error',
    given: { plugins: [{ type: 'local', path: '/nowhere/at/all' }] },
    expects: ({ sent, error, stderr }) => {
      expect(sent).toEqual([]);
      expect(error).toBeDefined();
      expect(stderr).toContain('/nowhere/at/all');
    },
  },
];

runCases('CL-2', 'extensions', CASES);
