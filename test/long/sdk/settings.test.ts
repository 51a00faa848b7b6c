/** CL-2: settings, and which files are read. */

import { expect } from 'vitest';
import { type Case, runCases } from './cases.js';

const PROJECT = {
  'CLAUDE.md': 'Remember MARKER-PROJECT.',
  '~/.claude/CLAUDE.md': 'Remember MARKER-USER.',
  '.claude/settings.json': JSON.stringify({ model: 'sonnet' }),
  '~/.claude/settings.json': JSON.stringify({ model: 'haiku' }),
};

const CASES: readonly Case[] = [
  {
    about: 'settings',
    says: 'an object; it counts before files',
    files: PROJECT,
    given: { settings: { model: 'claude-opus-4-8' } },
    expects: ({ sent }) => expect(sent[0]?.model).toBe('claude-opus-4-8'),
  },
  {
    about: 'settings',
    says: 'the path of a file',
    files: { 'more.json': JSON.stringify({ model: 'claude-opus-4-8' }) },
    given: ({ folder }) => ({ settings: `${folder}/more.json` }),
    expects: ({ sent }) => expect(sent[0]?.model).toBe('claude-opus-4-8'),
  },
  {
    about: 'settings',
    says: 'broken ones end the run',
    files: { 'more.json': '{' },
    given: ({ folder }) => ({ settings: `${folder}/more.json` }),
    expects: ({ sent, error, stderr }) => {
      expect(sent).toEqual([]);
      expect(error).toBeDefined();
      expect(stderr).toContain('more.json');
    },
  },
  {
    about: 'settingSources',
    says: 'omitted: all files are read',
    files: PROJECT,
    expects: ({ sent }) => {
      expect(JSON.stringify(sent[0])).toContain('MARKER-PROJECT');
      expect(JSON.stringify(sent[0])).toContain('MARKER-USER');
    },
  },
  {
    about: 'settingSources',
    says: '`[]`: no settings file and no `CLAUDE.md` is read',
    files: PROJECT,
    given: { settingSources: [] },
    expects: ({ sent, error }) => {
      expect(error).toBeUndefined();
      expect(JSON.stringify(sent[0])).not.toContain('MARKER-PROJECT');
      expect(JSON.stringify(sent[0])).not.toContain('MARKER-USER');
      expect(sent[0]?.model).not.toMatch(/haiku|sonnet/);
    },
  },
  {
    about: 'settingSources',
    says: '`[]`: nor agents and skills of files',
    files: {
      '~/.claude/agents/oak.md': '---\nname: oak\ndescription: looks at MARKER-AGENT\n---\nYou are oak.\n',
      '~/.claude/skills/sawing/SKILL.md': '---\nname: sawing\ndescription: MARKER-SKILL\n---\nSaw.\n',
    },
    play: async (stage) => {
      const read = await stage.run('go');
      expect(JSON.stringify(read.sent[0])).toContain('MARKER-AGENT');
      expect(JSON.stringify(read.sent[0])).toContain('MARKER-SKILL');
      const unread = await stage.run('go', { settingSources: [] });
      expect(JSON.stringify(unread.sent.at(-1))).not.toMatch(/MARKER-AGENT|MARKER-SKILL/);
    },
  },
  {
    about: 'settingSources',
    says: '`user`: only the person’s own',
    files: PROJECT,
    given: { settingSources: ['user'] },
    expects: ({ sent }) => {
      expect(JSON.stringify(sent[0])).not.toContain('MARKER-PROJECT');
      expect(JSON.stringify(sent[0])).toContain('MARKER-USER');
      expect(sent[0]?.model).toBe('claude-haiku-5-5');
    },
  },
  {
    about: 'settingSources',
    says: '`project`: only the project’s',
    files: PROJECT,
    given: { settingSources: ['project'] },
    expects: ({ sent }) => {
      expect(JSON.stringify(sent[0])).toContain('MARKER-PROJECT');
      expect(JSON.stringify(sent[0])).not.toContain('MARKER-USER');
    },
  },
];

runCases('CL-2', 'settings', CASES);
