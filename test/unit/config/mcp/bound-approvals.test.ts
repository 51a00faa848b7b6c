/** An approval holds for what runs, also where the entry names it in another way than by its file (MC-2). */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileScan, hashNamedFiles } from '../../../../src/config/approvals/named-files.js';
import { findUnapprovedServers } from '../../../../src/config/mcp/find-unapproved-servers.js';
import { showServers } from '../../../../src/front/view/describe/describe-servers.js';
import { mcp, runs, setServersStage } from './servers-stage.js';

const node = (...args: string[]) => runs('node', { args });

describe('MC-2: bound to what runs', () => {
  it.each([
    ['an ending that node adds', node('./server'), 'server.js'],
    ['an ending that tsx adds', runs('npx', { args: ['tsx', './server'] }), 'server.ts'],
    ['an index', runs('bun', { args: ['run', 'server'] }), 'server/index.mjs'],
    ['the package of a folder', node('.'), 'package.json'],
    ['a flag before it', node('--conditions', 'x', '--enable-source-maps', './server'), 'server.cjs'],
    ['--env-file=', node('--env-file=e.env', '/opt/x.js'), 'e.env'],
    ['--env-file', node('--env-file', 'e.env', '/opt/x.js'), 'e.env'],
    ['--require', node('--require', './pre', '/opt/x.js'), 'pre.js'],
    ['--import=', node('--import=./pre', '/opt/x.js'), 'pre.mjs'],
    ['-r', runs('ts-node', { args: ['-r', './pre', '/opt/x.js'] }), 'pre.ts'],
    ['--experimental-loader', node('--experimental-loader', './pre.data', '/opt/x.js'), 'pre.data'],
    ['NODE_OPTIONS', runs('node', { env: { NODE_OPTIONS: '--no-warnings --require ./pre' } }), 'pre.cjs'],
    ['python -m', runs('python3', { args: ['-u', '-m', 'pkg.serve'] }), 'pkg/serve.py'],
    ['python -m of a package', runs('python3', { args: ['-m', 'pkg'] }), 'pkg/__main__.py'],
    ['the start of a package', runs('python3', { args: ['-m', 'pkg.serve'] }), 'pkg/__init__.py'],
    ['npx of a folder', runs('npx', { args: ['-y', './pkg'] }), 'pkg/package.json'],
    ['npx of what is installed here', runs('npx', { args: ['-y', '@a/tool@1'] }), 'node_modules/.bin/tool'],
    ['where npx loads from', runs('npx', { args: ['-y', 'tool'] }), '.npmrc'],
    ['npm run', runs('npm', { args: ['run', 'serve'] }), 'package.json'],
    ['a shell that runs it', runs('sh', { args: ['-c', 'cd . && FOO=1 npm run serve'] }), 'package.json'],
    ['make', runs('make', { args: ['serve'] }), 'Makefile'],
    ['docker compose', runs('docker', { args: ['compose', 'run', 'x'] }), 'compose.yaml'],
    ['another folder', runs('uv', { args: ['--directory', './sub', 'run', 'server.py'] }), 'sub/server.py'],
    ['a folder that it changes to', runs('sh', { args: ['-c', 'cd sub && node ./server'] }), 'sub/server.js'],
    ['BASH_ENV', runs('bash', { args: ['-c', ':'], env: { BASH_ENV: './start' } }), 'start'],
    ['LD_PRELOAD', runs('x', { env: { LD_PRELOAD: 'lib/x.so' } }), 'lib/x.so'],
  ])('MC-2: by %s', async (_, entry, file) => {
    const stage = setServersStage();
    stage.write('project/.mcp.json', mcp({ s: entry }));
    // Not there yet: it would be new.
    await stage.approveAll();
    expect(await stage.running()).toEqual(['s']);
    stage.write(`project/${file}`, '{"a": 1}');
    expect(await stage.running()).toEqual([]);
    await stage.approveAll();
    expect(await stage.running()).toEqual(['s']);
    stage.write(`project/${file}`, '{"a": 2}');
    expect(await stage.running()).toEqual([]);
  });

  it('MC-2: what a package.json says is run, and what a folder above says', async () => {
    const stage = setServersStage();
    stage.write('project/app/package.json', { main: './lib/start', bin: { x: 'x.bin' } });
    stage.write('project/app/lib/start.js', '1');
    stage.write('project/app/x.bin', '1');
    stage.write('project/package.json', { scripts: {} });
    stage.write('project/.mcp.json', mcp({ s: node('./app'), t: runs('npm', { args: ['start'] }) }));
    const files = async (folder: string) =>
      (await findUnapprovedServers(await stage.question({ folder }), [])).map(({ server }) =>
        Object.keys(server.files),
      );
    expect(await files(stage.project)).toEqual([
      ['app/lib/start.js', 'app/package.json', 'app/x.bin'],
      ['package.json'],
    ]);
    expect(await files(join(stage.project, 'app'))).toEqual([[], ['app/package.json', 'package.json']]);
  });

  it('MC-2: files that it only reads may change', async () => {
    const stage = setServersStage();
    stage.write('project/data.json', '1');
    stage.write('project/package.json', '{}');
    stage.write('project/server.js', '1');
    stage.write('project/.mcp.json', mcp({ s: node('server.js', 'data.json'), t: runs('docker', { args: ['run'] }) }));
    await stage.approveAll();
    stage.write('project/data.json', '2');
    stage.write('project/package.json', '{"a":1}');
    stage.write('project/compose.yaml', 'x');
    expect(await stage.running()).toEqual(['s', 't']);
  });

  it.each([
    ['PATH', './bin:/usr/bin'],
    ['PATH', '/usr/bin:'],
    ['Path', 'bin'],
    ['NODE_PATH', 'bin'],
    ['PYTHONPATH', '/usr/lib:./bin'],
    ['LD_LIBRARY_PATH', 'PROJECT/bin'],
    ['DYLD_FRAMEWORK_PATH', 'bin'],
    ['RUBYOPT', '-W0 -Ibin'],
    ['PERL5LIB', 'linked'],
    ['HOME', 'OUTSIDE/into'],
  ])('MC-2: %s=%s: a folder of the project, where anything can come, is not approved', async (variable, value) => {
    const stage = setServersStage();
    stage.write('project/bin/tool', 'x');
    symlinkSync('bin', join(stage.project, 'linked'));
    symlinkSync(join(stage.project, 'bin'), join(stage.folder, 'into'));
    const path = value.replace('PROJECT', stage.project).replace('OUTSIDE', stage.folder);
    stage.write('project/.mcp.json', mcp({ s: runs('tool', { env: { [variable]: path } }) }));
    await stage.approveAll();
    expect(await stage.running()).toEqual([]);
    expect(await stage.why('s')).toContain(`can't be approved: it sets ${variable} to `);
    const waiting = await findUnapprovedServers(await stage.question(), []);
    expect(showServers(waiting).join('\n')).toMatch(/it stays off: it sets .*Use a folder outside the project/);
    // By name, in their own settings, a user may still say so.
    expect(await stage.running({ flagSettings: { enabledMcpjsonServers: ['s'] } })).toEqual(['s']);
  });

  it.each([
    ['env', runs('env', { args: ['PATH=./bin:/usr/bin', 'tool'] })],
    ['a shell', runs('sh', { args: ['-c', 'export PATH="./bin:$PATH"; tool'] })],
    ['headersHelper', { type: 'http', url: 'https://x', headersHelper: 'PATH=bin:$PATH tool' }],
    ['a shell, from where it runs,', runs('sh', { args: ['-c', 'PATH=$PWD/bin:$PATH tool'] })],
    ['a shell, from another program,', runs('sh', { args: ['-c', 'PATH=$(pwd)/bin:$PATH tool'] })],
  ])('MC-2: nor where %s sets it', async (_, entry) => {
    const stage = setServersStage();
    stage.write('project/bin/tool', 'x');
    stage.write('project/.mcp.json', mcp({ s: entry }));
    await stage.approveAll();
    expect(await stage.why('s')).toMatch(/can't be approved: it sets PATH to ".*bin"/);
  });

  it('MC-2: variables that load nothing of the project do not matter', async () => {
    const stage = setServersStage();
    stage.write('project/test/x', 'x');
    const env = {
      PATH: '/usr/bin:/bin',
      NODE_OPTIONS: '--max-old-space-size=4096 --require dotenv/config',
      ENV: 'test',
      NODE_ENV: 'test',
      LOG_DIR: './test',
      NPM_CONFIG_REGISTRY: 'https://registry.example/test',
    };
    const args = ['--path=./test', 'path=./test', 'PATH=/usr/bin:$PATH', 'LEVEL=test', 'https://x.example/?home=test'];
    stage.write('project/.mcp.json', mcp({ s: runs('tool', { args, env }) }));
    await stage.approveAll();
    expect(await stage.running()).toEqual(['s']);
  });
});

describe('GT-3: the same for hooks', () => {
  it('GT-3: what they name is bound; files that an agent changes as it works are not', async () => {
    const stage = setServersStage();
    for (const file of ['pre.mjs', 'server.js', 'e.env', 'package.json', 'Makefile'])
      stage.write(`project/${file}`, '1');
    const named = async (command: string, args?: readonly string[]) =>
      Object.keys(
        (await hashNamedFiles(createFileScan(stage.host, stage.project), { command, ...(args ? { args } : {}) })) ?? {},
      );
    expect(await named('node', ['--import=./pre', '--env-file=e.env', './server'])).toEqual([
      'e.env',
      'pre.mjs',
      'server.js',
    ]);
    expect(await named('node --import ./pre --env-file=e.env ./server')).toEqual(['e.env', 'pre.mjs', 'server.js']);
    expect(await named('npm run format && make lint')).toEqual([]);
  });

  it.each([
    'sh .claude/hooks/*.sh',
    'sh .claude/hooks/r?n.sh',
    './.claude/hooks/r[u]n.sh',
    'sh .claude/hooks/{run,other}.sh',
    '.claude/hooks/{run,other}.sh',
    'd=.claude/hooks; sh $d/run.sh',
    'd=.claude/hooks; "$d"/run.sh',
    'sh $(ls .claude/hooks/*)',
    'sh `ls .claude/hooks/*`',
    'bash "$(find .claude -name run.sh)"',
    '$(echo .claude/hooks/run).sh',
    'find .claude/hooks -type f -exec sh {} \\;',
    'find .claude/hooks -type f -exec {} \\;',
    'find . -name run.sh -exec sh {} +',
    'find .claude/hooks -type f | xargs sh',
    'find .claude/hooks -type f | xargs -n1 bash',
    'cat .claude/hooks/* | sh',
    'cd .claude/hooks && cat < run.sh | bash -s',
    'pushd .claude/hooks && ./run.sh',
    'cd .claude; cd hooks; . ./r*',
    'for f in .claude/hooks/*; do sh "$f"; done',
    'x=ru; y=n.sh; cd .claude/hooks; ./$x$y',
    'x=.cla; sh ${x}ude/hooks/run.sh',
    'eval "sh .claude/hooks/*"',
    'sh -c "sh .claude/hooks/*"',
    '"$(git rev-parse --show-toplevel)"/.claude/hooks/run.sh',
    '$(pwd)/.claude/hooks/run.sh',
    'sh "${CLAUDE_PROJECT_DIR:-.}/.claude/hooks/run.sh"',
  ])('GT-3: %s binds the script that it reaches', async (command) => {
    const stage = setServersStage();
    const files = () => hashNamedFiles(createFileScan(stage.host, stage.project), { command });
    stage.write('project/.claude/hooks/run.sh', 'echo 1');
    stage.write('project/src/a.json', '{}');
    const before = await files();
    stage.write('project/src/a.json', '{"a": 1}');
    expect(await files()).toEqual(before);
    stage.write('project/.claude/hooks/run.sh', 'echo 2');
    expect(await files()).not.toEqual(before);
  });

  it.each([
    'jq -r .tool_input.file_path | xargs npx prettier --write',
    'f=$(jq -r .tool_input.file_path); npx prettier --write "$f"',
    'npx eslint --fix $(git diff --name-only)',
    'f=$(jq -r .x); [[ $f == *.ts ]] && npx tsc --noEmit',
    'if [ -f package.json ]; then npm run format; fi',
    'cat src/*.js | wc -l',
    '$PYTHON -m black .',
    'jq -r .tool_input.command | jq -R . | node -e "process.stdin"',
    'cat | jq',
  ])('GT-3: %s runs nothing that it computes: what agents change stays unbound', async (command) => {
    const stage = setServersStage();
    stage.write('project/src/a.js', '1');
    stage.write('project/b.js', '1');
    expect(await hashNamedFiles(createFileScan(stage.host, stage.project), { command })).toEqual({});
  });
});
