/** The gate for itself: small requesters, no agents, no session. */

import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SourcedRule } from '../../../src/config/settings/collect-sources.js';
import { createGate, type Gate, type GatedCall, type GateOptions } from '../../../src/gate/gate.js';
import { createHooks } from '../../../src/gate/hooks/hooks.js';
import type { Requester } from '../../../src/gate/requester.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { LiveEvent } from '../../../src/protocol/events.js';
import type { PermissionAnswer, PermissionQuestion } from '../../../src/protocol/permission.js';
import { always } from '../../support/always.js';
import { commonInput, newFolder } from './hooks/open-hooks.js';

const never = new AbortController().signal;
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

type Stage = {
  readonly gate: Gate;
  readonly folder: string;
  readonly events: LiveEvent[];
  readonly warnings: string[];
  requester(id?: string, changes?: Partial<Requester>): Requester;
  bash(command: string, id?: string): GatedCall;
};

function stage(options: Partial<GateOptions> = {}, hooks: unknown = {}): Stage {
  const folder = newFolder();
  const host = nodeHost(folder, { HOME: folder });
  const warnings: string[] = [];
  const warn = (line: string) => void warnings.push(line);
  const events: LiveEvent[] = [];
  const gate = createGate({
    host,
    projectRoot: folder,
    rules: [],
    trusted: true,
    readRoots: [],
    editsAgreed: undefined,
    acceptEdits: async () => {},
    warn,
    ...options,
  });
  const requester = (id = 'main', changes: Partial<Requester> = {}): Requester => ({
    id,
    type: 'general-purpose',
    depth: 1,
    mode: 'default',
    readOnly: false,
    limits: undefined,
    roots: [folder],
    folder,
    cwd: folder,
    files: host.files.sync,
    hooks: createHooks({
      host,
      projectDir: folder,
      sources: [{ origin: 'test', hooks }],
      base: () => commonInput(folder),
      warn,
    }),
    notify: async (event) => events.push(event),
    ...changes,
  });
  const bash = (command: string, id = 'c1'): GatedCall => ({
    id,
    tool: 'Bash',
    input: { command },
    actions: [{ kind: 'shell', command, cwd: folder }],
  });
  return { gate, folder, events, warnings, requester, bash };
}

function rule(behavior: SourcedRule['behavior'], text: string, folder = '/'): SourcedRule {
  return { behavior, rule: text, origin: { scope: 'user', file: 'settings.json', folder } };
}

function edit(path: string): GatedCall {
  return { id: 'c1', tool: 'Write', input: { file_path: path }, actions: [{ kind: 'edit', path }] };
}

/** Somebody who answers every question the same way, as soon as it is open. */
async function answerAll(
  gate: Gate,
  answer: PermissionAnswer | ((question: PermissionQuestion) => PermissionAnswer),
): Promise<void> {
  while (gate.questions().length === 0) await tick();
  for (const question of gate.questions())
    gate.answer(question.id, typeof answer === 'function' ? answer(question) : answer);
}

const onRequest = (decision: object) => ({
  PermissionRequest: [
    { hooks: [async () => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })] },
  ],
});

describe('decide', () => {
  it('GT-4, GT-5: rules and the mode of this moment', async () => {
    const { gate, folder, requester, bash } = stage({
      rules: [rule('deny', 'Bash(curl:*)'), rule('allow', 'Bash(make)')],
    });
    const decide = async (call: GatedCall, changes: Partial<Requester> = {}) =>
      (await gate.decide(requester('a', changes), call)).decision.behavior;
    expect(await decide(bash('curl x'), { mode: 'bypassPermissions' })).toBe('deny');
    expect(await decide(bash('make'))).toBe('allow');
    expect(await decide(edit(join(folder, 'a')))).toBe('ask');
    expect(await decide(edit(join(folder, 'a')), { mode: 'acceptEdits' })).toBe('allow');
    expect(await decide(edit(join(folder, 'a')), { mode: 'acceptEdits', readOnly: true })).toBe('deny');
    let mode: Requester['mode'] = 'default';
    const changing: Requester = Object.defineProperty(requester(), 'mode', { get: () => mode });
    expect((await gate.decide(changing, edit(join(folder, 'a')))).decision.behavior).toBe('ask');
    mode = 'acceptEdits';
    expect((await gate.decide(changing, edit(join(folder, 'a')))).decision.behavior).toBe('allow');
  });

  it('AG-12: the limits of a definition narrow and never widen, with `/` from its folder', async () => {
    const { gate, folder, requester, bash } = stage({ rules: [rule('allow', 'Bash'), rule('allow', 'Edit')] });
    const limits = { only: ['Bash(git status:*)', 'Write(/sub/**)', 'nonsense('], never: ['Bash(git status -s)'] };
    const narrow = requester('a', { type: 'narrow', limits, folder: join(folder, 'base') });
    const decide = async (call: GatedCall) => (await gate.decide(narrow, call)).decision;
    expect((await decide(bash('git status'))).behavior).toBe('allow');
    expect((await decide(bash('git status -s'))).behavior).toBe('deny');
    expect(await decide(bash('make'))).toMatchObject({
      behavior: 'deny',
      by: 'definition',
      reason: expect.stringContaining('the definition of narrow gives it Bash only for: Bash(git status:*)'),
    });
    expect((await decide(edit(join(folder, 'base/sub/x')))).behavior).toBe('allow');
    expect((await decide(edit(join(folder, 'sub/x')))).behavior).toBe('deny');
    const plain = stage();
    const unwidened = plain.requester('a', { limits: { only: ['Bash(touch:*)'], never: [] } });
    expect((await plain.gate.decide(unwidened, plain.bash('touch a'))).decision.behavior).toBe('ask');
  });

  it('GT-4: what searches may read: all but what a rule denies, and an agent is denied by its type', async () => {
    const { gate, folder, requester } = stage({
      rules: [rule('deny', 'Read(.env)'), rule('deny', 'Agent(code-reviewer)')],
    });
    const mayRead = gate.mayRead(requester());
    expect([mayRead?.(join(folder, '.env')), mayRead?.(join(folder, 'a'))]).toEqual([false, true]);
    expect(stage().gate.mayRead(requester())).toBeUndefined();
    expect([gate.isAgentDenied('Code_Reviewer'), gate.isAgentDenied('reviewer')]).toEqual([true, false]);
    expect(stage({ rules: [rule('deny', 'Agent')] }).gate.isAgentDenied('any')).toBe(true);
  });

  it('GT-4: a rule that can’t match is reported; on the command line commas separate rules', async () => {
    const origin = { scope: 'command line', file: '--allowedTools', folder: '/' } as const;
    const sources: SourcedRule[] = [{ behavior: 'allow', rule: 'Bash(make, all), Bash(touch:*), B*sh', origin }];
    const { gate, warnings, requester, bash } = stage({ rules: sources });
    expect(warnings).toEqual([expect.stringContaining('--allowedTools: Rule "B*sh" can never match')]);
    expect((await gate.decide(requester(), bash('touch a'))).decision.behavior).toBe('allow');
  });
});

describe('ask', () => {
  it('GT-11: the question says who, where, what, what it destroys, and a rule; the answer comes back', async () => {
    const { gate, folder, requester, bash } = stage();
    gate.addAnswerer();
    const answered = gate.ask(requester('child', { depth: 2 }), bash('rm -rf build'), { reason: 'because' }, never);
    await answerAll(gate, { behavior: 'deny', reason: 'not now', interrupt: true });
    expect(await answered).toEqual({
      behavior: 'deny',
      by: 'person',
      reason: 'the person said no: not now',
      interrupt: true,
    });
    const again = gate.ask(requester('child', { depth: 2 }), bash('rm -rf build'), { reason: 'because' }, never);
    while (gate.questions().length === 0) await tick();
    expect(gate.questions()).toEqual([
      {
        id: expect.any(String),
        agent: { id: 'child', type: 'general-purpose', depth: 2 },
        call: { id: 'c1', tool: 'Bash', input: { command: 'rm -rf build' } },
        cwd: folder,
        reason: 'because',
        destroys: [expect.stringContaining('rm -r')],
        offers: [expect.objectContaining({ rule: 'Bash(rm -rf build)' }), { kind: 'mode', mode: 'acceptEdits' }],
      },
    ]);
    await answerAll(gate, { behavior: 'allow', updatedInput: { command: 'true' } });
    expect(await again).toEqual({ behavior: 'allow', by: 'person', updatedInput: { command: 'true' } });
    expect(gate.questions()).toEqual([]);
  });

  it('GT-11: two who can answer: the first answer applies', async () => {
    const { gate, requester, events, bash } = stage();
    gate.addAnswerer();
    gate.addAnswerer();
    const answered = gate.ask(requester(), bash('touch a'), { reason: 'why' }, never);
    while (gate.questions().length === 0) await tick();
    const id = gate.questions()[0]?.id ?? '';
    expect([gate.answer(id, { behavior: 'allow' }), gate.answer(id, { behavior: 'deny' })]).toEqual([true, false]);
    expect(await answered).toEqual({ behavior: 'allow', by: 'person' });
    expect(gate.answer(id, { behavior: 'deny' })).toBe(false);
    expect(events.map(({ kind }) => kind)).toEqual(['question-asked', 'question-settled']);
  });

  it('GT-13: with nobody there a question is denied at once, and reported to nobody', async () => {
    const { gate, requester, events, bash } = stage();
    expect(await gate.ask(requester(), bash('touch a'), { reason: 'it changes something' }, never)).toEqual({
      behavior: 'deny',
      by: 'nobody to ask',
      reason: expect.stringMatching(
        /^Bash needs .* \(it changes something\), .* rule Bash\(touch a\) \(--allowedTools[^)]*\) or --permission-mode acceptEdits\. Continue without/,
      ),
    });
    expect(events).toEqual([]);
  });

  it('GT-13: when the last who can answer leaves, open questions are denied; leaving twice has no further effect', async () => {
    const { gate, requester, events, bash } = stage();
    const [leave, leaveToo] = [gate.addAnswerer(), gate.addAnswerer()];
    const answers = [bash('touch a', 'c1'), bash('touch b', 'c2')].map((call) =>
      gate.ask(requester(), call, { reason: 'why' }, never),
    );
    while (gate.questions().length < 2) await tick();
    leave();
    leave();
    expect(gate.questions()).toHaveLength(2);
    leaveToo();
    expect((await Promise.all(answers)).map((answer) => [answer.behavior, answer.by])).toEqual([
      ['deny', 'nobody to ask'],
      ['deny', 'nobody to ask'],
    ]);
    expect(events.filter(({ kind }) => kind === 'question-settled')).toHaveLength(2);
    expect((await gate.ask(requester(), bash('touch c'), { reason: 'why' }, never)).by).toBe('nobody to ask');
    gate.addAnswerer();
    const later = gate.ask(requester(), bash('touch d'), { reason: 'why' }, never);
    await answerAll(gate, { behavior: 'allow' });
    expect((await later).behavior).toBe('allow');
  });

  it('GT-11: an abort while it is open denies and settles it; before, it is never open', async () => {
    const { gate, requester, events, bash } = stage();
    gate.addAnswerer();
    const abort = new AbortController();
    const answered = gate.ask(requester(), bash('touch a'), { reason: 'why' }, abort.signal);
    while (gate.questions().length === 0) await tick();
    const id = gate.questions()[0]?.id ?? '';
    abort.abort();
    const interrupted = { behavior: 'deny', by: 'interruption', reason: 'the person interrupted' };
    expect(await answered).toEqual(interrupted);
    expect(events.at(-1)).toEqual({ kind: 'question-settled', call: 'c1', question: id, behavior: 'deny' });
    expect([gate.questions(), gate.answer(id, { behavior: 'allow', always: [] })]).toEqual([[], false]);
    expect((await gate.decide(requester(), bash('touch a'))).decision.behavior).toBe('ask');
    const told = events.length;
    expect(await gate.ask(requester(), bash('touch a'), { reason: 'why' }, AbortSignal.abort())).toEqual(interrupted);
    expect(events).toHaveLength(told);
  });

  it('GT-11, EX-15: a yes in the moment of the abort runs nothing, stores no rule and accepts no plan', async () => {
    const accepted: unknown[] = [];
    const { gate, requester, bash } = stage({ plans: { file: '/plan.md', accept: (plan) => accepted.push(plan) } });
    gate.addAnswerer();
    const plan: GatedCall = { id: 'c1', tool: 'ExitPlanMode', input: { plan: 'Do it.' }, actions: [{ kind: 'plan' }] };
    for (const call of [bash('touch a'), plan]) {
      const abort = new AbortController();
      const answered = gate.ask(requester(), call, { reason: 'why' }, abort.signal);
      while (gate.questions().length === 0) await tick();
      for (const question of gate.questions()) gate.answer(question.id, always(question));
      abort.abort();
      expect(await answered).toMatchObject({ behavior: 'deny', by: 'interruption' });
    }
    const { decision } = await gate.decide(requester(), bash('touch a'));
    expect([decision.behavior, accepted]).toEqual(['ask', []]);
  });

  it('GT-13: a hook answers for the user: then nobody is asked', async () => {
    const allowing = stage({}, onRequest({ behavior: 'allow', updatedInput: { command: 'true' } }));
    allowing.gate.addAnswerer();
    expect(await allowing.gate.ask(allowing.requester(), allowing.bash('touch a'), { reason: 'why' }, never)).toEqual({
      behavior: 'allow',
      by: 'hook',
      updatedInput: { command: 'true' },
    });
    const denying = stage({}, onRequest({ behavior: 'deny', message: 'never', interrupt: true }));
    expect(await denying.gate.ask(denying.requester(), denying.bash('touch a'), { reason: 'why' }, never)).toEqual({
      behavior: 'deny',
      by: 'hook',
      reason: 'never',
      interrupt: true,
    });
    expect([...allowing.events, ...denying.events]).toEqual([]);
  });

  it('GT-13: a hook that fails is shown, and the user is asked', async () => {
    const { gate, requester, events, bash } = stage(
      {},
      { PermissionRequest: [{ hooks: [() => Promise.reject(new Error('x'))] }] },
    );
    gate.addAnswerer();
    const answered = gate.ask(requester(), bash('touch a'), { reason: 'why' }, never);
    await answerAll(gate, { behavior: 'allow' });
    expect((await answered).by).toBe('person');
    expect(events[0]).toMatchObject({ kind: 'line-shown', level: 'error', line: expect.stringContaining('threw') });
  });

  it('GT-11: always in this session: the same call asks no more, another does; nothing is saved', async () => {
    const { gate, folder, requester, bash } = stage();
    gate.addAnswerer();
    const both = ['a', 'b'].map((id) => gate.ask(requester(id), bash('touch x'), { reason: 'why' }, never));
    while (gate.questions().length < 2) await tick();
    gate.answer(gate.questions()[0]?.id ?? '', always(gate.questions()[0]));
    expect((await Promise.all(both)).map(({ behavior }) => behavior)).toEqual(['allow', 'allow']);
    expect((await gate.decide(requester('c'), bash('touch x'))).decision.behavior).toBe('allow');
    expect((await gate.decide(requester('c'), bash('touch x y'))).decision.behavior).toBe('ask');
    expect(() => readFileSync(join(folder, '.claude/settings.local.json'))).toThrow('ENOENT');
  });

  it('GT-11: always in local settings is saved there; where it can’t be, it holds for the session and says so', async () => {
    const { gate, folder, requester, events, bash } = stage();
    const file = join(folder, '.claude/settings.local.json');
    gate.addAnswerer();
    const saved = gate.ask(requester(), bash('touch x'), { reason: 'why' }, never);
    await answerAll(gate, (question) => always(question, 'local'));
    expect((await saved).behavior).toBe('allow');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ permissions: { allow: ['Bash(touch x)'] } });
    await mkdir(join(folder, '.claude'), { recursive: true });
    writeFileSync(file, 'not json');
    const unsaved = gate.ask(requester(), bash('touch y'), { reason: 'why' }, never);
    await answerAll(gate, (question) => always(question, 'local'));
    expect((await unsaved).behavior).toBe('allow');
    expect(events.at(-1)).toMatchObject({
      level: 'warning',
      line: expect.stringMatching(/applies to this session but was not saved/),
    });
    expect((await gate.decide(requester(), bash('touch y'))).decision.behavior).toBe('allow');
  });

  it('GT-11: never rejects: a defect on the way is a denial', async () => {
    const { gate, requester, bash } = stage();
    gate.addAnswerer();
    const hooks = { ...requester().hooks, run: () => Promise.reject(new Error('broken')) };
    expect(await gate.ask(requester('a', { hooks }), bash('touch a'), { reason: 'why' }, never)).toEqual({
      behavior: 'deny',
      by: 'gate',
      reason: 'the question could not be asked: broken',
    });
  });

  it('GT-11: only a plain yes is one', async () => {
    const { gate, requester, bash } = stage();
    gate.addAnswerer();
    const answered = gate.ask(requester(), bash('touch a'), { reason: 'why' }, never);
    await answerAll(gate, { behavior: 'yes' } as never);
    expect((await answered).behavior).toBe('deny');
  });
});

describe('childMode', () => {
  const wanting = {
    wish: undefined,
    parent: 'default',
    startedBypassed: false,
    interactive: true,
    inherit: false,
  } as const;

  it('GT-9: the user is asked once, however many children start, and the answer holds', async () => {
    for (const behavior of ['allow', 'deny'] as const) {
      const { gate, folder, requester, events } = stage();
      gate.addAnswerer();
      const modes = ['a', 'b', 'c'].map((id) => gate.childMode(wanting, requester(id), never));
      await tick();
      expect(gate.questions()).toMatchObject([
        {
          agent: { id: 'main', type: 'main', depth: 0 },
          call: { id: 'agents-edit', tool: 'Agent', input: { agentsMayEdit: folder } },
          cwd: folder,
          reason: expect.stringMatching(/agents change files .*without asking/),
        },
      ]);
      await answerAll(gate, { behavior });
      const expected = behavior === 'allow' ? 'acceptEdits' : 'default';
      expect(await Promise.all(modes)).toEqual([expected, expected, expected]);
      expect(await gate.childMode(wanting, requester('d'), never)).toBe(expected);
      expect(events.map(({ kind }) => kind)).toEqual(['question-asked', 'question-settled']);
    }
  });

  it('GT-9: the settings answer, and where the answer changes nothing, nobody is asked', async () => {
    const agreed = stage({ editsAgreed: true });
    const refused = stage({ editsAgreed: false });
    for (const { gate } of [agreed, refused]) gate.addAnswerer();
    expect(await agreed.gate.childMode(wanting, agreed.requester(), never)).toBe('acceptEdits');
    expect(await refused.gate.childMode(wanting, refused.requester(), never)).toBe('default');
    expect(await refused.gate.childMode({ ...wanting, parent: 'plan' }, refused.requester(), never)).toBe('plan');
    expect([...agreed.events, ...refused.events]).toEqual([]);
  });

  it('GT-9: a child that is taken back takes the question from nobody else, and is no answer', async () => {
    const { gate, requester } = stage();
    gate.addAnswerer();
    const first = new AbortController();
    const [gone, waiting] = [
      gate.childMode(wanting, requester('a'), first.signal),
      gate.childMode(wanting, requester('b'), never),
    ];
    await tick();
    first.abort();
    expect(await gone).toBe('default');
    expect(gate.questions()).toHaveLength(1);
    const third = gate.childMode(wanting, requester('c'), never);
    await answerAll(gate, { behavior: 'allow' });
    expect([await waiting, await third]).toEqual(['acceptEdits', 'acceptEdits']);
  });

  it('GT-9: when the last child that waits is taken back, so is the question; the next one asks again', async () => {
    const { gate, requester, events } = stage();
    gate.addAnswerer();
    const aborts = [new AbortController(), new AbortController()];
    const gone = aborts.map(({ signal }, n) => gate.childMode(wanting, requester(`${n}`), signal));
    await tick();
    for (const abort of aborts) abort.abort();
    expect(await Promise.all(gone)).toEqual(['default', 'default']);
    await tick();
    expect(gate.questions()).toEqual([]);
    expect(events.at(-1)).toMatchObject({ kind: 'question-settled', call: 'agents-edit', behavior: 'deny' });
    expect(await gate.childMode(wanting, requester(), AbortSignal.abort())).toBe('default');
    const next = gate.childMode(wanting, requester(), never);
    await answerAll(gate, { behavior: 'allow' });
    expect(await next).toBe('acceptEdits');
  });

  it('GT-9: nobody there, or the last one leaves: no for now, not for good', async () => {
    const { gate, requester } = stage();
    expect(await gate.childMode(wanting, requester(), never)).toBe('default');
    const leave = gate.addAnswerer();
    const left = gate.childMode(wanting, requester(), never);
    await tick();
    leave();
    expect(await left).toBe('default');
    gate.addAnswerer();
    const next = gate.childMode(wanting, requester(), never);
    await answerAll(gate, { behavior: 'allow' });
    expect(await next).toBe('acceptEdits');
  });

  it('GT-9: each gate has its own answer', async () => {
    const [one, other] = [stage(), stage()];
    for (const { gate } of [one, other]) gate.addAnswerer();
    const [first, second] = [one, other].map(({ gate, requester }) => gate.childMode(wanting, requester(), never));
    await answerAll(one.gate, { behavior: 'allow' });
    await answerAll(other.gate, { behavior: 'deny' });
    expect([await first, await second]).toEqual(['acceptEdits', 'default']);
  });
});
