/** "Always": what a question offers, that it covers nothing else, and where it counts (GT-11, GT-29). */

import { execFileSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PermissionAnswer, PermissionQuestion } from '../../../src/protocol/permission.js';
import { always, offeredRules } from '../../support/always.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { agentCall, begin, type Line, script } from '../agents/agents-script.js';

const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const write = (path: string, content = 'x') => ({ tool: 'Write', input: { file_path: path, content } });
const MAKEFILE = 'test:\n\techo tested\nmake-x:\n\techo x\n';
const EDITS = [{ kind: 'mode', mode: 'acceptEdits' }] as const;

type Answer = PermissionAnswer | ((question: PermissionQuestion) => PermissionAnswer);

/** Answers in order; the last one is repeated. */
function answering(...answers: readonly Answer[]) {
  const questions: PermissionQuestion[] = [];
  const onPermission = async (question: PermissionQuestion): Promise<PermissionAnswer> => {
    questions.push(question);
    const answer = answers[Math.min(questions.length, answers.length) - 1] ?? { behavior: 'deny' };
    return typeof answer === 'function' ? answer(question) : answer;
  };
  const asked = () => questions.map(({ call }) => (call.input as { command?: string; file_path?: string }).command);
  return { questions, onPermission, asked };
}

async function play(stage: Stage, lines: readonly Line[], options: Parameters<Stage['open']>[0] = {}) {
  stage.sim.use(script({ main: [...lines, 'done'] }));
  const session = await stage.open({ trust: true, ...options });
  await session.send(begin());
  expectAllAccepted(stage.sim);
  return session;
}

const repository = (folder: string) =>
  execFileSync('git', ['init', '-q', folder], { env: { PATH: process.env.PATH, HOME: '/nonexistent' } });

describe('GT-11: what is offered', () => {
  it('GT-11: the exact command, then the prefix of a known program; said, it covers that prefix and no more', async () => {
    const stage = await setStage();
    await stage.write('Makefile', MAKEFILE);
    const person = answering((question) => always(question, 'session', 1), { behavior: 'deny' });
    const lines = ['make test -k', 'make test', 'make test -s', 'make test VERBOSE=1', 'make make-x', 'make'].map(
      (line) => [bash(line)],
    );
    await play(stage, lines, { onPermission: person.onPermission });
    expect(offeredRules(person.questions[0])).toEqual(['Bash(make test -k)', 'Bash(make test:*)']);
    expect(person.asked()).toEqual(['make test -k', 'make make-x', 'make']);
  });

  it('GT-11: a line of several commands: offered is what, alone, lets this line run', async () => {
    const stage = await setStage();
    await stage.write('Makefile', MAKEFILE);
    await mkdir(join(stage.folder, 'sub'));
    await stage.write('sub/Makefile', MAKEFILE);
    const person = answering((question) => always(question, 'session', 1));
    const lines = ['cd sub && make test', 'make test | head -3', 'make test && make make-x'].map((line) => [
      bash(line),
    ]);
    await play(stage, lines, { onPermission: person.onPermission });
    expect(person.questions.map(offeredRules)).toEqual([
      ['Bash(cd sub && make test)', 'Bash(make test:*)'],
      // The first of its commands is allowed by now.
      ['Bash(make test && make make-x)', 'Bash(make make-x:*)'],
    ]);
  });

  it('GT-11: what is not kept is what was not offered: a wider rule, another place, another mode', async () => {
    const stage = await setStage();
    const wider = [
      { kind: 'rule', rule: 'Bash', where: 'session' },
      { kind: 'rule', rule: 'Bash(touch:*)', where: 'local' },
      { kind: 'mode', mode: 'bypassPermissions' },
    ] as never;
    const person = answering(
      { behavior: 'allow', always: wider },
      { behavior: 'allow', always: 'session' as never },
      {
        behavior: 'deny',
      },
    );
    const session = await play(stage, [[bash('touch a')], [bash('touch b')], [bash('touch c')]], person);
    expect(person.asked()).toEqual(['touch a', 'touch b', 'touch c']);
    expect(session.mode).toBe('default');
    const lines = eventsOf(stage, 'line-shown').filter(({ line }) => line.includes('the question did not offer it'));
    expect(lines).toHaveLength(4);
    await expect(stage.read('.claude/settings.local.json')).rejects.toThrow('ENOENT');
  });
});

describe('GT-11: all edits in this session', () => {
  it('GT-11: offered for an edit in the roots; the rest of the very same reply is not asked about', async () => {
    const stage = await setStage();
    const person = answering({ behavior: 'allow', always: EDITS }, { behavior: 'deny' });
    const files = ['a', 'b'].map((name) => write(join(stage.folder, name)));
    const session = await play(
      stage,
      [[...files, bash('make'), write(join(stage.home, 'out'))], [write(join(stage.folder, 'c'))]],
      person,
    );
    expect(person.questions[0]?.offers).toEqual([
      { kind: 'rule', rule: `Edit(/${join(stage.folder, 'a')})`, where: ['session', 'local'] },
      ...EDITS,
    ]);
    // Neither commands nor what is outside are edits in the roots.
    expect(person.questions.map(({ call }) => call.tool)).toEqual(['Write', 'Bash', 'Write']);
    expect(session.mode).toBe('acceptEdits');
    expect(eventsOf(stage, 'mode-changed').map(({ mode }) => mode)).toEqual(['acceptEdits']);
    for (const name of ['a', 'b', 'c']) expect(await stage.read(name)).toBe('x');
  });

  it('GT-11: not offered where it would not help: outside the roots, for protected names, for commands', async () => {
    const stage = await setStage();
    const person = answering({ behavior: 'deny' });
    const calls = [write(join(stage.home, 'out')), write(join(stage.folder, '.mcp.json')), bash('npm install x')];
    await play(stage, [calls], person);
    expect(person.questions.map(({ offers }) => offers.some(({ kind }) => kind === 'mode'))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('GT-11: said to a child, it applies for that child at once, and for the session', async () => {
    const stage = await setStage();
    stage.sim.use(
      script({
        main: [[agentCall('CHILD')], [write(join(stage.folder, 'main'))], 'ok'],
        CHILD: [[write(join(stage.folder, 'one')), write(join(stage.folder, 'two'))], 'done'],
      }),
    );
    const person = answering(
      // Agents may not edit without asking: so the child asks.
      { behavior: 'deny' },
      { behavior: 'allow', always: EDITS },
      { behavior: 'deny' },
    );
    const session = await stage.open({ interactive: true, onPermission: person.onPermission });
    await session.send(begin());
    expect(person.questions.map(({ agent, call }) => [agent.depth, call.tool])).toEqual([
      [0, 'Agent'],
      [1, 'Write'],
    ]);
    expect(session.mode).toBe('acceptEdits');
    for (const name of ['one', 'two', 'main']) expect(await stage.read(name)).toBe('x');
  });
});

describe('GT-29: "always" is bound to the root it was said in', () => {
  it('GT-29: not to the folder, not to another root, not to a repository or worktree nested in it', async () => {
    const stage = await setStage();
    const other = join(stage.home, 'other');
    for (const folder of ['sub', 'nested']) await mkdir(join(stage.folder, folder));
    await mkdir(other);
    repository(stage.folder);
    repository(join(stage.folder, 'nested'));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-C', stage.folder, ...args]);
    git('commit', '-q', '--allow-empty', '-m', 'one');
    git('worktree', 'add', '-q', join(stage.folder, 'tree'));
    for (const folder of ['', 'sub', 'nested', 'tree']) await stage.write(join(folder, 'Makefile'), MAKEFILE);
    await mkdir(other, { recursive: true });
    execFileSync('cp', [join(stage.folder, 'Makefile'), other]);
    const person = answering((question) => always(question, 'session', 1), { behavior: 'deny' });
    const lines = [
      'make test',
      'cd sub',
      'make test -s',
      `cd ${other}`,
      'make test',
      `cd ${join(stage.folder, 'nested')}`,
      'make test',
      `cd ${join(stage.folder, 'tree')}`,
      'make test',
      `cd ${stage.folder}`,
      'make test -s',
      // The line goes there on its own.
      `cd ${other} && make test`,
      'cd nested && make test',
    ].map((line) => [bash(line)]);
    await play(stage, lines, { onPermission: person.onPermission, addDirs: [other] });
    expect(person.questions.map(({ cwd, call }) => [cwd, (call.input as { command: string }).command])).toEqual([
      [stage.folder, 'make test'],
      [other, 'make test'],
      [join(stage.folder, 'nested'), 'make test'],
      [join(stage.folder, 'tree'), 'make test'],
      [stage.folder, `cd ${other} && make test`],
      [stage.folder, 'cd nested && make test'],
    ]);
  });

  it('GT-29: said in an added folder, it can’t be saved to the settings of this project', async () => {
    const stage = await setStage();
    const other = join(stage.home, 'other');
    await mkdir(other);
    const person = answering({ behavior: 'deny' });
    await play(stage, [[bash(`cd ${other}`)], [bash('touch a')]], {
      onPermission: person.onPermission,
      addDirs: [other],
    });
    expect(person.questions[0]?.offers[0]).toEqual({ kind: 'rule', rule: 'Bash(touch a)', where: ['session'] });
  });

  it('GT-29: command rules of a project’s files count in that project; those of the user everywhere; a deny everywhere', async () => {
    const stage = await setStage();
    const other = join(stage.home, 'other');
    await mkdir(other);
    await mkdir(join(stage.folder, 'sub'));
    const rules = { permissions: { allow: ['Bash(touch:*)'], deny: ['Bash(mkdir:*)'] } };
    await stage.write('.claude/settings.json', JSON.stringify(rules));
    await stage.settings({ permissions: { allow: ['Bash(rmdir:*)'] } });
    const person = answering({ behavior: 'deny' });
    const lines = ['touch a', 'cd sub', 'touch b', `cd ${other}`, 'touch c', 'mkdir d', 'rmdir e'].map((line) => [
      bash(line),
    ]);
    await play(stage, lines, { onPermission: person.onPermission, addDirs: [other] });
    expect(person.asked()).toEqual(['touch c']);
    expect(await readFile(join(stage.folder, 'sub', 'b'), 'utf8')).toBe('');
  });
});
