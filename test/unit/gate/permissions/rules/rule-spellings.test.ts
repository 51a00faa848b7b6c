/** Every way to write a rule: a deny or ask rule matches as meant, or wider, or stops the start; an allow rule never matches more. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { couldMatchRule } from '../../../../../src/gate/permissions/could-match-rule.js';
import { parseRule } from '../../../../../src/gate/permissions/rules/rule.js';
import type { Action } from '../../../../../src/protocol/action.js';
import { makePlayground, type Playground } from '../playground.js';

let place: Playground;
beforeAll(async () => {
  place = await makePlayground();
});
afterAll(() => place.remove());

const origin = { source: 'settings', base: '/shop' };

/** Paths: `~` is the home, `^` the folder around the project, anything else but `/…` is in the project. */
type Subject = readonly [tool: string, action: Action];
const at = (path: string) =>
  path.startsWith('/')
    ? path
    : path.startsWith('~')
      ? place.home + path.slice(1)
      : path.startsWith('^')
        ? place.root.slice(0, place.root.lastIndexOf('/')) + path.slice(1)
        : `${place.root}/${path}`;
const read =
  (path: string, tool = 'Read') =>
  (): Subject => [tool, { kind: 'read', path: at(path) }];
const edit =
  (path: string, tool = 'Edit') =>
  (): Subject => [tool, { kind: 'edit', path: at(path) }];
const run = (command: string) => (): Subject => ['Bash', { kind: 'shell', command, cwd: place.root }];
const get = (url: string) => (): Subject => ['WebFetch', { kind: 'fetch', url }];
const mcp =
  (server: string, tool: string, also: readonly string[] = []) =>
  (): Subject => [`mcp__${server}__${tool}`, { kind: 'mcp', server, tool, also }];
const agent = (type: string) => (): Subject => ['Agent', { kind: 'spawn', type }];
const skill = (name: string) => (): Subject => ['Skill', { kind: 'skill', name }];
const custom = (tool: string) => (): Subject => [tool, { kind: 'custom', readOnly: false }];

type Row = readonly [rule: string, ...matching: (() => Subject)[]];

/** What each deny (or ask) rule must match. */
const MATCHED: readonly Row[] = [
  // Hosts
  ['WebFetch(domain:evil.test)', get('https://evil.test/'), get('https://a.evil.test/')],
  ['WebFetch(domain:.evil.test)', get('https://evil.test/'), get('https://a.evil.test/')],
  ['WebFetch(domain:*evil.test)', get('https://notevil.test/'), get('https://evil.test/')],
  ['WebFetch(domain:evil.*)', get('https://evil.org/'), get('https://evil.co.uk/'), get('https://a.evil.org/')],
  ['WebFetch(domain:*.*.evil.test)', get('https://evil.test/'), get('https://a.b.evil.test/')],
  ['WebFetch(domain:e*l.te*t)', get('https://evil.test/')],
  ['WebFetch(evil.test)', get('https://evil.test/')],
  ['WebFetch(domain:https://evil.test)', get('http://evil.test/')],
  ['WebFetch(https://evil.test:8443/a?b#c)', get('https://evil.test/z')],
  ['WebFetch(domain:evil.test:443)', get('https://evil.test/')],
  ['WebFetch(domain:evil.test/private/*)', get('https://evil.test/')],
  ['WebFetch(url:*://*.evil.test/*)', get('https://evil.test/')],
  ['WebFetch(domain:u@EVIL.test.)', get('https://evil.test/')],
  ['WebFetch("domain:evil.test")', get('https://evil.test/')],
  ['webfetch(Domain:evil.test)', get('https://evil.test/')],
  ['WebFetch(domain:bücher.test)', get('https://xn--bcher-kva.test/')],
  ['WebFetch(domain:[::1])', get('http://[0:0::1]:80/')],
  ['WebFetch(domain:10.*)', get('http://10.1.2.3/')],
  ['WebFetch(domain:evil.test)', get('https://ev\til.test/'), get('https:\\\\evil.test/'), get('https://evil.test../')],
  // Servers
  ['mcp__EVIL', mcp('evil', 'hello')],
  ['MCP__evil__Hello', mcp('evil', 'hello')],
  ['mcp__*__hello', mcp('evil', 'hello'), mcp('other', 'hello')],
  ['mcp__e*l__h*o', mcp('evil', 'hello')],
  ['mcp__evil(hello)', mcp('evil', 'hello'), mcp('evil', 'other')],
  ['mcp__evil__hello(x)', mcp('evil', 'hello')],
  ['mcp__evil__', mcp('evil', 'hello')],
  ['mcp__', mcp('evil', 'hello')],
  ['mcp__*', mcp('evil', 'hello')],
  ['mcp__my server__hello', mcp('my_server', 'hello')],
  ['mcp__my.server', mcp('my_server', 'hello')],
  // Files: many stars
  ['Read(*-*-*-*.pem)', read('a-b-c-d.pem'), read('keys/a-b-c-d.pem')],
  ['Read(a*b*c*d*e*f*)', read('xx/a1b2c3d4e5f6')],
  ['Read(a/**/b/**/c/**/d/**/e)', read('a/1/b/2/c/3/d/4/e'), read('a/b/c/d/e')],
  // Files: other spellings
  ['read(.env)', read('.env'), read('.env', 'Grep')],
  ['READ( .env )', read('.env')],
  ['Read (.env)', read('.env')],
  ['Read(.env),', read('.env')],
  ['Read(".env")', read('.env')],
  ['Read(.env\u200b)', read('.env')],
  ['Read(./.env)', read('.env')],
  ['Read(.env/)', read('.env')],
  ['Read(.//a/./b)', read('a/b')],
  ['Read(../key)', read('^/key')],
  ['Read(a/../key)', read('key')],
  ['Read(**/../key)', read('a/key')],
  ['Read(~/../home/key)', read('~/key')],
  ['Read(//etc/../etc/passwd)', read('/etc/passwd')],
  ['Read(//etc/passwd)', read('/etc/passwd'), run('cat /etc/passwd')],
  ['Read($HOME/.ssh/**)', read('~/.ssh/id_rsa'), run('cat ~/.ssh/id_rsa')],
  ['Read($' + '{HOME}/.ssh)', read('~/.ssh/id_rsa')],
  ['Read(~/)', read('~/x')],
  ['Read(.)', read('x')],
  ['Read(./)', read('x')],
  ['Read(//)', read('/etc/passwd')],
  ['Read(a[b)', read('a[b')],
  ['Read(a[z-a]b)', read('axb')],
  ['Read(a[[:alpha:]]b)', read('axb')],
  ['Read([!A]b)', read('ab'), read('xb')],
  ['Read(#x)', read('#x')],
  ['Read(\\!x)', read('!x')],
  ['Read(a\\b)', read('ab'), read('a/b')],
  ['Read(a\\ )', read('a')],
  ['Read(a\\)', read('a)')],
  ['Read(\\.env)', read('.env')],
  ['Read(caf\u00e9.key)', read('cafe\u0301.key'), read('CAF\u00c9.key')],
  ['Read(cafe\u0301.key)', read('caf\u00e9.key')],
  ['Read(secret)', read('\u017fecret')],
  ['Read(secrets/**', read('secrets/a')],
  ['NotebookRead(a.ipynb)', read('a.ipynb'), run('cat a.ipynb')],
  ['LS(private)', read('private/a'), run('ls private')],
  ['Grep(private/**)', read('private/a'), run('cat private/a')],
  ['Write(locked/**)', edit('locked/a', 'Write'), edit('locked/a'), run('tee locked/a')],
  ['MultiEdit(locked/**)', edit('locked/a'), edit('locked/a', 'Write')],
  ['NotebookEdit(a.ipynb)', edit('a.ipynb', 'NotebookEdit'), edit('a.ipynb')],
  ['edit(locked)', edit('locked/a'), run('echo x > locked/a')],
  // Commands
  ['bash(rm:*)', run('rm x')],
  ['Bash(rm *)', run('rm x'), run('rm')],
  ['Bash(rm*)', run('rm x'), run('rmdir x')],
  ['Bash(rm:*) ', run('rm x')],
  ['Bash(rm:*),', run('rm x')],
  ['Bash(rm:)', run('rm x')],
  ['Bash("rm:*")', run('rm x')],
  ["Bash('rm -rf *')", run('rm -rf x')],
  ['Bash(git * push:*)', run('git -C x push origin')],
  ['Bash(git push:* --force)', run('git push origin --force')],
  ['Bash(curl http:*)', run('curl http://evil.test')],
  ['Bash(FOO=1 rm:*)', run('rm x'), run('FOO=1 rm x')],
  ['Bash(rm "*x")', run('rm "a  x"')],
  ['Bash(rm  *x)', run('rm ax')],
  ['Bash(*CURL*)', run('mycurl x')],
  ['Bash(a*b*c*d*e*f*g*h*i)', run('a1b2c3d4e5f6g7h8i')],
  // Agents, skills, other tools
  ['Task(Explore)', agent('Explore')],
  ['agent(explore)', agent('Explore')],
  ['Agent(code_reviewer)', agent('code-reviewer')],
  ['Agent(*view*)', agent('reviewer')],
  ['Agent(reviewer)', agent('kit:reviewer')],
  ['Skill(de*oy)', skill('deploy')],
  ['Skill(a**)', skill('ab')],
  ['skill(/deploy)', skill('kit:deploy')],
  ['TodoWrite(x)', () => ['TodoWrite', { kind: 'session' }]],
  ['WebSearch(x)', () => ['WebSearch', { kind: 'web-search', query: 'y' }]],
  ['Weather(Rome)', custom('Weather')],
  ['weather', custom('Weather')],
];

/** What stops the start, and a part of the reason. If a tool is named, the rule covers all of it meanwhile. */
const REFUSED: readonly (readonly [rule: string, reason: RegExp, covers?: string])[] = [
  ['', /is not a rule/],
  ['Ba sh(rm:*)', /is not a rule/],
  ['(rm:*)', /is not a rule/],
  ['*', /name each tool/],
  ['B*sh(rm:*)', /name each tool/],
  ['Bash(rm:*) Bash(curl:*)', /several rules/, 'Bash'],
  ['Read(.env), Read(.key)', /several rules/, 'Read'],
  ['Bash(rm:*) # no', /follows its last \)/, 'Bash'],
  ['Bash(FOO=1)', /only variables/, 'Bash'],
  ['Read(!src)', /makes no exceptions/, 'Read'],
  ['Write(!src)', /makes no exceptions/, 'Edit'],
  ['Read(a\0b)', /NUL/, 'Read'],
  ['Read(~alice/key)', /\/\/home\/alice/, 'Read'],
  ['Read($SECRETS/key)', /variables are not replaced/, 'Read'],
  ['Read(C:\\Users\\x)', /\/\/folder/, 'Read'],
  ['Read(file:///etc/passwd)', /\/\/folder/, 'Read'],
  ['WebFetch(domain:)', /domain:example.com/, 'WebFetch'],
  ['WebFetch(domain:a.test,b.test)', /one rule for each host/, 'WebFetch'],
  ['WebFetch(domain:(a|b).test)', /names no host/, 'WebFetch'],
  ['WebFetch(domain:10.0.0.0/8)', /names no host/, 'WebFetch'],
  ['WebFetch(domain:a b)', /names no host/, 'WebFetch'],
  ['Skill(/)', /names no skill/, 'Skill'],
];

describe('GT-33: a deny or ask rule is never lost', () => {
  for (const behavior of ['deny', 'ask'] as const)
    it.each(MATCHED.map(([rule, ...matching]) => [rule, matching] as const))(
      `GT-33: ${behavior} %s`,
      (rule, matching) => {
        for (const subject of matching) {
          const [tool, action] = subject();
          const { behavior: decided, by } = place.act(tool, action, { [behavior]: [rule], mode: 'bypassPermissions' });
          expect([decided, by], JSON.stringify(action)).toEqual([behavior, expect.stringContaining(rule.trim())]);
        }
      },
    );

  it.each([
    ['WebFetch(domain:*evil.test)', get('https://evil.test.org/')],
    ['WebFetch(domain:evil.test)', get('https://notevil.test/')],
    ['WebFetch(domain:evil.*)', get('https://notevil.org/')],
    ['mcp__*__hello', mcp('evil', 'hello2')],
    ['mcp__evi', mcp('evil', 'hello')],
    ['Read(*-*-*-*.pem)', read('a-b-c.pem')],
    ['Read(a*b*c*d*e*f*)', read('abcdf')],
    ['Read(a/**/b/**/c/**/d/**/e)', read('a/b/d/c/e')],
    ['Read(../key)', read('key')],
    ['Bash(curl http:*)', run('curl ftp://x')],
    ['Agent(*view*)', agent('Explore')],
    ['Skill(de*oy)', skill('demo')],
    ['Write', edit('a')],
  ] satisfies readonly Row[])('GT-33: deny %s still has an end', (rule, subject) => {
    const [tool, action] = subject();
    expect(place.act(tool, action, { deny: [rule], mode: 'bypassPermissions' }).behavior).toBe('allow');
  });

  it.each(REFUSED.map(([text, reason, covers]) => [text, reason, covers] as const))(
    'GT-33: %s stops the start, with the reason',
    (text, reason, covers) => {
      for (const behavior of ['deny', 'ask'] as const) {
        const { rule, error, warning } = parseRule(text, behavior, origin);
        expect(error).toMatch(reason);
        expect(error).toContain(`Rule "${text}" can't be applied: `);
        expect(warning).toBeUndefined();
        expect(rule).toEqual(covers && expect.objectContaining({ tool: covers, matches: { kind: 'every' } }));
      }
    },
  );

  it.each([
    ['Reed(.env)', 'did you mean Read(.env)?'],
    ['Bahs', 'did you mean Bash?'],
    ['Webfech(domain:x)', 'no known tool has this name'],
    ['TodoWrite(x)', 'covers all of TodoWrite'],
    ['mcp__evil(hello)', 'covers all of mcp__evil'],
    ['Bash(curl:*', 'no ) at its end'],
    ['Read(/etc/passwd)', 'an absolute path begins with //: //etc/passwd'],
  ])('GT-35: %s matches, but is named at the start', (text, note) => {
    const { rule, warning, error } = parseRule(text, 'deny', origin);
    expect([rule?.behavior, error]).toEqual(['deny', undefined]);
    expect(warning).toContain(note);
  });

  it('GT-33: any number of * takes no time', () => {
    const name = 'a'.repeat(250);
    for (const rule of [
      `Read(${'*a'.repeat(100)}b)`,
      `Read(${`${'*a'.repeat(20)}*/`.repeat(20)}b)`,
      `Read(${'**/a/'.repeat(50)}b)`,
    ]) {
      const path = `${place.root}/${`${name}/`.repeat(15)}${name}`;
      expect(place.act('Read', { kind: 'read', path }, { deny: [rule] }).behavior).toBe('allow');
    }
    const wild = `Bash(${'*a'.repeat(200)}b)`;
    expect(place.bash(`echo ${'a'.repeat(5000)}`, { deny: [wild] }).behavior).toBe('allow');
    const server = `mcp__${'*a'.repeat(200)}b`;
    const [tool, action] = mcp('a'.repeat(2000), 'x')();
    expect(place.act(tool, action, { deny: [server], mode: 'bypassPermissions' }).behavior).toBe('allow');
  });

  it('HK-2: the `if` of a hook reads rules as widely', () => {
    const could = (rule: string, tool: string, input: object) =>
      couldMatchRule(rule, tool, input, { cwd: '/shop', home: '/home/me' });
    expect(could('mcp__*__hello', 'mcp__evil__hello', {})).toBe(true);
    expect(could('mcp__*__hello', 'mcp__evil__bye', {})).toBe(false);
    expect(could('bash(rm:*)', 'Bash', { command: 'rm x' })).toBe(true);
    expect(could('Agent(rev*)', 'Agent', { subagent_type: 'reviewer' })).toBe(true);
    expect(could('Agent(rev*)', 'Agent', { subagent_type: 'plan' })).toBe(false);
    expect(could('Skill(de*oy)', 'Skill', { skill: '/deploy' })).toBe(true);
    expect(could('Read(!x)', 'Read', { file_path: 'x' })).toBe(true);
  });
});

describe('GT-35: an allow rule never matches more than is written', () => {
  it.each([
    ['WebFetch(domain:.example.com)', 'WebFetch(domain:*.example.com)'],
    ['WebFetch(example.com)', 'WebFetch(domain:example.com)'],
    ['WebFetch(domain:https://example.com/a)', 'WebFetch(domain:example.com)'],
    ['WebFetch(domain:example.com:8443)', 'WebFetch(domain:example.com)'],
    ['WebFetch(domain:example.*)', 'WebFetch(domain:example.com)'],
    ['WebFetch(domain:*example.com)', 'domain:host'],
    ['mcp__*__hello', 'name the server'],
    ['mcp__evil(hello)', 'mcp__evil__hello'],
    ['Reed(src/**)', 'did you mean Read(src/**)?'],
    ['bash(ls:*)', 'did you mean Bash(ls:*)?'],
    ['TodoWrite(x)', 'write TodoWrite'],
    ['Read(../x)', '//folder/name'],
    ['Read($HOME/x)', '~/…'],
    ['Read(~alice/x)', '//home/alice'],
    ['Read(.)', '**'],
    ['Read(a[b)', '\\['],
    ['Read(a[z-a])', 'nothing matches [z-a]'],
    ['Read(a\\ )', 'nothing follows'],
    ['Bash(npm * test)', ':*'],
    ['Agent(rev*)', 'Agent(type)'],
    ['Bash(ls:*) Bash(cat:*)', 'several rules'],
  ])('GT-35: %s can never match: the warning has the spelling that would', (text, spelling) => {
    const { rule, warning, error } = parseRule(text, 'allow', origin);
    expect([rule, error]).toEqual([undefined, undefined]);
    expect(warning).toContain(`Rule "${text}" can never match: `);
    expect(warning).toContain(spelling);
  });

  it.each([
    ['Read(caf\u00e9)', read('^/elsewhere/x')],
    ['WebFetch(domain:example.com)', get('https://a.example.com/')],
    ['mcp__Git', mcp('git', 'log')],
    ['Write(/a)', edit('a', 'NotebookEdit')],
    ['Bash(FOO=1 make:*)', run('make')],
  ] satisfies readonly Row[])('GT-4: allow %s is no wider than before', (rule, subject) => {
    const [tool, action] = subject();
    expect(place.act(tool, action, { allow: [rule] }).behavior).toBe('ask');
  });

  it('GT-4: an allow rule may have any number of *', () => {
    const path = `${place.outside}/a-b-c-d.pem`;
    expect(place.act('Read', { kind: 'read', path }, { allow: [`Read(/${place.outside}/*-*-*-*.pem)`] }).behavior).toBe(
      'allow',
    );
    expect(
      place.act('Read', { kind: 'read', path }, { allow: [`Read(/${place.outside}/*-*-*-*-*.pem)`] }).behavior,
    ).toBe('ask');
  });
});
