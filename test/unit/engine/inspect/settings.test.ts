/** What a session tells of itself, and what it changes in settings: the commands behind the requests of clients. */

import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { maskSettings } from '../../../../src/config/settings/mask-settings.js';
import type { Settings } from '../../../../src/config/settings/settings-table.js';
import type { ModelClient } from '../../../../src/model/model-client.js';
import type { CommandOf } from '../../../../src/protocol/commands.js';
import fc from '../../../support/fast-check.js';
import { setStage } from '../../../support/story.js';

describe('settings of a session', () => {
  it('CL-3: a rule that the user answered stays theirs when a client changes the same file', async () => {
    const stage = await setStage([
      { when: { result: { tool: 'Bash' } }, reply: 'Done.' },
      { reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    ]);
    let asked = 0;
    const onPermission = async () => {
      asked += 1;
      return { behavior: 'allow', always: [{ kind: 'rule', rule: 'Bash(touch made)', where: 'local' }] } as const;
    };
    const session = await stage.open({ onPermission });
    await session.send('go');
    const done = await session.execute({ type: 'change-settings', source: 'local', settings: { model: 'haiku' } });
    expect(done).toMatchObject({ ok: true, applied: ['model'] });
    await session.close();
    const next = await stage.open({ onPermission });
    expect(next.model).toBe('claude-haiku-5-5');
    await next.send('go');
    expect(asked).toBe(1);
    const file = join(stage.folder, '.claude', 'settings.local.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ permissions: { allow: ['Bash(touch made)'] } });
  });

  it('CL-3: the user’s answers are among the rules', async () => {
    const stage = await setStage([
      { when: { result: { tool: 'Bash' } }, reply: 'Done.' },
      { reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    ]);
    const session = await stage.open({
      onPermission: async () => ({
        behavior: 'allow',
        always: [{ kind: 'rule', rule: 'Bash(touch made)', where: 'session' }],
      }),
    });
    await session.send('go');
    expect(await session.execute({ type: 'permission-rules' })).toEqual({
      ok: true,
      rules: { rules: [{ behavior: 'allow', rule: 'Bash(touch made)', source: 'session' }], folders: [] },
    });
  });

  it('CL-3: what another file has before it is written, and not said to count', async () => {
    const stage = await setStage([]);
    await stage.write('.claude/settings.local.json', JSON.stringify({ model: 'opus', effort: 'high' }));
    const session = await stage.open();
    await session.execute({ type: 'set-model', model: 'sonnet', effort: 'medium' });
    const settings = { model: 'haiku', effortLevel: 'low' };
    expect(await session.execute({ type: 'change-settings', source: 'user', settings })).toEqual({
      ok: true,
      applied: [],
      later: ['model', 'effort'],
    });
    expect(session.model).toBe('claude-sonnet-5-5');
    const file = join(stage.home, '.claude', 'settings.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ model: 'haiku', effort: 'low' });
    expect(await session.execute({ type: 'settings' })).toMatchObject({
      settings: { effective: { model: 'opus', effort: 'high' }, model: 'claude-sonnet-5-5', effort: 'medium' },
    });
  });

  it('CL-3: a model or effort that was chosen at the start stays', async () => {
    const stage = await setStage([]);
    const session = await stage.open({ model: 'sonnet', effort: 'high' });
    const settings = { model: 'haiku', effort: 'low' };
    expect(await session.execute({ type: 'change-settings', source: 'user', settings })).toEqual({
      ok: true,
      applied: [],
      later: ['model', 'effort'],
    });
    expect(session.model).toBe('claude-sonnet-5-5');
    const env = { ...stage.env, ANTHROPIC_MODEL: 'sonnet' };
    const other = await stage.open({ env });
    expect(await other.execute({ type: 'change-settings', source: 'user', settings: { model: 'opus' } })).toMatchObject(
      { applied: [] },
    );
    expect(other.model).toBe('claude-sonnet-5-5');
  });

  it('CL-3: two writers at once: every change is in the file', async () => {
    const stage = await setStage([]);
    await stage.settings({ permissions: { allow: ['Read'] }, other: { kept: true } });
    const [one, two] = [await stage.open(), await stage.open()];
    const names = Array.from({ length: 8 }, (_, nth) => `MARKER_${nth}`);
    const done = await Promise.all(
      names.map((name, nth) =>
        (nth % 2 === 0 ? one : two).execute({
          type: 'change-settings',
          source: 'user',
          settings: { env: { [name]: name } },
        }),
      ),
    );
    expect(done).toEqual(names.map(() => ({ ok: true, applied: [], later: ['env'] })));
    const file = join(stage.home, '.claude', 'settings.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      permissions: { allow: ['Read'] },
      other: { kept: true },
      env: Object.fromEntries(names.map((name) => [name, name])),
    });
    expect(await readdir(join(stage.home, '.claude'))).toEqual(['settings.json']);
  });

  it('CL-3: a file that is no JSON object, or has comments, is not written over', async () => {
    const stage = await setStage([]);
    const session = await stage.open();
    const file = join(stage.home, '.claude', 'settings.json');
    await mkdir(dirname(file), { recursive: true });
    for (const text of ['{ // mine\n "model": "opus" }', '[]', '{']) {
      await writeFile(file, text);
      const done = await session.execute({ type: 'change-settings', source: 'user', settings: { model: 'haiku' } });
      expect(done).toEqual({ ok: false, reason: expect.stringMatching(/settings\.json.*fix it first/) });
      expect(await readFile(file, 'utf8')).toBe(text);
    }
    expect(session.model).toBe('claude-opus-5-5');
  });

  it('CL-3: local settings are not written through a link; the user’s own are, and the link stays', async () => {
    const stage = await setStage([]);
    const session = await stage.open();
    const outside = join(stage.home, 'elsewhere.json');
    await writeFile(outside, '{}');
    await mkdir(join(stage.folder, '.claude'));
    await mkdir(join(stage.home, '.claude'));
    await symlink(outside, join(stage.folder, '.claude', 'settings.local.json'));
    const change = { type: 'change-settings', settings: { model: 'haiku' } } as const;
    expect(await session.execute({ ...change, source: 'local' })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('is a link'),
    });
    expect(await readFile(outside, 'utf8')).toBe('{}');
    await symlink(outside, join(stage.home, '.claude', 'settings.json'));
    expect(await session.execute({ ...change, source: 'user' })).toMatchObject({ ok: true, applied: ['model'] });
    expect(JSON.parse(await readFile(outside, 'utf8'))).toEqual({ model: 'haiku' });
    expect((await lstat(join(stage.home, '.claude', 'settings.json'))).isSymbolicLink()).toBe(true);
  });

  it('CL-3: a rule that is taken out applies until the session ends, and is reported', async () => {
    const stage = await setStage([]);
    await stage.settings({ permissions: { deny: ['WebFetch', 'WebSearch'] } });
    const session = await stage.open();
    const change = (deny: readonly string[] | null) =>
      session.execute({ type: 'change-settings', source: 'user', settings: { permissions: { deny } } });
    expect(await change(['WebFetch', 'WebSearch', 'Bash(rm:*)'])).toMatchObject({ applied: ['permissions.deny'] });
    expect(await change(['WebFetch', 'WebSearch', 'Bash(rm:*)'])).toMatchObject({ applied: ['permissions.deny'] });
    expect(await change(['WebFetch', 'WebSearch'])).toMatchObject({ applied: [], later: ['permissions.deny'] });
    expect(await change(['WebFetch'])).toMatchObject({ applied: [], later: ['permissions.deny'] });
    const rules = await session.execute({ type: 'permission-rules' });
    expect(rules.ok && rules.rules.rules.map(({ behavior, rule, source }) => [behavior, rule, source])).toEqual([
      ['deny', 'WebFetch', 'user'],
      ['deny', 'WebSearch', 'user'],
      ['deny', 'Bash(rm:*)', 'user'],
    ]);
  });

  it('CL-3: refused with a reason: nothing given, a source that is none, unknown and untrusted names', async () => {
    const stage = await setStage([]);
    const session = await stage.open();
    const why = async (source: unknown, settings: unknown) => {
      const done = await session.execute({ type: 'change-settings', source, settings } as CommandOf<'change-settings'>);
      return done.ok ? 'it was not refused' : done.reason;
    };
    expect(await why('managed', { model: 'x' })).toBe('unknown source managed: use user or local');
    expect(await why('user', {})).toBe('no settings given');
    expect(await why('user', [])).toBe('no settings given');
    expect(await why('user', { permissions: {} })).toMatch(/no effect here: permissions/);
    expect(await why('user', { colour: null })).toMatch(/no effect here: colour/);
    expect(await why('user', { permissions: { allow: ['Read'], colour: 'red' } })).toMatch(/colour/);
    expect(await why('user', { effortLevel: 'enormous' })).toMatch(/effort/);
    expect(await why('local', { cleanupPeriodDays: 1 })).toMatch(
      /not allowed in local settings: cleanupPeriodDays.*user settings/,
    );
    expect(await why('local', { cleanupPeriodDays: null })).toMatch(/not allowed/);
    expect(await why('local', { env: { A: 'b' } })).toMatch(/not trusted.*: env \(run coppice trust first/);
    expect(await readdir(stage.home)).not.toContain('.claude');
    expect(await readdir(stage.folder)).toEqual([]);
    const trusted = await stage.open({ trust: true });
    const change = { type: 'change-settings', source: 'local', settings: { env: { A: 'b' } } } as const;
    expect(await trusted.execute(change)).toEqual({ ok: true, applied: [], later: ['env'] });
  });
});

describe('what settings show', () => {
  /** Where a settings file can have a secret, with names that nobody knows beforehand. */
  const name = fc.stringMatching(/^[a-z]{3,9}$/);
  const word = fc.constantFrom('token', 'API_KEY', 'password', 'clientSecret', 'Cookie', 'authToken', 'credentials');
  const place = fc.oneof(
    name.map((one) => (secret: string) => ({ env: { [one]: secret } })),
    fc.constant((secret: string) => ({ apiKeyHelper: `print ${secret}` })),
    name.map((one) => (secret: string) => ({ pluginConfigs: { [one]: { options: { [one]: [secret] } } } })),
    fc.tuple(name, fc.constantFrom('env', 'headers')).map(([one, kind]) => (secret: string) => ({
      mcpServers: { [one]: { command: 'x', [kind]: { [one]: secret } } },
    })),
    fc.tuple(name, word).map(([one, key]) => (secret: string) => ({
      mcpServers: { [one]: { command: 'x', [one]: { [key]: secret } } },
    })),
    fc.tuple(name, word).map(([one, key]) => (secret: string) => ({
      mcpServers: { [one]: { command: 'x', args: [`--${key}`, secret] } },
    })),
    word.map((key) => (secret: string) => ({ allowedMcpServers: [{ serverCommand: ['npx', `--${key}`, secret] }] })),
    word.map((key) => (secret: string) => ({ deniedMcpServers: [{ serverUrl: `https://x.test/?${key}=${secret}` }] })),
    fc.tuple(name, name).map(([one, two]) => (secret: string) => ({
      agents: {
        [one]: { description: 'd', prompt: 'p', mcpServers: [{ [two]: { url: 'u', headers: { [two]: secret } } }] },
      },
    })),
    word.map((key) => (secret: string) => ({ statusLine: { type: 'command', command: `show --${key} ${secret}` } })),
    word.map((key) => (secret: string) => ({ permissions: { allow: [`Bash(${key}=${secret} run)`] } })),
    name.map((one) => (secret: string) => ({ extraKnownMarketplaces: { [one]: `https://${one}:${secret}@x.test/` } })),
    fc.constantFrom('Bearer', 'Basic').map((kind) => (secret: string) => ({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: `curl -H "X: ${kind} ${secret}"` }] }] },
    })),
    fc.tuple(name, word).map(([one, key]) => (secret: string) => ({ [one]: { [key]: secret } })),
  );

  it('CL-3: no secret leaves, wherever it is written and whatever its name', () => {
    const secret = fc.stringMatching(/^[A-Z][a-z]{3}[0-9]{12,20}[a-z]{3}$/);
    fc.assert(
      fc.property(place, secret, (at, value) => {
        expect(JSON.stringify(maskSettings(at(value) as Settings))).not.toContain(value);
      }),
      { numRuns: 500 },
    );
  });

  it('CL-3: what is no secret is shown as it is', () => {
    const settings = {
      model: 'haiku',
      effort: 'low',
      maxOutputTokens: 100,
      permissions: { allow: ['Bash(npm test:*)', 'Read(//etc/hosts)'], defaultMode: 'plan' },
      hooks: { Stop: [{ matcher: 'x', hooks: [{ type: 'command', command: 'echo done > log' }] }] },
      mcpServers: { web: { type: 'http', url: 'https://x.test/mcp' }, own: { command: 'npx', args: ['-y', 'server'] } },
    };
    expect(maskSettings(settings as Settings)).toEqual(settings);
  });
});

describe('how it is signed in', () => {
  it('CL-3: with a model client of the embedder no key of the environment is reported to be in use', async () => {
    const stage = await setStage([]);
    const modelClient: ModelClient = {
      async *request() {
        yield { type: 'fault', fault: { kind: 'unreachable', message: 'nobody' } };
      },
    };
    const session = await stage.open({ modelClient, model: 'mine' });
    expect(await session.execute({ type: 'account' })).toEqual({
      ok: true,
      account: { source: 'client', endpoint: '' },
    });
    expect(await session.execute({ type: 'facts' })).toMatchObject({ facts: { keyFrom: 'none' } });
  });

  it('CL-3: account names where the key comes from, and the server without a password', async () => {
    const stage = await setStage([]);
    const url = new URL(stage.sim.url);
    const ANTHROPIC_BASE_URL = `http://me:hunter2@${url.host}/v0`;
    const session = await stage.open({
      env: { ...stage.env, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: 'hunter2' },
    });
    expect(await session.execute({ type: 'account' })).toEqual({
      ok: true,
      account: { source: 'ANTHROPIC_AUTH_TOKEN', endpoint: `http://${url.host}/v0` },
    });
  });
});
