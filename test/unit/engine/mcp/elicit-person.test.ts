/** MC-7, MC-23: a server's question in a session: who asks, and whose hooks may answer. */

import { expect, it, onTestFinished } from 'vitest';
import { createElicit } from '../../../../src/engine/build/build-ports.js';
import { openEngine } from '../../../../src/engine/open/open-engine.js';
import type { SessionOptions } from '../../../../src/engine/session-options.js';
import { setStage } from '../../../support/story.js';

const never = new AbortController().signal;
const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const FORM = { server: 'shop', message: 'Who?', mode: 'form', schema } as const;

async function open(settings: { user?: object; project?: object } = {}, options: SessionOptions = {}) {
  const stage = await setStage();
  if (settings.user) await stage.settings(settings.user);
  if (settings.project) await stage.write('.claude/settings.json', JSON.stringify(settings.project));
  const opened = await openEngine({ cwd: stage.folder, env: stage.env, trust: true, ...options });
  if (!opened.ok) throw new Error(opened.reason);
  const { engine } = opened;
  onTestFinished(async () => void (await engine.close()));
  return { engine, elicit: createElicit(() => engine.runtime) };
}

const hooks = (name: string) => {
  const command = `echo '${JSON.stringify({ hookSpecificOutput: { action: 'accept', content: { name } } })}'`;
  return { hooks: { Elicitation: [{ matcher: 'shop', hooks: [{ type: 'command', command }] }] } };
};

it('MC-23: it is asked in the name of the agent that uses the server, else of the main agent', async () => {
  const { engine, elicit } = await open();
  expect(await elicit(FORM, undefined, never)).toEqual({ action: 'decline' });
  await engine.opened();
  const asked: string[] = [];
  engine.attach({
    canAnswer: true,
    kinds: ['question-asked'],
    onEvent: ({ event }) => {
      if (event.kind !== 'question-asked') return;
      asked.push(event.question.agent.id);
      const answer = { behavior: 'allow', updatedInput: { name: 'Ada' } } as const;
      engine.runtime.ports.gate.answer(event.question.id, answer);
    },
  });
  for (const agent of [undefined, 'main', 'gone']) {
    expect(await elicit(FORM, agent, never)).toEqual({ action: 'accept', content: { name: 'Ada' } });
  }
  expect(asked).toEqual(['main', 'main', 'main']);
});

it('MC-23: a hook of the user’s settings answers, one of a trusted project does not', async () => {
  const own = await open({ user: hooks('Ada') });
  await own.engine.opened();
  expect(await own.elicit(FORM, 'main', never)).toEqual({ action: 'accept', content: { name: 'Ada' } });
  const theirs = await open({ project: hooks('Eve') });
  await theirs.engine.opened();
  expect(await theirs.elicit(FORM, 'main', never)).toEqual({ action: 'decline' });
  const given = await open({}, { settings: JSON.stringify(hooks('Bob')) });
  await given.engine.opened();
  expect(await given.elicit(FORM, 'main', never)).toEqual({ action: 'accept', content: { name: 'Bob' } });
  const accept = () => ({ hookSpecificOutput: { action: 'accept' as const, content: { name: 'Lib' } } });
  const library = await open({}, { hooks: { Elicitation: [{ hooks: [accept] }] } });
  await library.engine.opened();
  expect(await library.elicit(FORM, 'main', never)).toEqual({ action: 'accept', content: { name: 'Lib' } });
});
