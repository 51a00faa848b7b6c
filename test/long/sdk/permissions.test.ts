/** CL-2: what may run, and who is asked. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PermissionUpdate } from '@anthropic-ai/claude-agent-sdk';
import { expect } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { type Case, runCases, toolNames } from './cases.js';
import type { SdkStage } from './sdk-stage.js';

/** The model wants to make a file by a command. */
const TOUCH: readonly Rule[] = [
  { when: { result: { tool: 'Bash', error: true } }, reply: 'It failed: {{result}}' },
  { when: { result: { tool: 'Bash' } }, reply: 'It worked.' },
  { when: { user: 'go' }, reply: [{ tool: 'Bash', input: { command: 'touch made', description: 'make it' } }] },
];
/** … and by Write. */
const WRITE: readonly Rule[] = [
  { when: { result: { tool: 'Write', error: true } }, reply: 'It failed: {{result}}' },
  { when: { result: { tool: 'Write' } }, reply: 'It worked.' },
  { reply: [{ tool: 'Write', input: { file_path: 'made', content: 'x' } }] },
];

const isMade = (stage: SdkStage, name = 'made') => existsSync(join(stage.folder, name));

const CASES: readonly Case[] = [
  {
    about: 'permissionMode',
    says: '`default`: what nobody allows is denied, and listed in `permission_denials`',
    rules: TOUCH,
    expects: ({ result }, stage) => {
      expect(isMade(stage)).toBe(false);
      expect(result.permission_denials).toMatchObject([{ tool_name: 'Bash', tool_input: { command: 'touch made' } }]);
    },
  },
  {
    about: 'permissionMode',
    says: '`acceptEdits`: files of the folder are written',
    rules: WRITE,
    given: { permissionMode: 'acceptEdits' },
    expects: (_, stage) => expect(isMade(stage)).toBe(true),
  },
  {
    about: 'permissionMode',
    says: '`plan`: nothing is changed',
    rules: WRITE,
    given: { permissionMode: 'plan', allowedTools: ['Write'] },
    expects: ({ messages }, stage) => {
      expect(isMade(stage)).toBe(false);
      expect(messages.find(({ subtype }) => subtype === 'init')?.permissionMode).toBe('plan');
    },
  },
  {
    about: 'permissionMode',
    says: '`dontAsk`: denied without a question',
    rules: TOUCH,
    given: {
      permissionMode: 'dontAsk',
      canUseTool: async () => {
        throw new Error('nobody may be asked');
      },
    },
    expects: ({ result }, stage) => {
      expect(isMade(stage)).toBe(false);
      expect(result.permission_denials).toHaveLength(1);
    },
  },
  {
    about: 'allowDangerouslySkipPermissions',
    says: 'with `bypassPermissions`: everything runs',
    rules: TOUCH,
    given: { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
    expects: ({ result }, stage) => {
      expect(isMade(stage)).toBe(true);
      expect(result.result).toBe('It worked.');
    },
  },
  {
    about: 'allowedTools',
    says: 'rules that allow',
    rules: TOUCH,
    given: { allowedTools: ['Bash(touch:*)'] },
    expects: (_, stage) => expect(isMade(stage)).toBe(true),
  },
  {
    about: 'disallowedTools',
    says: 'rules that deny, in every mode',
    rules: TOUCH,
    given: {
      disallowedTools: ['Bash(touch:*)'],
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    },
    expects: (_, stage) => expect(isMade(stage)).toBe(false),
  },
  {
    about: 'disallowedTools',
    says: 'a tool by its name: it is not declared to the model, and a call of it fails',
    rules: TOUCH,
    given: { disallowedTools: ['Bash'], permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
    expects: ({ result, sent, messages }, stage) => {
      expect(toolNames(sent[0])).toContain('Read');
      expect(toolNames(sent[0])).not.toContain('Bash');
      const init = messages.find(({ subtype }) => subtype === 'init');
      expect(init?.tools).toContain('Read');
      expect(init?.tools).not.toContain('Bash');
      expect(isMade(stage)).toBe(false);
      expect(result.result).toMatch(/^It failed/);
    },
  },
  {
    about: 'tools',
    says: 'a list: only these of the built-in ones',
    given: { tools: ['Read', 'Grep'] },
    expects: ({ sent, messages }) => {
      expect(toolNames(sent[0]).sort()).toEqual(['Grep', 'Read']);
      const init = messages.find(({ subtype }) => subtype === 'init');
      expect(init?.tools).toHaveLength(2);
      expect(init?.tools).toEqual(expect.arrayContaining(['Grep', 'Read']));
    },
  },
  {
    about: 'tools',
    says: '`[]`: none',
    given: { tools: [] },
    expects: ({ sent, result }) => {
      expect(toolNames(sent[0])).toEqual([]);
      expect(result.subtype).toBe('success');
    },
  },
  {
    about: 'tools',
    says: 'the preset: all',
    given: { tools: { type: 'preset', preset: 'claude_code' } },
    expects: ({ sent }) =>
      expect(toolNames(sent[0])).toEqual(expect.arrayContaining(['Agent', 'Bash', 'Edit', 'Read', 'Write'])),
  },
  {
    about: 'canUseTool',
    says: 'is asked with `title`, `toolUseID`, `decisionReason` and `suggestions`; `allow` runs the call',
    rules: TOUCH,
    play: async (stage) => {
      const asked: Record<string, unknown>[] = [];
      const { result } = await stage.run('go', {
        canUseTool: async (tool, input, { signal: _, ...more }) => {
          asked.push({ tool, input, ...more });
          return { behavior: 'allow', updatedInput: input };
        },
      });
      expect(asked).toMatchObject([{ tool: 'Bash', input: { command: 'touch made' } }]);
      expect(asked[0]?.toolUseID).toMatch(/^toolu_/);
      expect(asked[0]?.title).toMatch(/\S/);
      expect(asked[0]?.decisionReason).toMatch(/\S/);
      expect(asked[0]?.suggestions).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'addRules' })]));
      expect(isMade(stage)).toBe(true);
      expect(result.permission_denials).toEqual([]);
    },
  },
  {
    about: 'canUseTool',
    says: '`updatedInput`: that runs instead',
    rules: TOUCH,
    given: { canUseTool: async () => ({ behavior: 'allow', updatedInput: { command: 'touch other' } }) },
    expects: (_, stage) => {
      expect(isMade(stage)).toBe(false);
      expect(isMade(stage, 'other')).toBe(true);
    },
  },
  {
    about: 'canUseTool',
    says: '`deny`: the model reads the message',
    rules: TOUCH,
    given: { canUseTool: async () => ({ behavior: 'deny', message: 'Not on MARKER day.' }) },
    expects: ({ result }, stage) => {
      expect(isMade(stage)).toBe(false);
      expect(result.result).toContain('Not on MARKER day.');
      expect(result.permission_denials).toHaveLength(1);
    },
  },
  {
    about: 'canUseTool',
    says: '`deny` with `interrupt` ends the turn',
    rules: TOUCH,
    given: { canUseTool: async () => ({ behavior: 'deny', message: 'Stop.', interrupt: true }) },
    expects: ({ result, sent }, stage) => {
      expect(isMade(stage)).toBe(false);
      expect(result.subtype).toBe('error_during_execution');
      expect(sent).toHaveLength(1);
    },
  },
  {
    about: 'canUseTool',
    says: 'suggestions sent back in `updatedPermissions` hold: the next call is not asked about',
    rules: [
      { when: { user: 'again' }, reply: [{ tool: 'Bash', input: { command: 'touch made', description: 'make it' } }] },
      ...TOUCH,
    ],
    play: async (stage) => {
      let count = 0;
      const live = stage.open({
        canUseTool: async (_, input, { suggestions = [] }) => {
          count += 1;
          const updatedPermissions = suggestions.filter(isForSession).slice(0, 1);
          return { behavior: 'allow', updatedInput: input, updatedPermissions };
        },
      });
      live.say('go');
      await live.result(1);
      live.say('again');
      await live.result(2);
      await live.end();
      expect(count).toBe(1);
    },
  },
  {
    about: 'canUseTool',
    says: 'answers questions of the model (`AskUserQuestion`)',
    rules: [
      { when: { result: { tool: 'AskUserQuestion' } }, reply: 'You chose: {{result}}' },
      {
        reply: [
          {
            tool: 'AskUserQuestion',
            input: {
              questions: [
                {
                  question: 'Which one?',
                  header: 'Which',
                  multiSelect: false,
                  options: [
                    { label: 'Oak', description: 'a' },
                    { label: 'Hazel', description: 'b' },
                  ],
                },
              ],
            },
          },
        ],
      },
    ],
    given: {
      canUseTool: async (_, input) => ({
        behavior: 'allow',
        updatedInput: { ...input, answers: { 'Which one?': 'Hazel' } },
      }),
    },
    expects: ({ result }) => expect(result.result).toMatch(/You chose: [\s\S]*Hazel/),
  },
  {
    about: 'permissionPrompts',
    says: '`none`: nobody is asked',
    rules: TOUCH,
    play: async (stage) => {
      const asked: string[] = [];
      const { result } = await stage.run('go', {
        permissionPrompts: 'none',
        canUseTool: async (name, updatedInput) => {
          asked.push(name);
          return { behavior: 'allow', updatedInput };
        },
      });
      expect(asked).toEqual([]);
      expect(isMade(stage)).toBe(false);
      expect(result.permission_denials).toMatchObject([{ tool_name: 'Bash' }]);
    },
  },
  {
    about: 'sandbox',
    says: 'settings of the sandbox hold for the session',
    rules: [
      { when: { result: { tool: 'Bash' } }, reply: 'It says {{result}}' },
      { reply: [{ tool: 'Bash', input: { command: 'touch "$HOME/escaped"; echo $?', description: 'try' } }] },
    ],
    given: { sandbox: { enabled: true, autoAllowBashIfSandboxed: true }, allowedTools: ['Bash'] },
    expects: ({ error }, { home }) => {
      expect(error).toBeUndefined();
      expect(existsSync(join(home, 'escaped'))).toBe(false);
    },
  },
];

function isForSession(update: PermissionUpdate): boolean {
  return update.type === 'addRules' && update.destination === 'session';
}

runCases('CL-2', 'permissions', CASES);
