import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_VERDICT } from '../../../../src/gate/hooks/combine.js';
import type { FunctionHook, HooksConfig } from '../../../../src/gate/hooks/hook-config.js';
import { answerFields, callFields } from '../../../../src/gate/hooks/hook-events.js';
import type { HookInput } from '../../../../src/gate/hooks/input.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import {
  bashCall,
  beforeCalls,
  command,
  commonInput,
  newFolder,
  openHooks,
  script,
} from '../../../unit/gate/hooks/open-hooks.js';

const MB = 1024 * 1024;
const rm = bashCall('rm -rf build');
const rmCall = { id: rm.tool_use_id, tool: rm.tool_name, input: rm.tool_input };

describe('hook scripts people have', () => {
  it('GT-18: a Python guard reads the call on stdin and blocks with exit 2', async () => {
    const { hooks } = openHooks({ PreToolUse: [{ matcher: 'Bash', hooks: [command(script('block-dangerous.py'))] }] });
    expect(await hooks.run('PreToolUse', rm)).toMatchObject({
      ran: 1,
      decision: 'deny',
      reason: 'rm -rf is not allowed here',
    });
    expect(await hooks.run('PreToolUse', bashCall('ls'))).toEqual({ ran: 1, context: [], messages: [] });
  });

  it('GT-18: a shell guard that takes the JSON apart with sed', async () => {
    const { hooks } = openHooks({
      PreToolUse: [{ matcher: 'Edit|Write', hooks: [command(script('protect-env.sh'))] }],
    });
    const edit = (file_path: string) => callFields({ id: 't', tool: 'Edit', input: { file_path } });
    expect(await hooks.run('PreToolUse', edit('/p/.env'))).toMatchObject({
      decision: 'deny',
      reason: 'Blocked: /p/.env holds secrets',
    });
    expect(await hooks.run('PreToolUse', edit('/p/a.ts'))).not.toHaveProperty('decision');
    expect(await hooks.run('PreToolUse', rm)).toBe(NO_VERDICT);
  });

  it.each(['allow', 'ask', 'deny'])('GT-16: a JSON answer with permissionDecision %s', async (decision) => {
    const { hooks } = openHooks(beforeCalls(`${script('decide.py')} ${decision} 'says so'`));
    expect(await hooks.run('PreToolUse', rm)).toMatchObject({ decision, reason: 'says so', messages: [] });
  });

  it('GT-16: updatedInput rewrites the call', async () => {
    const { hooks } = openHooks(beforeCalls(script('use-pnpm.py')));
    expect(await hooks.run('PreToolUse', bashCall('npm install'))).toMatchObject({
      decision: 'allow',
      updatedInput: { command: 'pnpm install' },
    });
  });

  it('GT-16: the input has the common fields, the event’s name and its own', async () => {
    const file = join(newFolder(), 'input');
    const child = { ...commonInput('/p'), agent_id: 'a1', agent_type: 'reviewer' };
    const config = { PostToolUse: [{ hooks: [command(`${script('log-call.sh')} '${file}'`)] }] };
    const { hooks, folder } = openHooks(config, { base: () => child });
    await hooks.run('PostToolUse', answerFields(rmCall, { stdout: 'ü' }));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      ...child,
      hook_event_name: 'PostToolUse',
      ...rm,
      tool_response: { stdout: 'ü' },
    });
    expect(readFileSync(`${file}.where`, 'utf8')).toBe(`${folder}\n${folder}\n${folder}\n`);
  });

  it('GT-18: a command that names its script through $CLAUDE_PROJECT_DIR', async () => {
    const projectDir = newFolder();
    const config = beforeCalls('test -d "$CLAUDE_PROJECT_DIR" && echo "in $(basename "$CLAUDE_PROJECT_DIR")"');
    const { hooks } = openHooks(config, { projectDir, host: nodeHost(projectDir) });
    expect((await hooks.run('PreToolUse', rm)).messages[0]?.text).toBe(`in ${projectDir.split('/').at(-1)}`);
  });

  it('GT-16: text printed at the start of a session is context', async () => {
    const { hooks } = openHooks({
      SessionStart: [{ matcher: 'startup', hooks: [command(script('session-context.sh'))] }],
    });
    expect((await hooks.run('SessionStart', { source: 'startup' })).context).toEqual(['Branch: main, 3 open issues']);
    expect(await hooks.run('SessionStart', { source: 'resume' })).toBe(NO_VERDICT);
  });

  it('AG-22: SubagentStop may keep a child going with a reason, and sees that it does already', async () => {
    const { hooks } = openHooks({ SubagentStop: [{ matcher: 'reviewer', hooks: [command(script('keep-going.sh'))] }] });
    const ending = { agent_id: 'a1', agent_type: 'reviewer', stop_hook_active: false };
    expect(await hooks.run('SubagentStop', ending)).toMatchObject({
      decision: 'deny',
      reason: 'The tests fail: run them again',
    });
    expect(await hooks.run('SubagentStop', { ...ending, stop_hook_active: true })).not.toHaveProperty('decision');
    expect(await hooks.run('SubagentStop', { ...ending, agent_type: 'explorer' })).toBe(NO_VERDICT);
  });

  it('GT-14: WorktreeCreate stands in for git and says where', async () => {
    const place = newFolder();
    const { hooks } = openHooks({ WorktreeCreate: [{ hooks: [command(`${script('make-worktree.sh')} '${place}'`)] }] });
    const { worktreePath } = await hooks.run('WorktreeCreate', { name: 'fix-1' });
    expect(worktreePath).toBe(join(place, 'fix-1'));
    expect(existsSync(join(place, 'fix-1'))).toBe(true);
  });

  it.each([
    ['a missing program', 'no-such-program-here', /could not be started \(exit code 127\)/],
    ['a missing interpreter', script('missing-interpreter.py'), /could not be started \(exit code 12[67]\)/],
    ['a script that is not executable', script('not-executable.sh'), /could not be started \(exit code 126\)/],
    ['a script that kills itself', script('kill-itself.sh'), /killed by signal/],
    ['an answer that breaks off', script('unfinished-json.sh'), /not complete/],
    ['an answer of more than 1 MB', `${script('much-output.py')} json ${MB + 1}`, /more than 1 MB/],
    ['one that takes too long', 'sleep 300', /did not finish within 1 s/],
  ])('GT-17: before a call %s blocks it, visibly; after it, it is only reported', async (_, line, expected) => {
    const groups = [{ hooks: [command(line, { timeout: 1 })] }];
    // Starting Python must not be what takes too long.
    const patient = [{ hooks: [command(line, { timeout: 20 })] }];
    const chosen = line === 'sleep 300' ? groups : patient;
    const { hooks } = openHooks({ PreToolUse: chosen, PostToolUse: chosen });
    const verdict = await hooks.run('PreToolUse', rm);
    expect(verdict).toMatchObject({ decision: 'deny', reason: expect.stringMatching(expected) });
    expect(verdict.reason).toContain('.claude/settings.json');
    expect(verdict.messages).toMatchObject([{ level: 'error', text: expect.stringMatching(expected) }]);
    const after = await hooks.run('PostToolUse', answerFields(rmCall, {}));
    expect(after).not.toHaveProperty('decision');
    expect(after.messages).toMatchObject([{ level: 'error', text: expect.stringMatching(expected) }]);
  });

  it('GT-16: an answer of exactly 1 MB is read, and capped where it is shown', async () => {
    const { hooks } = openHooks(beforeCalls(`${script('much-output.py')} json ${MB}`));
    const verdict = await hooks.run('PreToolUse', rm);
    expect(verdict).toMatchObject({ decision: 'deny', reason: expect.stringMatching(/^x+\n\[cut/), messages: [] });
    expect(verdict.reason).toHaveLength(10_000);
  });

  it('GT-16: 3 MB on stderr with exit 2 still blocks', async () => {
    const { hooks } = openHooks(beforeCalls(`${script('much-output.py')} stderr ${3 * MB}`));
    const verdict = await hooks.run('PreToolUse', rm);
    expect(verdict.decision).toBe('deny');
    expect(verdict.reason).toHaveLength(10_000);
  });
});

describe('which hooks run', () => {
  it('GT-15: the same hook twice runs once', async () => {
    const { hooks, folder } = openHooks(beforeCalls('echo x >> ran', 'echo x >> ran', 'echo y >> ran'));
    expect((await hooks.run('PreToolUse', rm)).ran).toBe(2);
    expect(readFileSync(join(folder, 'ran'), 'utf8').split('\n').sort()).toEqual(['', 'x', 'y']);
  });

  it('GT-15: all run in parallel: two that wait for each other both end', async () => {
    const meet = (mine: string, other: string) => `touch ${mine}; until [ -e ${other} ]; do sleep 0.02; done; echo met`;
    const { hooks } = openHooks(beforeCalls(meet('a', 'b'), meet('b', 'a')));
    expect((await hooks.run('PreToolUse', rm)).messages.map(({ text }) => text)).toEqual(['met', 'met']);
  });

  it('GT-15: the strictest answer wins, however late it comes', async () => {
    const deny = `sleep 0.2; ${script('decide.py')} deny late`;
    const { hooks } = openHooks(beforeCalls(`${script('decide.py')} allow a`, deny, `${script('decide.py')} ask b`));
    expect(await hooks.run('PreToolUse', rm)).toMatchObject({ ran: 3, decision: 'deny', reason: 'late' });
  });

  it('GT-15: a built-in tool is matched by each of its names, and a caller may give more names', async () => {
    const { hooks } = openHooks({
      PreToolUse: [
        { matcher: 'Task', hooks: [command('echo task')] },
        { matcher: 'KillShell', hooks: [command('echo kill')] },
        { matcher: 'mcp__long__name', hooks: [command('echo long')] },
      ],
    });
    const call = (tool: string) => callFields({ id: 't', tool, input: {} });
    expect((await hooks.run('PreToolUse', call('Agent'))).messages[0]?.text).toBe('task');
    expect((await hooks.run('PreToolUse', call('TaskStop'))).messages[0]?.text).toBe('kill');
    expect((await hooks.run('PreToolUse', call('mcp__long__n'))).ran).toBe(0);
    const named = await hooks.run('PreToolUse', call('mcp__long__n'), { subject: ['mcp__long__n', 'mcp__long__name'] });
    expect(named.messages[0]?.text).toBe('long');
  });

  it.each(['[', 'Bash(rm *)'])(
    'GT-15: a guard with the unusable matcher %j is asked about every call, with a warning',
    async (matcher) => {
      const group = { matcher, hooks: [command('echo no >&2; exit 2')] };
      const { hooks, warnings } = openHooks({ PreToolUse: [group], PermissionRequest: [group], PostToolUse: [group] });
      expect(warnings).toHaveLength(3);
      expect((await hooks.run('PreToolUse', rm)).decision).toBe('deny');
      expect((await hooks.run('PermissionRequest', rm)).decision).toBe('deny');
      expect(await hooks.run('PostToolUse', answerFields(rmCall, {}))).toBe(NO_VERDICT);
    },
  );

  it('GT-15: a guard whose matcher takes too long is asked, with one warning', async () => {
    const { hooks, warnings } = openHooks({ PreToolUse: [{ matcher: '^(([a-z])+.)+#$', hooks: [command('exit 2')] }] });
    const call = callFields({ id: 't', tool: 'a'.repeat(60), input: {} });
    for (let time = 0; time < 2; time++) expect((await hooks.run('PreToolUse', call)).decision).toBe('deny');
    expect(warnings).toEqual([expect.stringContaining('too slow')]);
  });

  it('GT-18: `if` runs a hook only for calls that match the rule', async () => {
    const config = { PreToolUse: [{ matcher: 'Bash', hooks: [command('exit 2', { if: 'Bash(git *)' })] }] };
    const matchesRule = (rule: string, tool: string, input: unknown) =>
      rule === 'Bash(git *)' && tool === 'Bash' && JSON.stringify(input).includes('git ');
    const { hooks, warnings } = openHooks(config, { matchesRule });
    expect((await hooks.run('PreToolUse', bashCall('git push'))).decision).toBe('deny');
    expect(await hooks.run('PreToolUse', bashCall('ls'))).toBe(NO_VERDICT);
    expect(warnings).toEqual([]);
  });

  it('GT-18: where `if` cannot be judged the hook runs, may deny, and cannot allow', async () => {
    const config = (line: string) => ({ PreToolUse: [{ hooks: [command(line, { if: 'Bash(git *)' })] }] });
    const denying = openHooks(config('exit 2'));
    expect(denying.warnings).toHaveLength(1);
    expect((await denying.hooks.run('PreToolUse', rm)).decision).toBe('deny');
    const allowing = openHooks(config(`echo '{"decision": "approve"}'`));
    expect(await allowing.hooks.run('PreToolUse', rm)).not.toHaveProperty('decision');
  });

  it('GT-14: an event without hooks costs nothing: no process, no JSON, not even the common fields', async () => {
    const folder = newFolder();
    const host = nodeHost(folder);
    const refuse = () => {
      throw new Error('was used');
    };
    const { hooks } = openHooks(beforeCalls('exit 2'), {
      host: {
        ...host,
        processes: {
          start: refuse,
          run: refuse,
          endMarked: refuse,
          endByVariable: refuse,
          endGroup: refuse,
          workingIn: refuse,
        },
      },
      base: refuse,
    });
    const fields = answerFields(rmCall, { toJSON: refuse });
    expect(hooks.has('PostToolUse')).toBe(false);
    expect(hooks.has('PreToolUse')).toBe(true);
    expect(await hooks.run('PostToolUse', fields)).toBe(NO_VERDICT);
    expect(hooks.run('PostToolUse', fields)).toBe(hooks.run('Stop', { stop_hook_active: false }));
  });
});

describe('layers and functions', () => {
  it('AG-22: front-matter hooks apply to that run only; Stop there means SubagentStop', async () => {
    const { hooks } = openHooks({ Stop: [{ hooks: [command('echo main')] }] });
    const frontMatter = {
      Stop: [{ matcher: 'ignored', hooks: [command('echo child; exit 0')] }],
      ...beforeCalls('exit 2'),
    };
    const base = () => ({ ...commonInput('/p'), agent_id: 'a1', agent_type: 'reviewer' });
    const ofChild = hooks.withHooks([{ origin: 'agent reviewer', hooks: frontMatter }], { base });
    const ending = { agent_id: 'a1', agent_type: 'reviewer', stop_hook_active: false };
    expect((await ofChild.run('SubagentStop', ending)).messages).toMatchObject([
      { hook: expect.stringContaining('agent reviewer'), text: 'child' },
    ]);
    expect((await ofChild.run('Stop', ending)).messages).toMatchObject([{ text: 'main' }]);
    expect((await ofChild.run('PreToolUse', rm)).decision).toBe('deny');
    expect(hooks.has('SubagentStop') || hooks.has('PreToolUse')).toBe(false);
    const ofMain = hooks.withHooks([{ origin: 'agent reviewer', hooks: frontMatter }], { of: 'main' });
    expect((await ofMain.run('Stop', ending)).ran).toBe(2);
  });

  it('AG-22: SubagentStart may add context to the child', async () => {
    const { hooks } = openHooks({
      SubagentStart: [{ matcher: 'reviewer', hooks: [command('echo look at src first')] }],
    });
    const { context } = await hooks.run('SubagentStart', { agent_id: 'a1', agent_type: 'reviewer' });
    expect(context).toEqual(['look at src first']);
  });

  it('GT-14: in the library hooks are functions, next to commands', async () => {
    const seen: HookInput<'PreToolUse'>[] = [];
    const guard: FunctionHook<'PreToolUse'> = async (input) => {
      seen.push(input);
      return input.tool_name === 'Bash' ? { decision: 'block', reason: 'by function' } : undefined;
    };
    const config: HooksConfig = { PreToolUse: [{ matcher: 'Bash', hooks: [guard, guard, command('echo beside')] }] };
    const { hooks } = openHooks(config);
    const verdict = await hooks.run('PreToolUse', rm);
    expect(verdict).toMatchObject({ ran: 2, decision: 'deny', reason: 'by function', messages: [{ text: 'beside' }] });
    expect(seen).toMatchObject([{ hook_event_name: 'PreToolUse', session_id: 's1', ...rm }]);
  });

  it('GT-16: a function cannot change the call by changing its input', async () => {
    const call = bashCall('ls');
    const meddle = (input: { tool_input: { command: string } }) => {
      input.tool_input.command = 'rm -rf /';
    };
    const { hooks } = openHooks({ PreToolUse: [{ hooks: [meddle] }] });
    expect(await hooks.run('PreToolUse', call)).toEqual({ ran: 1, context: [], messages: [] });
    expect(call).toEqual(bashCall('ls'));
  });

  it.each([
    ['throws', () => Promise.reject(new Error('oops')), /threw an error: oops/],
    ['never answers', () => new Promise<void>(() => {}), /did not finish within 0.05 s/],
    ['answers nonsense', async () => 'yes', /gave an invalid decision/],
  ])('GT-17: a function that %s blocks a call, and only that', async (_, hook, expected) => {
    const { hooks } = openHooks({
      PreToolUse: [{ hooks: [hook], timeout: 0.05 }],
      Stop: [{ hooks: [hook], timeout: 0.05 }],
    });
    expect(await hooks.run('PreToolUse', rm)).toMatchObject({
      decision: 'deny',
      reason: expect.stringMatching(expected),
    });
    const verdict = await hooks.run('Stop', { stop_hook_active: false });
    expect(verdict).not.toHaveProperty('decision');
    expect(verdict.messages).toMatchObject([{ level: 'error' }]);
  });

  it('GT-17: an abort reaches a function through its signal, and the call does not run', async () => {
    const stop = new AbortController();
    let told: AbortSignal | undefined;
    const hook = (_: unknown, { signal }: { signal: AbortSignal }) => {
      told = signal;
      stop.abort();
      return new Promise<void>(() => {});
    };
    const { hooks } = openHooks({ PreToolUse: [{ hooks: [hook] }] });
    expect((await hooks.run('PreToolUse', rm, { signal: stop.signal })).decision).toBe('deny');
    expect(told?.aborted).toBe(true);
  });
});
