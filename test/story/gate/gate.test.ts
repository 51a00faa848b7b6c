/** The gate around the calls of a whole session: modes, rules, roots, protected names, answers that last. */

import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSession } from '../../../src/front/sdk/open-session.js';
import type { PermissionAnswer, PermissionQuestion } from '../../../src/protocol/permission.js';
import { always, offeredRules } from '../../support/always.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { IS_ROOT } from '../../support/users.js';
import { begin, type Line, mainResults, type Result, script } from '../agents/agents-script.js';

const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const write = (path: string, content = 'x') => ({ tool: 'Write', input: { file_path: path, content } });
const read = (path: string) => ({ tool: 'Read', input: { file_path: path } });

type Opening = NonNullable<Parameters<Stage['open']>[0]>;

/** One turn of calls, and what became of each. */
async function tryCalls(stage: Stage, calls: Line, options: Opening = {}): Promise<Result[]> {
  stage.sim.use(script({ main: [calls, 'done'] }));
  await (await stage.open(options)).send(begin());
  expectAllAccepted(stage.sim);
  return mainResults(stage);
}

const refused = (results: readonly Result[]) => results.map(({ isError }) => isError);
const exists = (path: string) =>
  readFile(path).then(
    () => true,
    () => false,
  );

/** A user who says the same to everything, and what was put to them. */
function answering(
  answer: PermissionAnswer | ((question: PermissionQuestion) => PermissionAnswer) = { behavior: 'allow' },
) {
  const questions: PermissionQuestion[] = [];
  const onPermission = async (question: PermissionQuestion) => {
    questions.push(question);
    return typeof answer === 'function' ? answer(question) : answer;
  };
  return { questions, onPermission };
}

describe('modes', () => {
  it('GT-5: default asks for what changes something and for nothing that reads', async () => {
    const stage = await setStage();
    await stage.write('a.txt', 'one\n');
    const { questions, onPermission } = answering();
    const calls = [
      read(join(stage.folder, 'a.txt')),
      bash('cat a.txt'),
      write(join(stage.folder, 'b.txt')),
      bash('touch c'),
    ];
    expect(refused(await tryCalls(stage, calls, { onPermission }))).toEqual([false, false, false, false]);
    expect(questions.map(({ call }) => call.tool)).toEqual(['Write', 'Bash']);
  });

  it('GT-5: acceptEdits lets edits inside the roots through, and nothing else', async () => {
    const stage = await setStage();
    const { questions, onPermission } = answering({ behavior: 'deny' });
    const calls = [write(join(stage.folder, 'in.txt')), write(join(stage.home, 'out.txt')), bash('npm install x')];
    const results = await tryCalls(stage, calls, { onPermission, permissionMode: 'acceptEdits' });
    expect(refused(results)).toEqual([false, true, true]);
    expect(questions).toHaveLength(2);
    expect(await exists(join(stage.home, 'out.txt'))).toBe(false);
  });

  it('GT-5: plan only reads, whatever the rules allow, and asks nobody', async () => {
    const stage = await setStage();
    const { questions, onPermission } = answering();
    const calls = [write(join(stage.folder, 'a')), bash('touch b'), bash('ls'), bash('make')];
    const options = {
      onPermission,
      permissionMode: 'plan',
      allowedTools: ['Write', 'Bash(make:*)', 'Bash(touch:*)'],
    } as const;
    const results = await tryCalls(stage, calls, options);
    expect(refused(results)).toEqual([true, true, false, true]);
    expect(questions).toEqual([]);
    expect(results[0]?.text).toContain('plan mode only reads');
    expect(await exists(join(stage.folder, 'a'))).toBe(false);
  });

  it('GT-5: dontAsk denies what would ask, with the reason, and asks nobody', async () => {
    const stage = await setStage();
    const { questions, onPermission } = answering();
    const calls = [bash('touch b'), bash('ls')];
    const results = await tryCalls(stage, calls, { onPermission, permissionMode: 'dontAsk' });
    expect(refused(results)).toEqual([true, false]);
    expect(results[0]?.text).toMatch(/in this mode nobody is asked/);
    expect(questions).toEqual([]);
  });

  it('GT-5: bypassPermissions runs everything that no rule denies or asks about', async () => {
    const stage = await setStage();
    await stage.settings({ permissions: { deny: ['Bash(touch b)'], ask: ['Bash(touch c)'] } });
    const { questions, onPermission } = answering({ behavior: 'deny', reason: 'not that one' });
    const calls = [bash('touch a'), bash('env touch b'), bash('touch c')];
    const results = await tryCalls(stage, calls, { onPermission, permissionMode: 'bypassPermissions' });
    expect(refused(results)).toEqual([false, true, true]);
    expect(questions.map(({ call }) => call.input)).toEqual([{ command: 'touch c' }]);
    expect(results[2]?.text).toContain('not that one');
  });

  it('GT-5: as root bypassPermissions is refused without COPPICE_ALLOW_ROOT_BYPASS or a required sandbox', async () => {
    const stage = await setStage();
    const env = { ...stage.env, COPPICE_ALLOW_ROOT_BYPASS: undefined };
    const opened = await openSession({ cwd: stage.folder, env, permissionMode: 'bypassPermissions' });
    if (IS_ROOT) {
      expect(opened).toMatchObject({
        ok: false,
        kind: 'usage',
        reason: expect.stringContaining('COPPICE_ALLOW_ROOT_BYPASS=1'),
      });
    } else expect(opened.ok).toBe(true);
    if (opened.ok) await opened.session.close();
    await stage.settings({ sandbox: 'required' });
    const confined = await openSession({ cwd: stage.folder, env, permissionMode: 'bypassPermissions' });
    expect(confined.ok).toBe(true);
    if (confined.ok) await confined.session.close();
  });

  it('GT-5: disableBypassPermissionsMode refuses the mode, also from a project that nobody trusts', async () => {
    const stage = await setStage();
    await stage.write('.claude/settings.json', '{"permissions": {"disableBypassPermissionsMode": "disable"}}');
    const opened = await openSession({ cwd: stage.folder, env: stage.env, permissionMode: 'bypassPermissions' });
    expect(opened).toMatchObject({ ok: false, kind: 'usage', reason: expect.stringContaining('turned off') });
  });

  it('GT-5: the mode can be changed while the session continues', async () => {
    const stage = await setStage();
    stage.sim.use(script({ main: [[bash('touch a')], 'no', [bash('touch b')], 'yes'] }));
    const session = await stage.open({});
    await session.send(begin());
    await session.setMode('acceptEdits');
    await session.send('again');
    expect([await exists(join(stage.folder, 'a')), await exists(join(stage.folder, 'b'))]).toEqual([false, true]);
  });
});

describe('switching to bypassPermissions', () => {
  const switchTo = async (stage: Stage, options: Opening) => {
    const session = await stage.open(options);
    const done = await session.execute({ type: 'set-mode', mode: 'bypassPermissions' });
    return { session, reason: done.ok ? undefined : done.reason };
  };

  it('GT-5: only a session that was opened in it can be put in it, in the library as well', async () => {
    const stage = await setStage();
    stage.sim.use(script({ main: [[bash('touch a')], 'done'] }));
    const { session, reason } = await switchTo(stage, {});
    expect(reason).toContain('requested at the start');
    await expect(session.setMode('bypassPermissions')).rejects.toThrow('requested at the start');
    await expect(session.setMode('bubble')).rejects.toThrow('only for child agents');
    await expect(session.setMode('nonsense' as never)).rejects.toThrow("the mode can't be nonsense");
    expect([session.mode, session.modes.includes('bypassPermissions')]).toEqual(['default', false]);
    await session.send(begin());
    expect(await exists(join(stage.folder, 'a'))).toBe(false);
    const started = await stage.open({ permissionMode: 'bypassPermissions' });
    await started.setMode('plan');
    await started.setMode('bypassPermissions');
    expect([started.mode, started.modes.includes('bypassPermissions')]).toEqual(['bypassPermissions', true]);
  });

  it('GT-5: as root, or where it is switched off, neither opening nor --settings nor switching gets there', async () => {
    const stage = await setStage();
    const settings = JSON.stringify({ permissions: { defaultMode: 'bypassPermissions' } });
    const env = { ...stage.env, COPPICE_ALLOW_ROOT_BYPASS: undefined };
    const asRoot = await openSession({ cwd: stage.folder, env, settings });
    expect(asRoot).toMatchObject(IS_ROOT ? { ok: false, kind: 'usage' } : { ok: true });
    if (asRoot.ok) await asRoot.session.close();
    await stage.settings({ permissions: { disableBypassPermissionsMode: 'disable' } });
    const off = await openSession({ cwd: stage.folder, env: stage.env, settings });
    expect(off).toMatchObject({ ok: false, kind: 'usage', reason: expect.stringContaining('turned off') });
    expect((await switchTo(stage, {})).reason).toContain('turned off');
  });
});

describe('a deny is final', () => {
  const deny = { permissions: { deny: ['Bash(curl:*)', 'Read(secret.txt)', 'Edit(kept.txt)'] } };

  it.each(['default', 'acceptEdits', 'dontAsk', 'bypassPermissions', 'plan'] as const)(
    'GT-4: in mode %s',
    async (mode) => {
      const stage = await setStage();
      await stage.write('secret.txt', 'the secret\n');
      await stage.settings(deny);
      const { questions, onPermission } = answering();
      const calls = [
        bash('timeout 5 curl http://127.0.0.1:1'),
        bash('cat secret.txt'),
        read(join(stage.folder, 'secret.txt')),
        write(join(stage.folder, 'kept.txt')),
        bash('echo x > kept.txt'),
      ];
      const options = { onPermission, permissionMode: mode, allowedTools: ['Bash', 'Read', 'Edit'] };
      const results = await tryCalls(stage, calls, options);
      expect(refused(results)).toEqual([true, true, true, true, true]);
      expect(results.map(({ text }) => text).join()).not.toContain('the secret');
      expect(questions).toEqual([]);
      expect(await exists(join(stage.folder, 'kept.txt'))).toBe(false);
    },
  );

  it('GT-4: a hook that allows, or rewrites the input into something denied, does not soften it', async () => {
    const stage = await setStage();
    await stage.settings(deny);
    const rewrite = async (input: { tool_input?: unknown }) => ({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse' as const,
        permissionDecision: 'allow' as const,
        ...(JSON.stringify(input.tool_input).includes('harmless') ? { updatedInput: { command: 'curl x' } } : {}),
      },
    });
    const hooks = { PreToolUse: [{ hooks: [rewrite] }] };
    const results = await tryCalls(stage, [bash('curl x'), bash('echo harmless')], { hooks: hooks as never });
    expect(refused(results)).toEqual([true, true]);
    expect(results[1]?.text).toContain('Bash(curl:*)');
  });

  it('GT-4: nor does the user’s own changed input', async () => {
    const stage = await setStage();
    await stage.settings(deny);
    const { onPermission } = answering({ behavior: 'allow', updatedInput: { command: 'curl x' } });
    const results = await tryCalls(stage, [bash('touch a')], { onPermission });
    expect(results).toMatchObject([{ isError: true, text: expect.stringContaining('Bash(curl:*)') }]);
  });

  it('GT-4: an ask rule asks although another rule allows and a hook allows', async () => {
    const stage = await setStage();
    await stage.settings({ permissions: { ask: ['Bash(touch:*)'], allow: ['Bash(touch:*)'] } });
    const { questions, onPermission } = answering({ behavior: 'deny' });
    const allow = async () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } });
    const hooks = { PreToolUse: [{ hooks: [allow] }] };
    const results = await tryCalls(stage, [bash('touch a')], { onPermission, hooks: hooks as never });
    expect(refused(results)).toEqual([true]);
    expect(questions).toHaveLength(1);
  });
});

describe('commands and paths', () => {
  it('GT-6: a command is judged part by part: an allowed beginning carries nothing along', async () => {
    const stage = await setStage();
    const calls = ['npm test && touch a', 'npm test $(touch b)', 'npm test > c', 'cat x | tee d'].map(bash);
    expect(refused(await tryCalls(stage, calls, { allowedTools: ['Bash(npm test:*)'] }))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    for (const name of ['a', 'b', 'c', 'd']) expect(await exists(join(stage.folder, name))).toBe(false);
  });

  it('GT-7: protected names ask in every mode but bypass, also when they are absent', async () => {
    const names = ['.git/config', '.claude/settings.json', '.claude/agents/x.md', '.mcp.json', '.bashrc'];
    for (const permissionMode of ['acceptEdits', 'bypassPermissions'] as const) {
      const stage = await setStage();
      const { questions, onPermission } = answering({ behavior: 'deny' });
      const calls = [...names.map((name) => write(join(stage.folder, name))), bash('echo x >> .git/hooks/pre-commit')];
      const options = { onPermission, permissionMode, allowedTools: ['Edit', 'Bash'], trust: true };
      await tryCalls(stage, calls, options);
      expect(questions).toHaveLength(permissionMode === 'acceptEdits' ? 6 : 0);
      expect(await exists(join(stage.folder, '.mcp.json'))).toBe(permissionMode === 'bypassPermissions');
    }
  });

  it('GT-7: a link out of the roots, a dangling one and a hard link are not written through', async () => {
    const stage = await setStage();
    const outside = join(stage.home, 'outside.txt');
    await writeFile(outside, 'kept');
    await symlink(outside, join(stage.folder, 'out'));
    await symlink(join(stage.home, 'absent'), join(stage.folder, 'dangling'));
    await link(outside, join(stage.folder, 'hard'));
    const calls = ['out', 'dangling', 'hard'].map((name) => bash(`echo gone > ${name}`));
    const more = ['dangling'].map((name) => write(join(stage.folder, name)));
    const results = await tryCalls(stage, [...calls, ...more], { permissionMode: 'acceptEdits' });
    expect(refused(results)).toEqual([true, true, true, true]);
    expect(await readFile(outside, 'utf8')).toBe('kept');
    expect(await exists(join(stage.home, 'absent'))).toBe(false);
  });

  it('GT-7: --add-dir makes a folder a root; one whose name only begins alike is none', async () => {
    const stage = await setStage();
    const [more, alike] = [join(stage.home, 'more'), join(stage.home, 'more-else')];
    await mkdir(more);
    await mkdir(alike);
    const calls = [write(join(more, 'a')), write(join(alike, 'b')), write(join(more, '..', 'more-else', 'c'))];
    const results = await tryCalls(stage, calls, { permissionMode: 'acceptEdits', addDirs: [more] });
    expect(refused(results)).toEqual([false, true, true]);
    expect(await exists(join(alike, 'b'))).toBe(false);
  });

  it('GT-8: a command of the corpus, tried in a session, does nothing', async () => {
    const stage = await setStage();
    await stage.write('in.txt', 'b\na\n');
    const calls = ['sort -o made in.txt', "sed -n 'w made' in.txt", 'find . -fprint made', 'echo a;touch made'].map(
      bash,
    );
    expect(refused(await tryCalls(stage, calls, { allowedTools: ['Bash(echo:*)'] }))).toEqual([true, true, true, true]);
    expect(await exists(join(stage.folder, 'made'))).toBe(false);
  });
});

describe('answers', () => {
  it('GT-11: always for this session covers exactly what was shown, and nothing wider', async () => {
    const stage = await setStage();
    const { questions, onPermission } = answering((question) => always(question));
    await tryCalls(stage, [bash('touch a'), bash('touch a'), bash('touch a b')], { onPermission });
    expect(questions.map(({ call }) => call.input)).toEqual([{ command: 'touch a' }, { command: 'touch a b' }]);
    expect(offeredRules(questions[0])).toEqual(['Bash(touch a)']);
    expect(await exists(join(stage.folder, '.claude', 'settings.local.json'))).toBe(false);
  });

  it('GT-11: always on local settings is there in the next session', async () => {
    const stage = await setStage();
    const first = answering((question) => always(question, 'local'));
    await tryCalls(stage, [bash('touch a')], { onPermission: first.onPermission, trust: true });
    const saved = JSON.parse(await stage.read('.claude/settings.local.json')) as { permissions: object };
    expect(saved.permissions).toEqual({ allow: ['Bash(touch a)'] });
    const second = answering();
    stage.sim.use(script({ main: [[bash('touch a')], 'done'] }));
    await (await stage.open({ onPermission: second.onPermission, trust: true })).send(begin());
    expect(second.questions).toEqual([]);
  });

  it('GT-13: nobody to ask: a PermissionRequest hook answers first; otherwise a denial the model can act on', async () => {
    const stage = await setStage();
    const hook = join(stage.home, 'answer.sh');
    await writeFile(
      hook,
      `#!/bin/sh\ngrep -q 'touch yes' && echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'\nexit 0\n`,
      { mode: 0o755 },
    );
    await stage.settings({
      hooks: { PermissionRequest: [{ matcher: 'Bash', hooks: [{ type: 'command', command: hook }] }] },
    });
    const results = await tryCalls(stage, [bash('touch yes'), bash('touch no')]);
    expect(refused(results)).toEqual([false, true]);
    expect(results[1]?.text).toMatch(/nobody can be asked.*--allowedTools/s);
    expect(eventsOf(stage, 'permission-answered').map(({ behavior, by }) => [behavior, by])).toEqual([
      ['allow', 'hook'],
      ['deny', 'nobody to ask'],
    ]);
  });

  it('GT-20: what is put to a user is whole; what a command prints can’t act on a terminal in the question', async () => {
    const stage = await setStage();
    const { questions, onPermission } = answering({ behavior: 'deny' });
    const command = 'touch a\u001b[2K\u202e; rm -rf b';
    await tryCalls(stage, [bash(command)], { onPermission });
    expect(questions[0]?.call.input).toEqual({ command });
    expect(questions[0]?.destroys).toEqual(['deletes folders with everything in them (rm -r)']);
  });
});

describe('trust', () => {
  const acting = {
    permissions: { allow: ['Bash(touch:*)'], deny: ['Bash(ls)'], defaultMode: 'bypassPermissions' },
    env: { FROM_PROJECT: 'yes' },
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'touch hooked' }] }] },
  };

  it('GT-2: in an untrusted folder what acts or widens is ignored, with one line; what narrows applies', async () => {
    const stage = await setStage();
    await stage.write('.claude/settings.json', JSON.stringify(acting));
    stage.sim.use(script({ main: [[bash('touch made'), bash('ls'), bash('printenv FROM_PROJECT')], 'done'] }));
    const session = await stage.open({ allowedTools: ['Bash(printenv:*)'] });
    await session.send(begin());
    const results = mainResults(stage);
    expect(refused(results)).toEqual([true, true, true]);
    expect(results[2]?.text).not.toContain('yes');
    expect(await exists(join(stage.folder, 'made'))).toBe(false);
    expect(await exists(join(stage.folder, 'hooked'))).toBe(false);
    expect(session.mode).toBe('default');
    const lines = session.warnings.filter((line) => line.includes('not trusted'));
    expect(lines).toEqual([
      expect.stringMatching(/permissions\.allow.*hooks.*env|hooks.*env.*permissions\.allow|--trust/s),
    ]);
  });

  it('GT-2: trusted, it applies; GT-3: a wider mode, an endpoint and a key never do', async () => {
    const stage = await setStage();
    const env = {
      ...acting.env,
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NODE_EXTRA_CA_CERTS: '/x',
    };
    await stage.write('.claude/settings.json', JSON.stringify({ ...acting, env, apiKeyHelper: 'touch helped' }));
    stage.sim.use(script({ main: [[bash('touch made'), bash('printenv FROM_PROJECT')], 'done'] }));
    const session = await stage.open({ trust: true, allowedTools: ['Bash(printenv:*)'] });
    expect((await session.send(begin())).reason).toBe('completed');
    expect(refused(mainResults(stage))).toEqual([false, false]);
    expect(mainResults(stage)[1]?.text).toContain('yes');
    expect(await exists(join(stage.folder, 'made'))).toBe(true);
    expect(await exists(join(stage.folder, 'hooked'))).toBe(true);
    expect(await exists(join(stage.folder, 'helped'))).toBe(false);
    expect(session.mode).toBe('default');
  });

  it('GT-1: of single values the highest layer wins, lists add up, and local beats shared beats the user’s', async () => {
    const stage = await setStage();
    await stage.settings({ model: 'haiku', permissions: { deny: ['Bash(ls a)'] } });
    await stage.write(
      '.claude/settings.json',
      JSON.stringify({ model: 'sonnet', permissions: { deny: ['Bash(ls b)'] } }),
    );
    await stage.write(
      '.claude/settings.local.json',
      JSON.stringify({ model: 'opus', permissions: { deny: ['Bash(ls c)'] } }),
    );
    await mkdir(dirname(join(stage.home, 'managed.json')), { recursive: true });
    await writeFile(join(stage.home, 'managed.json'), JSON.stringify({ permissions: { deny: ['Bash(ls d)'] } }));
    const calls = ['ls a', 'ls b', 'ls c', 'ls d', 'ls .'].map(bash);
    const results = await tryCalls(stage, calls, { trust: true });
    expect(refused(results)).toEqual([true, true, true, true, false]);
    expect(stage.sim.requests[0]?.body.model).toContain('opus');
  });
});
