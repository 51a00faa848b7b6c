/** Handlers of permission questions as README, docs and examples have them: each reads what every kind of question has. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../../../src/protocol/permission.js';
import { namedInput } from '../../../../src/protocol/tools/built-in-tools.js';
import { ROOT } from '../../../support/program.js';
import { ask } from '../tui/panels/question-stage.js';

const seen: unknown[] = [];

/** By page. */
const HANDLERS: Readonly<Record<string, readonly AskPermission[]>> = {
  'README.md': [async (question) => ({ behavior: question.call.tool === 'Bash' ? 'allow' : 'deny' })],
  'docs/library.md': [
    async (question, signal) => {
      seen.push([question.call.tool, question.alike, signal.aborted]);
      return { behavior: 'allow' };
    },
    // On the page: a tool of the reader's own, whose input is declared there.
    async ({ call }) => ({
      behavior: call.tool === 'WebSearch' && call.input.query === 'Lisbon' ? 'allow' : 'deny',
    }),
  ],
  'docs/agents.md': [async ({ agent, call }) => ({ behavior: agent.depth === 0 && call.id !== '' ? 'allow' : 'deny' })],
  'examples/hooks-and-permissions.mjs': [
    async ({ call }) => {
      if (call.tool !== 'Bash') return { behavior: 'deny' };
      return call.input.command.includes('test') ? { behavior: 'allow' } : { behavior: 'deny', reason: 'rather not' };
    },
  ],
};

/** What docs/library.md says of questions that are not about a call, without a look at `about` first. */
const byField: AskPermission = async ({ plan, questions, elicitation, reason }) => {
  if (plan !== undefined) return { behavior: 'allow', updatedInput: { plan: `${plan.text} (${plan.file})` } };
  const [first] = questions ?? [];
  if (first !== undefined) return { behavior: 'allow', updatedInput: { answers: { [first.question]: 'x' } } };
  if (elicitation?.mode === 'form') return { behavior: 'allow', updatedInput: { n: elicitation.fields.length } };
  return elicitation === undefined ? { behavior: 'deny', reason } : { behavior: 'deny', cancel: true };
};

const asked = [{ question: 'Which?', header: 'W', options: [{ label: 'x', description: '' }] }];
const form = { server: 's', message: 'm', mode: 'form', schema: {}, fields: [] } as const;
const other = { call: { id: 'c', ...namedInput('Agent', { agentsMayEdit: '/p' }) }, reason: 'why' };
const QUESTIONS: readonly PermissionQuestion[] = [
  ask('call', { alike: 1 }),
  ask('edit', { ...other, about: 'agents-edit' }),
  ask('memory', { ...other, about: 'memory-snapshot' }),
  ask('skill', { ...other, about: 'skill-grants' }),
  ask('form', { ...other, about: 'elicitation', elicitation: form }),
  ask('plan', { ...other, about: 'plan', plan: { text: 't', file: 'f' } }),
  ask('questions', { ...other, about: 'questions', questions: asked }),
];

const { signal } = new AbortController();
const answers = (handler: AskPermission): Promise<readonly PermissionAnswer[]> =>
  Promise.all(QUESTIONS.map((question) => handler(question, signal)));

it('GT-11: every handler that the docs show answers a question of every kind', async () => {
  for (const [page, handlers] of Object.entries(HANDLERS)) {
    const shown = readFileSync(join(ROOT, page), 'utf8').match(/onPermission: async /g) ?? [];
    expect([page, shown.length]).toEqual([page, handlers.length]);
    for (const handler of handlers) {
      const behaviors = (await answers(handler)).map(({ behavior }) => behavior);
      expect(behaviors).toHaveLength(QUESTIONS.length);
    }
  }
  expect(seen.slice(0, 2)).toEqual([
    ['Bash', 1, false],
    ['Agent', undefined, false],
  ]);
});

it('GT-11: the field of a kind can be read without `about`; where it is absent it is another kind', async () => {
  expect(await answers(byField)).toEqual([
    { behavior: 'deny', reason: 'it is not known to be read-only' },
    { behavior: 'deny', reason: 'why' },
    { behavior: 'deny', reason: 'why' },
    { behavior: 'deny', reason: 'why' },
    { behavior: 'allow', updatedInput: { n: 0 } },
    { behavior: 'allow', updatedInput: { plan: 't (f)' } },
    { behavior: 'allow', updatedInput: { answers: { 'Which?': 'x' } } },
  ]);
});
