/** Commands that show or change what the session is, in the real program, line by line (TU-29: every action has a command). */

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setPlainStage } from '../../../program/cli/plain/plain-stage.js';
import { runProgram } from '../../../support/program.js';

describe('the session and its settings', () => {
  it('TU-29: /agents has the definitions with their files, /tasks running ones; /theme and /vim report what has them', async () => {
    const stage = await setPlainStage([]);
    await stage.write(
      '.claude/agents/reviewer.md',
      '---\nname: reviewer\ndescription: Reads a change.\n---\nReview.\n',
    );
    await runProgram(['trust'], stage.at);
    const plain = stage.pipe();
    for (const line of ['/agents', '/tasks', '/theme dark', '/vim', '/doctor']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toMatch(
      / {2}reviewer {2}\(project: \S+\/reviewer\.md\), model inherit\n {4}Reads a change\.\n/,
    );
    expect(plain.stdout()).toContain('No agents and no background commands.');
    expect(plain.stdout()).toContain('Themes need the terminal view');
    expect(plain.stdout()).toContain('Vim keys need the terminal view');
    expect(plain.stdout()).toMatch(/^note terminal {3}output is not a terminal$/m);
    expect(stage.sim.requests).toHaveLength(0);
  });

  it('GT-1: /config has each value with its file, and those of a name', async () => {
    const stage = await setPlainStage([]);
    const file = await stage.settings({ model: 'sonnet', env: { A_KEY: 'hidden' } });
    const plain = stage.pipe();
    for (const line of ['/config', '/config MOD', '/config nowhere']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('In use: model claude-sonnet-5-5\n');
    expect(plain.stdout().split(`  model = "sonnet"  (user: ${file})\n`)).toHaveLength(3);
    expect(plain.stdout()).not.toContain('hidden');
    expect(plain.stdout()).toContain('No setting with nowhere in its name is set.');
  });

  it('TU-29: /permissions lists rules with their file, adds one to the local settings and takes it out again', async () => {
    const stage = await setPlainStage([]);
    await stage.write(
      '.claude/settings.local.json',
      '{ "permissions": { "allow": ["Bash(ls:*)"] }, "outputStyle": "x" }',
    );
    await runProgram(['trust'], stage.at);
    const local = join(stage.folder, '.claude/settings.local.json');
    const allowed = async () => JSON.parse(await readFile(local, 'utf8')).permissions.allow as string[];
    const screen = stage.screen();
    await screen.until(/> $/m);
    screen.type('/permissions allow Bash(npm test:*)\r');
    await screen.until('Added to the local settings: allow Bash(npm test:*)');
    expect(await allowed()).toEqual(['Bash(ls:*)', 'Bash(npm test:*)']);
    screen.type('/permissions\r');
    await screen.until(/ {2}allow {2}Bash\(npm test:\*\) {2}\(local:/);
    screen.type('/permissions remove Bash(ls:*)\r');
    await screen.until('Removed from the local settings: allow Bash(ls:*)');
    expect(await allowed()).toEqual(['Bash(npm test:*)']);
    screen.type('/permissions remove Bash(rm:*)\r');
    await screen.until('No rule Bash(rm:*) in the local settings');
    screen.type('/permissions allow\r');
    await screen.until('Use /permissions, /permissions allow RULE');
    expect(JSON.parse(await readFile(local, 'utf8')).outputStyle).toBe('x');
  });

  it('TU-29: a rule is not added where another has a secret that can not be written again', async () => {
    const stage = await setPlainStage([]);
    const rule = 'Bash(curl https://me:secret@example.org/x)';
    await stage.write('.claude/settings.local.json', JSON.stringify({ permissions: { allow: [rule] } }));
    await runProgram(['trust'], stage.at);
    const plain = stage.pipe();
    plain.say('/permissions allow Bash(ls:*)');
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('Not added: another rule there contains a secret');
    const kept = JSON.parse(await readFile(join(stage.folder, '.claude/settings.local.json'), 'utf8'));
    expect(kept.permissions.allow).toEqual([rule]);
  });

  it('TU-21: a name that nobody has sends nothing and names the nearest', async () => {
    const stage = await setPlainStage([{ reply: 'Never.' }]);
    const plain = stage.pipe();
    for (const line of ['/forke it', '/compost', '/tasks frobnicate']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toMatch(/Unknown command \/forke\. Did you mean \/fork/);
    expect(plain.stdout()).toMatch(/Unknown command \/compost\. Did you mean .*\/compa(?:re|ct).*\?/);
    expect(plain.stdout()).toContain('Use /tasks, /tasks all');
    expect(stage.sim.requests).toHaveLength(0);
  });

  it('EX-15: /plan with text goes into plan mode and sends it; /init sends a built-in prompt', async () => {
    const stage = await setPlainStage([{ reply: 'Understood.' }]);
    const plain = stage.pipe();
    for (const line of ['/plan', '/mode default', '/plan the move to pnpm', '/mode default', '/init in German'])
      plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('mode: plan. Describe what to plan; /mode default leaves it.');
    expect(stage.sim.requests).toHaveLength(2);
    const [planned, init] = stage.sim.requests.map(({ body }) => JSON.stringify(body.messages));
    expect(planned).toContain('the move to pnpm');
    expect(planned).toContain('lan mode');
    expect(init).toContain('AGENTS.md');
    expect(init).toContain('The person adds: in German');
  });
});

describe('what it cost', () => {
  it('FK-13, TU-29: /cost by model and agent, /cache with a row for each request', async () => {
    const stage = await setPlainStage([
      { when: { user: '<task-notification>' }, reply: 'The fork has told me.' },
      { when: { user: 'the other way' }, reply: 'Scope: done' },
      { reply: 'Hello.' },
    ]);
    const screen = stage.screen(['--plain', 'hello']);
    await screen.until(/Hello\.\n> $/m);
    screen.type('/fork try it the other way\r');
    await screen.until(/The fork has told me\.\n> $/m);
    screen.type('/cost\r');
    await screen.until(
      /tokens in \((\d+%) from cache\), \d+ out\nby model:\n {2}claude-opus-5-5 {2}\$0\.\d+ {2}[\d,]+ tokens in \(\1 from cache\), \d+ out/,
    );
    await screen.until(/by agent:\n(?: {2}main .*\n {2}fork \w{8} | {2}fork \w{8} .*\n {2}main )/);
    screen.type('/cache\r');
    await screen.until(/forks: 1, \$0\.\d+; without their parent's cache/);
    expect(screen.text()).toMatch(/fork \w{8} +1 .* fork of main/);
  });
});

describe('out of the session', () => {
  it('SF-16: /export writes Markdown, and over a file only when told to; /copy gives a reply to the clipboard', async () => {
    const stage = await setPlainStage([
      { when: { result: { tool: 'Read' } }, reply: 'It is a **project**.' },
      { when: { user: 'look' }, reply: [{ tool: 'Read', input: { file_path: 'README.md' } }] },
      { reply: 'Hello.' },
    ]);
    await stage.write('README.md', 'A project.\n');
    const tools = join(stage.home, 'tools');
    await mkdir(tools);
    await writeFile(join(tools, 'xclip'), `#!/bin/sh\ncat > ${join(stage.home, 'clipboard')}\n`);
    await chmod(join(tools, 'xclip'), 0o755);
    const env = { DISPLAY: ':9', PATH: `${tools}:${stage.env.PATH}` };
    const plain = stage.pipe(['--plain'], env);
    for (const line of ['/copy', '/export', 'hello @README.md', 'look', '/copy', '/copy 2', '/copy 9', '/copy x'])
      plain.say(line);
    for (const line of ['/export out.md', '/export out.md', 'n', '/export no/where.md']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('No reply yet.');
    expect(plain.stdout()).toContain('Nothing to export yet.');
    expect(plain.stdout()).toContain('There are only 2 replies.');
    expect(plain.stdout()).toContain('Use /copy, or /copy N');
    expect(await readFile(join(stage.home, 'clipboard'), 'utf8')).toBe('Hello.');
    expect(plain.stdout()).toContain('already exists. Overwrite it? (y/n)');
    expect(plain.stdout()).toMatch(/Can't write \S+where\.md: /);
    const text = await readFile(join(stage.folder, 'out.md'), 'utf8');
    expect(text).toMatch(
      /^# Session \S+\n\n## You\n\nhello @README\.md\n\n\*\(attached: 1\)\*\n\n## Coppice\n\nHello\.\n\n## You\n\nlook\n\n## Coppice\n\n- `Read: README\.md`\n\nIt is a \*\*project\*\*\.\n$/,
    );
  });

  it('SF-16: /copy without a clipboard reports what to do instead', async () => {
    const stage = await setPlainStage([{ reply: 'Hello.' }]);
    const plain = stage.pipe(['--plain'], { DISPLAY: '', WAYLAND_DISPLAY: '' });
    for (const line of ['hello', '/copy']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('No clipboard found. /export FILE writes the conversation to a file instead.');
  });

  it('TU-25: /resume lists the other sessions, finds one by its text, and continues in it as it was', async () => {
    const stage = await setPlainStage([{ reply: 'Hello.' }]);
    const first = stage.pipe(['--plain', '--model', 'haiku']);
    for (const line of ['about the login', '/rename logins']) first.say(line);
    expect(await first.end()).toBe(0);
    const plain = stage.pipe();
    for (const line of ['about mails', '/resume nowhere', '/resume LOGIN', '1', '/status', 'more', '/resume', ''])
      plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('No other sessions in this folder match "nowhere".');
    expect(plain.stdout()).toMatch(/ {3}1 {2}\S+ \S+ {2}\[logins\] about the login\nResume which session\?/);
    expect(plain.stdout()).toContain('  > about the login\n  Hello.\n');
    expect(plain.stdout()).toContain('model claude-haiku-5-5');
    expect(plain.stdout()).toMatch(/ {3}1 {2}\S+ \S+ {2}about mails\nResume which session\?/);
    expect(plain.stdout()).toContain('Staying in this session.');
    expect(stage.sim.requests.at(-1)?.body.model).toMatch(/^claude-haiku/);
    expect(JSON.stringify(stage.sim.requests.at(-1)?.body.messages)).toContain('about the login');
  });
});
