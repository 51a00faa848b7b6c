import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DefinitionsQuery } from '../../../../src/config/definitions/load-definitions.js';
import { definitionsWatch, loadDefinitions } from '../../../../src/config/definitions/load-definitions.js';
import { readSettings } from '../../../../src/config/settings/read-settings.js';
import { makeScratch, type Scratch } from '../scratch.js';

const question = (scratch: Scratch, more: Partial<DefinitionsQuery> = {}): DefinitionsQuery => ({
  host: scratch.host,
  cwd: scratch.project,
  repoRoot: scratch.project,
  userDir: join(scratch.home, '.claude'),
  trusted: true,
  ...more,
});
const load = (scratch: Scratch, more: Partial<DefinitionsQuery> = {}) => loadDefinitions(question(scratch, more));
const agent = (name: string, description = 'd', more = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\nprompt\n`;
const settingsAgents = async ({ host, project }: Scratch) =>
  (await readSettings({ host, cwd: project, projectRoot: project, env: host.env, trusted: true })).agents;

function pluginAt({ folder }: Scratch) {
  const root = join(folder, 'plugin');
  return { name: 'p', folder: root, agents: [join(root, 'agents')], variables: {}, options: {} };
}

describe('AG-4: where definitions come from', () => {
  it('AG-4: managed, --agents, nearest project folder, root, user, plugin: the highest wins, the rest is shadowed', async () => {
    const scratch = makeScratch();
    const one = (description: string) => ({ a: { description, prompt: 'p' } });
    scratch.write('managed.json', { agents: one('managed') });
    scratch.write('project/.claude/settings.json', { agents: one('project settings') });
    scratch.write('project/.claude/agents/a.md', agent('a', 'root'));
    scratch.write('project/sub/.claude/agents/x/y/a.md', agent('a', 'nearest'));
    scratch.write('home/.claude/agents/a.md', agent('a', 'user'));
    scratch.write('home/.claude/settings.json', { agents: one('user settings') });
    scratch.write('plugin/agents/a.md', agent('a', 'plugin'));
    const cwd = join(scratch.project, 'sub', 'deep');
    mkdirSync(cwd);
    const options = {
      cwd,
      settingsAgents: await settingsAgents(scratch),
      flagAgents: JSON.stringify(one('flag')),
      plugins: [pluginAt(scratch)],
    };
    const { definitions, shadowed } = await load(scratch, options);
    expect(definitions.get('a')?.description).toBe('managed');
    expect(shadowed.map((one) => one.definition.description)).toEqual([
      'flag',
      'nearest',
      'root',
      'project settings',
      'user',
      'user settings',
    ]);
    expect(shadowed[0]?.by).toMatchObject({ scope: 'managed', file: join(scratch.folder, 'managed.json') });
    expect(definitions.get('p:a')).toMatchObject({ description: 'plugin', source: { scope: 'plugin', plugin: 'p' } });
    expect(definitions.size).toBe(2);
  });

  it('AG-4: outside a repository only the working folder applies; above the root nothing', async () => {
    const scratch = makeScratch();
    scratch.write('.claude/agents/outside.md', agent('outside'));
    scratch.write('project/.claude/agents/a.md', agent('a'));
    scratch.write('project/sub/.claude/agents/b.md', agent('b'));
    const names = async (more: Partial<DefinitionsQuery>) => [...(await load(scratch, more)).definitions.keys()];
    const cwd = join(scratch.project, 'sub');
    expect(await names({ cwd })).toEqual(['b', 'a']);
    expect(await names({ cwd, repoRoot: undefined })).toEqual(['b']);
  });

  it('AG-4: the same name twice in one folder: the first file applies and the other is reported', async () => {
    const scratch = makeScratch();
    const first = scratch.write('project/.claude/agents/a.md', agent('x'));
    const second = scratch.write('project/.claude/agents/b/c.md', agent('x'));
    const { definitions, problems, shadowed } = await load(scratch);
    expect(definitions.get('x')?.source.file).toBe(first);
    expect(shadowed).toHaveLength(1);
    expect(problems).toMatchObject([{ file: second, message: expect.stringContaining(`already used by ${first}`) }]);
  });

  it('AG-4: in the home folder the project’s agents are the user’s, read once', async () => {
    const scratch = makeScratch();
    scratch.write('home/.claude/agents/a.md', agent('a', 'd', 'hooks: {}\npermissionMode: plan\n'));
    const { definitions, shadowed } = await load(scratch, { cwd: scratch.home, repoRoot: undefined, trusted: false });
    expect(definitions.get('a')).toMatchObject({ permissionMode: 'plan', source: { scope: 'user' } });
    expect(shadowed).toEqual([]);
  });

  it('AG-4: a file that comes after the definitions were loaded is seen the first time it is asked', async () => {
    const scratch = makeScratch();
    const asked = question(scratch);
    scratch.write('project/.claude/agents/a.md', agent('a'));
    const changed = definitionsWatch(asked, await loadDefinitions(asked));
    scratch.write('project/.claude/agents/b.md', agent('b'));
    expect([await changed(), await changed()]).toEqual([true, false]);
  });

  it('AG-4: a change is seen when a file comes, goes or is written, once each, and only then', async () => {
    const scratch = makeScratch();
    const asked = question(scratch);
    const changed = definitionsWatch(asked, await loadDefinitions(asked));
    expect(await changed()).toBe(false);
    const file = scratch.write('project/.claude/agents/a.md', agent('a'));
    expect([await changed(), await changed()]).toEqual([true, false]);
    utimesSync(file, 1, 1);
    expect([await changed(), await changed()]).toEqual([true, false]);
    const other = scratch.write('home/.claude/agents/deep/b.md', agent('b'));
    expect([await changed(), await changed()]).toEqual([true, false]);
    rmSync(other);
    expect([await changed(), await changed()]).toEqual([true, false]);
  });
});

describe('AG-5: one bad file never hides the others', () => {
  it('AG-5: binaries, huge files, broken links, circles, pipes of text and folders named like files', async () => {
    const scratch = makeScratch();
    const folder = join(scratch.project, '.claude', 'agents');
    const put = (name: string, content: string | Uint8Array) =>
      scratch.write(`project/.claude/agents/${name}`, content);
    put('good.md', agent('good'));
    put('binary.md', new Uint8Array([45, 45, 45, 0, 1, 2]));
    put('huge.md', agent('huge') + 'x'.repeat(1024 * 1024));
    put('empty.md', '');
    put('utf16.md', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(agent('wide'), 'utf16le')]));
    put('latin.md', Buffer.from(agent('latin', 'caf\u00e9'), 'latin1'));
    put('README.md', '# Read me');
    put('notes.txt', agent('not-markdown'));
    put('folder.md/inner.md', agent('inner'));
    put('node_modules/x/y.md', agent('dependency'));
    symlinkSync('nowhere.md', join(folder, 'dangling.md'));
    symlinkSync('.', join(folder, 'circle'));
    symlinkSync('loop-b.md', join(folder, 'loop-a.md'));
    symlinkSync('loop-a.md', join(folder, 'loop-b.md'));
    symlinkSync('good.md', join(folder, 'same.md'));
    symlinkSync('/dev/zero', join(folder, 'endless.md'));
    const { definitions, problems, shadowed } = await load(scratch);
    expect([...definitions.keys()].sort()).toEqual(['good', 'inner', 'latin', 'wide']);
    expect(definitions.get('latin')?.description).toBe('café');
    expect(shadowed).toEqual([]);
    expect(problems).toHaveLength(10);
    const told = Object.fromEntries(problems.map(({ file, message }) => [file.slice(folder.length + 1), message]));
    expect(told).toEqual({
      'README.md': expect.stringContaining('a document'),
      'binary.md': expect.stringContaining('NUL'),
      'dangling.md': expect.stringContaining('broken link'),
      'empty.md': expect.stringContaining('no front matter'),
      'endless.md': expect.stringContaining('not a regular file'),
      'huge.md': expect.stringContaining('too large'),
      'latin.md': expect.stringContaining('save the file as UTF-8'),
      'loop-a.md': expect.stringContaining('too many levels of links'),
      'loop-b.md': expect.stringContaining('too many levels of links'),
      'utf16.md': expect.stringContaining('save the file as UTF-8'),
    });
  });

  it('AG-5: a file that cannot be read is reported, the others load', async () => {
    const scratch = makeScratch();
    const bad = scratch.write('project/.claude/agents/a.md', agent('a'));
    scratch.write('project/.claude/agents/b.md', agent('b'));
    chmodSync(bad, 0);
    // Root reads everything, so the refusal is played.
    const holdFolder = async (path: string) => {
      const folder = await scratch.host.files.holdFolder(path);
      const openRead = (name: string) =>
        name === 'a.md' ? Promise.reject(new Error('EACCES')) : folder.openRead(name);
      return { ...folder, openRead };
    };
    const host = { ...scratch.host, files: { ...scratch.host.files, holdFolder } };
    const { definitions, problems } = await load(scratch, { host });
    expect([...definitions.keys()]).toEqual(['b']);
    expect(problems).toMatchObject([{ severity: 'error', file: bad }]);
  });
});

describe('GT-2: definitions of a project that is not trusted', () => {
  const acting = 'permissionMode: bypassPermissions\nmcpServers: [{x: {command: evil}}]\nhooks: {Stop: []}\n';

  it('GT-2: are listed without what acts, and replace none of the user’s', async () => {
    const scratch = makeScratch();
    scratch.write('home/.claude/agents/a.md', agent('a', 'mine'));
    scratch.write('project/.claude/agents/a.md', agent('a', 'theirs'));
    scratch.write('project/.claude/agents/b.md', agent('b', 'theirs', acting));
    scratch.write('project/.claude/settings.json', {
      agents: { c: { description: 'x', prompt: 'p', hooks: { Stop: [] } } },
    });
    scratch.write('secret.md', agent('secret'));
    symlinkSync('../../../secret.md', join(scratch.project, '.claude', 'agents', 'out.md'));
    const options = { settingsAgents: await settingsAgents(scratch) };
    const { definitions, shadowed, problems } = await load(scratch, { ...options, trusted: false });
    expect(definitions.get('a')?.description).toBe('mine');
    expect(shadowed[0]?.definition.description).toBe('theirs');
    for (const name of ['b', 'c']) {
      expect(definitions.get(name)?.source.trusted).toBe(false);
      for (const key of ['hooks', 'mcpServers', 'permissionMode'])
        expect(definitions.get(name)).not.toHaveProperty(key);
    }
    expect(definitions.has('secret')).toBe(false);
    expect(problems.map((problem) => problem.message).join()).toContain('hooks, mcpServers, permissionMode');
    const trusted = await load(scratch, options);
    expect(trusted.definitions.get('a')?.description).toBe('theirs');
    expect(trusted.definitions.get('b')).toHaveProperty('hooks');
    expect(trusted.definitions.has('secret')).toBe(true);
  });

  it('GT-2: an untrusted project’s agent in settings doesn’t take the place of the user’s own', async () => {
    const scratch = makeScratch();
    scratch.write('home/.claude/settings.json', { agents: { a: { description: 'mine', prompt: 'p' } } });
    scratch.write('project/.claude/settings.json', { agents: { a: { description: 'theirs', prompt: 'p' } } });
    const options = { settingsAgents: await settingsAgents(scratch) };
    expect((await load(scratch, { ...options, trusted: false })).definitions.get('a')?.description).toBe('mine');
    expect((await load(scratch, options)).definitions.get('a')?.description).toBe('theirs');
  });

  it('EX-6: a plugin’s definitions never act automatically', async () => {
    const scratch = makeScratch();
    scratch.write('plugin/agents/b.md', agent('b', 'x', acting));
    const { definitions } = await load(scratch, { plugins: [pluginAt(scratch)] });
    for (const key of ['hooks', 'mcpServers', 'permissionMode']) expect(definitions.get('p:b')).not.toHaveProperty(key);
  });
});

describe('AG-6: definitions as JSON', () => {
  it('AG-6: the same fields, with prompt for the body', async () => {
    const scratch = makeScratch();
    const flagAgents = {
      reviewer: {
        description: 'Reviews',
        prompt: 'You review.',
        tools: ['Read', 'Task(x)'],
        model: 'Opus',
        maxTurns: 3,
      },
      'My Agent': { description: 'x', prompt: 'y', tools: 'Read, Bash', background: true },
    };
    for (const given of [flagAgents, JSON.stringify(flagAgents)]) {
      const { definitions, problems } = await load(scratch, { flagAgents: given });
      expect(definitions.get('reviewer')).toMatchObject({
        description: 'Reviews',
        prompt: 'You review.',
        tools: ['Read', 'Agent'],
        spawns: ['x'],
        model: 'opus',
        maxTurns: 3,
        source: { scope: 'flag', file: '--agents' },
      });
      expect(definitions.get('my-agent')).toMatchObject({
        tools: ['Read', 'Bash'],
        background: true,
        writtenName: 'My Agent',
      });
      expect(problems.map((problem) => problem.message)).toEqual([
        expect.stringContaining('the agent "My Agent": the name'),
      ]);
    }
  });

  it.each([
    ['{"a": }', 'not valid JSON'],
    ['5', 'expected an object'],
    ['{"a": "text"}', 'the agent "a": expected an object'],
    ['{"a": {}}', 'no description and no prompt'],
    ['{"a": {"description": "d", "prompt": 5}}', 'prompt: expected a string; an empty prompt is used'],
    ['{"a": {"description": "d", "prompt": "p", "maxTurns": "many"}}', 'maxTurns: expected a whole number'],
    ['[{"description": "d", "prompt": "p"}]', 'has no name'],
  ])('AG-6: %s is reported', async (flagAgents, message) => {
    const { problems } = await load(makeScratch(), { flagAgents });
    expect(problems.map((problem) => problem.message).join('\n')).toContain(message);
  });

  it('AG-6: one bad entry doesn’t hide the others', async () => {
    const { definitions } = await load(makeScratch(), { flagAgents: { a: 5, b: { description: 'd', prompt: 'p' } } });
    expect([...definitions.keys()]).toEqual(['b']);
  });
});
