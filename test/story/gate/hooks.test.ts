/** Hooks through a whole session, with scripts as people have them for the `.claude/settings.json` layout. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runningWith } from '../../support/processes.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import {
  agentCall,
  agentFile,
  begin,
  inProject,
  type Line,
  mainResults,
  requestOf,
  resultsIn,
  saidIn,
  script,
} from '../agents/agents-script.js';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'hooks');
const fixture = (name: string, ...args: string[]) => [`'${join(FIXTURES, name)}'`, ...args].join(' ');
const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const command = (line: string, more: object = {}) => ({ type: 'command', command: line, ...more });

type Opening = NonNullable<Parameters<Stage['open']>[0]>;

async function withHooks(hooks: object, lines: readonly Line[], options: Opening = {}): Promise<Stage> {
  const stage = await setStage();
  await stage.settings({ hooks });
  stage.sim.use(script({ main: lines }));
  const session = await stage.open({ permissionMode: 'bypassPermissions', ...options });
  await session.send(begin());
  await session.close();
  expectAllAccepted(stage.sim);
  return stage;
}

const exists = (path: string) =>
  readFile(path).then(
    () => true,
    () => false,
  );
const shown = (stage: Stage) => eventsOf(stage, 'line-shown').map(({ line }) => line);

describe('before a call', () => {
  it('GT-18: a Python guard that exits 2 blocks with its words; what it lets pass runs', async () => {
    const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [command(fixture('block-dangerous.py'))] }] };
    const stage = await withHooks(hooks, [[bash('rm -rf x'), bash('touch made')], 'done']);
    expect(mainResults(stage)).toMatchObject([
      { isError: true, text: expect.stringContaining('rm -rf is not allowed here') },
      { isError: false },
    ]);
    expect(await exists(join(stage.folder, 'made'))).toBe(true);
  });

  it('GT-15: matchers choose by name, list and expression; of several answers the strictest applies', async () => {
    const hooks = {
      PreToolUse: [
        { matcher: 'Write|Edit', hooks: [command('touch $CLAUDE_PROJECT_DIR/wrong')] },
        { matcher: 'Ba.*', hooks: [command(fixture('decide.py', 'allow', 'fine'))] },
        { matcher: '*', hooks: [command(fixture('decide.py', 'deny', 'never'))] },
      ],
    };
    const stage = await withHooks(hooks, [[bash('touch made')], 'done']);
    expect(mainResults(stage)).toMatchObject([{ isError: true, text: expect.stringContaining('never') }]);
    expect(await exists(join(stage.folder, 'wrong'))).toBe(false);
  });

  it('GT-16: updatedInput is what runs, and passes the gate again', async () => {
    const change = `cat >/dev/null; echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"touch changed"}}}'`;
    const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [command(change)] }] };
    const stage = await withHooks(hooks, [[bash('touch meant')], 'done'], { permissionMode: 'default' });
    expect([await exists(join(stage.folder, 'meant')), await exists(join(stage.folder, 'changed'))]).toEqual([
      false,
      true,
    ]);
    const denied = await withHooks(hooks, [[bash('ls')], 'done'], { disallowedTools: ['Bash(touch:*)'] });
    expect(mainResults(denied)[0]?.isError).toBe(true);
    expect(await exists(join(denied.folder, 'changed'))).toBe(false);
  });

  it('GT-16: the script gets the whole input on stdin, in the project’s folder', async () => {
    const stage = await setStage();
    const kept = join(stage.home, 'kept.json');
    await stage.settings({ hooks: { PreToolUse: [{ hooks: [command(fixture('log-call.sh', kept))] }] } });
    stage.sim.use(script({ main: [[bash('ls')], 'done'] }));
    const session = await stage.open({});
    await session.send(begin());
    const input = JSON.parse(await readFile(kept, 'utf8')) as Record<string, unknown>;
    expect(input).toMatchObject({
      session_id: session.id,
      transcript_path: session.transcript,
      cwd: stage.folder,
      permission_mode: 'default',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_use_id: expect.any(String),
    });
    expect(await readFile(`${kept}.where`, 'utf8')).toBe(`${stage.folder}\n${stage.folder}\n${stage.folder}\n`);
  });

  it.each([
    ['a missing interpreter', fixture('missing-interpreter.py')],
    ['a script that may not be executed', fixture('not-executable.sh')],
    ['a killed script', fixture('kill-itself.sh')],
    ['an answer that breaks off', fixture('unfinished-json.sh')],
  ])('GT-17: %s blocks the call, visibly', async (_what, line) => {
    const hooks = { PreToolUse: [{ hooks: [command(line)] }] };
    const stage = await withHooks(hooks, [[bash('touch made')], 'done']);
    expect(mainResults(stage)[0]?.isError).toBe(true);
    expect(await exists(join(stage.folder, 'made'))).toBe(false);
    expect(shown(stage).join('\n')).toContain('PreToolUse hook');
  });

  it('GT-17: a hook that takes too long blocks and is ended; GT-16: another exit code is a line and no more', async () => {
    const slow = { PreToolUse: [{ hooks: [command('sleep 60', { timeout: 0.3 })] }] };
    const late = await withHooks(slow, [[bash('touch made')], 'done']);
    expect(mainResults(late)[0]?.isError).toBe(true);
    const odd = { PreToolUse: [{ hooks: [command('echo strange >&2; exit 3')] }] };
    const stage = await withHooks(odd, [[bash('touch made')], 'done']);
    expect(mainResults(stage)[0]?.isError).toBe(false);
    expect(shown(stage).join('\n')).toContain('strange');
  });

  it('GT-15: a hook with `if` runs only for calls its rule is about, however they are wrapped', async () => {
    const guard = command('echo no commits >&2; exit 2', { if: 'Bash(git commit:*)' });
    const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [guard] }] };
    const stage = await withHooks(hooks, [[bash('git status'), bash('true && env git commit -m x')], 'done']);
    expect(mainResults(stage).map(({ text }) => text.includes('no commits'))).toEqual([false, true]);
  });

  it('GT-17: handlers of a type nobody knows are named in a warning', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings({ hooks: { PreToolUse: [{ hooks: [{ type: 'wasm', module: 'x' }] }] } });
    const session = await stage.open({});
    expect(session.warnings.join('\n')).toMatch(/type is unknown: PreToolUse wasm/);
  });
});

describe('around the run', () => {
  it('GT-14: what PostToolUse adds reaches the model with the result; a failed call goes to PostToolUseFailure', async () => {
    const say = (event: string, words: string) =>
      command(
        `cat >/dev/null; echo '{"hookSpecificOutput":{"hookEventName":"${event}","additionalContext":"${words}"}}'`,
      );
    const hooks = {
      PostToolUse: [{ matcher: 'Bash', hooks: [say('PostToolUse', 'it was formatted')] }],
      PostToolUseFailure: [{ matcher: 'Read', hooks: [say('PostToolUseFailure', 'look elsewhere')] }],
    };
    const lines = [[bash('touch a'), { tool: 'Read', input: { file_path: '/absent/file' } }], 'done'];
    const stage = await withHooks(hooks, lines);
    const [ran, failed] = mainResults(stage);
    expect(ran?.text).toContain('it was formatted');
    expect(failed?.text).toContain('look elsewhere');
    expect(ran?.text).not.toContain('look elsewhere');
  });

  it('GT-14: Stop keeps the agent going with its reason, and at most 8 times', async () => {
    const hooks = {
      Stop: [
        {
          hooks: [
            command(
              `cat >> "$CLAUDE_PROJECT_DIR/stops"; echo >> "$CLAUDE_PROJECT_DIR/stops"; echo 'still red' >&2; exit 2`,
            ),
          ],
        },
      ],
    };
    const stage = await withHooks(hooks, ['I am done.']);
    expect(stage.sim.requests).toHaveLength(9);
    expect(saidIn(stage.sim.requests[1] as never)).toContain('still red');
    const stops = (await readFile(join(stage.folder, 'stops'), 'utf8')).trim().split('\n');
    expect(stops.map((line) => (JSON.parse(line) as { stop_hook_active: boolean }).stop_hook_active)).toEqual([
      false,
      ...Array.from({ length: 8 }, () => true),
    ]);
  });

  it('GT-18: a Stop script that minds stop_hook_active continues once', async () => {
    const stage = await withHooks({ Stop: [{ hooks: [command(fixture('keep-going.sh'))] }] }, ['done', 'really done']);
    expect(stage.sim.requests).toHaveLength(2);
    expect(saidIn(stage.sim.requests[1] as never)).toContain('The tests fail');
  });

  it('GT-14: SessionStart adds context, SessionEnd runs when the session is left', async () => {
    const hooks = {
      SessionStart: [{ hooks: [command(fixture('session-context.sh'))] }],
      SessionEnd: [{ hooks: [command('cat > "$CLAUDE_PROJECT_DIR/ended"')] }],
    };
    const stage = await withHooks(hooks, ['done']);
    expect(saidIn(stage.sim.requests[0] as never)).toContain('Branch: main, 3 open issues');
    expect(JSON.parse(await stage.read('ended'))).toMatchObject({ hook_event_name: 'SessionEnd' });
  });

  it('GT-14: UserPromptSubmit can add to a prompt or refuse it; a refused one never reaches the model', async () => {
    const guard = `if grep -q password; then echo 'no passwords in prompts' >&2; exit 2; fi; echo 'today is quiet'`;
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings({ hooks: { UserPromptSubmit: [{ hooks: [command(guard)] }] } });
    const session = await stage.open({});
    const end = await session.send('my password is x');
    expect(end.line).toContain('no passwords in prompts');
    expect(stage.sim.requests).toEqual([]);
    await session.send('hello');
    expect(saidIn(stage.sim.requests[0] as never)).toContain('today is quiet');
    expect(saidIn(stage.sim.requests[0] as never)).not.toContain('my password');
  });

  it('GT-14: PreCompact runs before a summary is asked for', async () => {
    const model = 'claude-opus-5-5';
    const stage = await setStage(
      [{ when: { user: '<compaction>' }, reply: 'a summary' }, { reply: `answer ${'word '.repeat(1_500)}` }],
      { models: { [model]: { contextTokens: 14_000 } } },
    );
    await stage.settings({
      models: { [model]: { context: 14_000, maxOutput: 1_000 } },
      hooks: { PreCompact: [{ matcher: 'auto', hooks: [command('cat > "$CLAUDE_PROJECT_DIR/compacted"')] }] },
    });
    const session = await stage.open({});
    for (let n = 1; n <= 6; n += 1) await session.send(`prompt number ${n}`);
    expect(eventsOf(stage, 'history-compacted').length).toBeGreaterThan(0);
    expect(JSON.parse(await stage.read('compacted'))).toMatchObject({ hook_event_name: 'PreCompact', trigger: 'auto' });
  });

  it('GT-16: continue: false ends the run with its reason', async () => {
    const hooks = {
      PostToolUse: [{ hooks: [command(`echo '{"continue": false, "stopReason": "enough for today"}'`)] }],
    };
    const stage = await withHooks(hooks, [[bash('ls')], 'never said']);
    expect(eventsOf(stage, 'run-ended')).toMatchObject([{ reason: 'hook_stopped', line: 'enough for today' }]);
    expect(stage.sim.requests).toHaveLength(1);
  });

  it('GT-10: an agent’s own hooks hold for its run, next to the session’s, and for nobody else', async () => {
    const stage = await setStage(
      script({
        main: [[agentCall('TASK alpha', { subagent_type: 'guarded' })], [bash('touch of-main')], 'done'],
        'TASK alpha': [[bash('touch of-child')], 'done'],
      }),
    );
    const seen = join(stage.home, 'seen');
    await stage.settings({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [command(`echo all >> ${seen}`)] }] } });
    const own = { PreToolUse: [{ matcher: 'Bash', hooks: [command(`echo own >> ${seen}; echo mine >&2; exit 2`)] }] };
    await stage.write(inProject('guarded'), agentFile({ name: 'guarded', description: 'd', hooks: own }, 'x'));
    await (await stage.open({ trust: true, permissionMode: 'bypassPermissions' })).send(begin());
    expect(resultsIn(requestOf(stage.sim, 'TASK alpha', 2))).toMatchObject([
      { isError: true, text: expect.stringContaining('mine') },
    ]);
    expect(await exists(join(stage.folder, 'of-main'))).toBe(true);
    expect((await readFile(seen, 'utf8')).trim().split('\n').sort()).toEqual(['all', 'all', 'own']);
  });

  it('GT-18: 1 MB of output is bounded, and children left behind don’t hold the session up', async () => {
    const stage = await setStage();
    const pids = join(stage.home, 'pids');
    await writeFile(pids, '');
    await stage.settings({
      hooks: {
        SessionStart: [{ hooks: [command(fixture('much-output.py', 'text', '1000000'))] }],
        PostToolUse: [{ hooks: [command(fixture('leave-children.sh', pids))] }],
      },
    });
    stage.sim.use(script({ main: [[bash('ls')], 'done'] }));
    await (await stage.open({})).send(begin());
    expect(saidIn(stage.sim.requests[0] as never).length).toBeLessThan(15_000);
    const left = (await readFile(pids, 'utf8')).trim().split('\n');
    expect(left).toHaveLength(2);
    const running = runningWith('sleep 300').map((line) => line.split(' ')[0]);
    expect(left.filter((pid) => running.includes(pid))).toEqual([]);
  });
});
