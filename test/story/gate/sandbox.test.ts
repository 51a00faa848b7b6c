/** Bash of a whole session in the sandbox: what it keeps commands from, what can be asked for, and what when there is none. */

import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PermissionAnswer, PermissionQuestion } from '../../../src/protocol/permission.js';
import { SANDBOX_WORKS } from '../../program/gate/sandbox/stage.js';
import { always } from '../../support/always.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { begin, mainResults, script } from '../agents/agents-script.js';

const bash = (command: string, more: object = {}) => ({ tool: 'Bash', input: { command, ...more } });
type Opening = NonNullable<Parameters<Stage['open']>[0]>;

async function tryCalls(stage: Stage, calls: readonly object[], options: Opening = {}) {
  stage.sim.use(script({ main: [calls as never, 'done'] }));
  const session = await stage.open({ allowedTools: ['Bash'], ...options });
  await session.send(begin());
  await session.close();
  expectAllAccepted(stage.sim);
  return { results: mainResults(stage), session };
}

/** Not in /tmp, which commands see their own of. */
async function outsideFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp('/var/tmp/coppice-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function listen(): Promise<number> {
  const server = createServer((socket) => socket.end('hello\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const connect = (port: number) => `bash -c 'cat < /dev/tcp/127.0.0.1/${port}'`;

describe.runIf(SANDBOX_WORKS)('with a sandbox', () => {
  describe.each(['required', 'auto'] as const)('sandbox %s', (sandbox) => {
    it('GT-19: a command writes in the roots, not outside, not to protected names, and has no network', async () => {
      const stage = await setStage();
      await stage.settings({ sandbox });
      const outside = await outsideFolder();
      const port = await listen();
      const calls = [
        bash('echo in > in.txt'),
        bash(`touch ${outside}/made`),
        bash(connect(port)),
        bash('mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit'),
      ];
      const { results } = await tryCalls(stage, calls, { trust: true, permissionMode: 'bypassPermissions' });
      expect(results.map(({ isError }) => isError)).toEqual([false, true, true, true]);
      expect(await stage.read('in.txt')).toBe('in\n');
      expect(readdirSync(outside)).toEqual([]);
      expect(results[2]?.text).not.toContain('hello');
      // Stubs of absent names are gone.
      expect(readdirSync(stage.folder)).toEqual(['in.txt']);
    });
  });

  it('GT-19: what the sandbox refuses can be asked for, is put to the user, and granted once', async () => {
    const stage = await setStage();
    await stage.settings({ sandbox: 'required' });
    const port = await listen();
    const outside = await outsideFolder();
    const questions: PermissionQuestion[] = [];
    const onPermission = async (question: PermissionQuestion): Promise<PermissionAnswer> => {
      questions.push(question);
      return always(question);
    };
    const calls = [
      bash(connect(port), { needs: { network: true } }),
      bash(`touch ${outside}/made`, { needs: { write: [outside] } }),
      bash(connect(port)),
      bash(connect(port), { needs: { network: true } }),
    ];
    const { results } = await tryCalls(stage, calls, { onPermission });
    expect(results.map(({ isError }) => isError)).toEqual([false, false, true, false]);
    expect(results[0]?.text).toContain('hello');
    expect(readdirSync(outside)).toEqual(['made']);
    // Asked for each time: no answer lasts.
    expect(questions.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('use the network'),
      expect.stringContaining(`write to ${outside}`),
      expect.stringContaining('use the network'),
    ]);
    expect(questions.flatMap(({ offers }) => offers)).toEqual([]);
  });

  it('GT-30: a grant shows where its path really leads, opens that, and nothing else if the link moved since', async () => {
    const stage = await setStage();
    await stage.settings({ sandbox: 'required' });
    const [target, other] = [await outsideFolder(), await outsideFolder()];
    const link = join(stage.folder, 'link');
    await symlink(target, link);
    const questions: PermissionQuestion[] = [];
    const onPermission = async (question: PermissionQuestion): Promise<PermissionAnswer> => {
      questions.push(question);
      if (questions.length === 2) {
        await rm(link);
        await symlink(other, link);
      }
      return { behavior: 'allow' };
    };
    const call = bash(`touch link/made-$RANDOM ${other}/made`, { needs: { write: ['link'] } });
    await tryCalls(stage, [call, call], { onPermission });
    expect(questions.map(({ reason }) => reason)).toEqual([
      expect.stringContaining(`write to ${link}, which leads to ${target}`),
      expect.stringContaining(`write to ${link}, which leads to ${target}`),
    ]);
    expect(readdirSync(target)).toHaveLength(1);
    expect(readdirSync(other)).toEqual([]);
  });

  it('GT-19: a command in the background is finished too: its stubs are gone before its notice, or with its session', async () => {
    for (const command of ['echo out', 'sleep 30']) {
      const stage = await setStage([
        { when: { nth: 1 }, reply: [bash(command, { run_in_background: true })] },
        { reply: 'done' },
      ]);
      await stage.settings({ sandbox: 'required' });
      const session = await stage.open({ permissionMode: 'bypassPermissions' });
      await session.send('go');
      if (command === 'echo out') {
        await session.settled();
        expect(readdirSync(stage.folder)).toEqual([]);
      }
      await session.close();
      expect(readdirSync(stage.folder)).toEqual([]);
    }
  });

  it('GT-19: being sandboxed allows nothing: a deny stays one, and what asks is still asked', async () => {
    const stage = await setStage();
    await stage.settings({ sandbox: 'auto' });
    const calls = [bash('touch denied'), bash('touch asked')];
    const options = { allowedTools: [], disallowedTools: ['Bash(touch denied)'] };
    const { results } = await tryCalls(stage, calls, options);
    expect(results.map(({ isError }) => isError)).toEqual([true, true]);
    expect(readdirSync(stage.folder)).toEqual([]);
  });

  it('GT-19: what a killed session left is cleared at the next start, with the sandbox or without', async () => {
    for (const sandbox of ['off', 'auto']) {
      const stage = await setStage([{ reply: 'ok' }]);
      await stage.settings({ sandbox });
      const dead = join(stage.home, '.coppice', 'sandbox', 'dead');
      await mkdir(dead, { recursive: true });
      const stub = join(stage.folder, '.vscode');
      await mkdir(stub);
      const owner = { pid: '1', started: '1', pidNamespace: 'x', boot: 'an earlier one' };
      await writeFile(join(dead, 'owner.json'), JSON.stringify(owner));
      await writeFile(join(dead, 'run-a.json'), JSON.stringify({ stubs: [stub], watched: [] }));
      await (await stage.open({})).send('hello');
      expect([sandbox, existsSync(stub), existsSync(dead)]).toEqual([sandbox, false, false]);
    }
  });
});

it('GT-19: without bubblewrap required refuses Bash and gives the reason; auto runs and reports it; other tools work', async () => {
  const stage = await setStage();
  const programs = join(stage.home, 'programs');
  await mkdir(programs);
  for (const name of ['bash', 'cat', 'touch']) await symlink(`/usr/bin/${name}`, join(programs, name));
  const env = { ...stage.env, PATH: programs };
  await stage.settings({ sandbox: 'required' });
  const glob = { tool: 'Glob', input: { pattern: '*' } };
  const refused = await tryCalls(stage, [bash('touch made'), glob], { env });
  expect(refused.results.map(({ isError }) => isError)).toEqual([true, false]);
  expect(refused.results[0]?.text).toContain('Commands must run in a sandbox here');
  expect(existsSync(join(stage.folder, 'made'))).toBe(false);
  expect(refused.session.warnings.join('\n')).toMatch(/sandbox: .*bubblewrap/);

  const other = await setStage();
  await other.settings({ sandbox: 'auto' });
  const ran = await tryCalls(other, [bash('touch made')], { env: { ...other.env, PATH: programs } });
  expect(ran.results.map(({ isError }) => isError)).toEqual([false]);
  expect(ran.session.warnings.join('\n')).toMatch(/sandbox: .*bubblewrap/);
});
