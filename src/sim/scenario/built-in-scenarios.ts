/** The built-in scenarios, by name. They only use tools that every session has. */

import type { Scenario } from './scenario.js';

/** Replies to everything with a greeting. */
const hello: Scenario = {
  name: 'hello',
  rules: [{ name: 'greet', reply: 'Hello! I am a simulated model: I follow a script, and I cost nothing.' }],
};

/** For the prompt `change OLD to NEW in FILE`: reads the file, edits it, reports it. */
const readAndEdit: Scenario = {
  name: 'read-and-edit',
  rules: [
    {
      name: 'a tool failed',
      when: { result: { error: true } },
      reply: ['That did not work: {{result}}'],
    },
    {
      name: 'edited',
      when: { result: { tool: 'Edit' }, said: /change (?<old>\S+) to (?<new>\S+) in (?<file>\S+)/ },
      reply: 'Done: `{{old}}` is now `{{new}}` in {{file}}.',
    },
    {
      name: 'read, so edit',
      when: { result: { tool: 'Read' }, said: /change (?<old>\S+) to (?<new>\S+) in (?<file>\S+)/ },
      reply: [
        'I have read it. Now the edit.',
        { tool: 'Edit', input: { file_path: '{{file}}', old_string: '{{old}}', new_string: '{{new}}' } },
      ],
    },
    {
      name: 'asked to change',
      when: { user: /change (?<old>\S+) to (?<new>\S+) in (?<file>\S+)/ },
      reply: [
        { thinking: 'A file must be read before it is edited.' },
        'I will read {{file}} first.',
        { tool: 'Read', input: { file_path: '{{file}}' } },
      ],
    },
    { name: 'otherwise', reply: 'Ask me: change OLD to NEW in FILE' },
  ],
};

/** For any prompt: uses several tools at once, runs a command, keeps a list, sums up. */
const tour: Scenario = {
  name: 'tour',
  rules: [
    {
      name: 'all seen',
      when: { result: { tool: 'Bash' } },
      reply: [{ thinking: 'That was the last stop.' }, 'The shell says: {{result}}\n\nThat was the tour.'],
    },
    {
      name: 'list kept',
      when: { result: { tool: 'TodoWrite' } },
      reply: [{ tool: 'Bash', input: { command: 'echo a tour of the tools', description: 'Say something' } }],
    },
    {
      name: 'looked around',
      when: { result: { tool: 'Glob' } },
      reply: [
        {
          tool: 'TodoWrite',
          input: {
            todos: [
              { content: 'Look around', status: 'completed', activeForm: 'Looking around' },
              { content: 'Run a command', status: 'in_progress', activeForm: 'Running a command' },
            ],
          },
        },
      ],
    },
    {
      name: 'begin',
      reply: [
        { thinking: 'I will show several tools, two of them at once.' },
        'First I look around.',
        { tool: 'Glob', input: { pattern: '*' } },
        { tool: 'Grep', input: { pattern: 'TODO', output_mode: 'files_with_matches' } },
      ],
    },
  ],
};

export const builtInScenarios: Readonly<Record<string, Scenario>> = { hello, 'read-and-edit': readAndEdit, tour };
