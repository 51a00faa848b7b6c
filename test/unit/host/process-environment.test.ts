/** What of the environment reaches a process that we start. */

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { restrictProject } from '../../../src/config/settings/restrict-project.js';
import { withEnvironment } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { OWN_KEYS, processEnvironment } from '../../../src/host/programs/process-environment.js';
import { scratchFolder } from '../../support/scratch.js';

const SHELL =
  'CDPATH BASH_ENV ENV GLOBIGNORE SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND IFS BASH_FUNC_ls%% BASH_FUNC_cd()'.split(' ');
const STEERING =
  'LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS GIT_DIR GIT_SSH_COMMAND GIT_EXTERNAL_DIFF'.split(' ');
const LOADERS =
  'PYTHONSTARTUP PYTHONPATH PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS LESSOPEN LESSCLOSE SSH_ASKPASS EDITOR'.split(' ');
const PLAIN = [
  'LANG',
  'TERM',
  'EDITION',
  'ENVIRONMENT',
  'NODE_ENV',
  'GIT_AUTHOR_NAME',
  'GOPATH',
  'BASH_DEFAULT_TIMEOUT_MS',
];
const all = (names: Iterable<string>) => Object.fromEntries([...names].map((name) => [name, 'v']));
const whole = { ...all(SHELL), ...all(STEERING), ...all(LOADERS), ...all(PLAIN), ...all(OWN_KEYS) };

const namesOf = (env: Readonly<Record<string, unknown>>) =>
  Object.keys(env)
    .filter((name) => name !== 'PATH')
    .sort();

test('GT-23: a command has the person’s environment without our keys and what steers a shell or a loader; our own helpers less', () => {
  const host = nodeHost('/', whole);
  expect(namesOf(processEnvironment(host, 'command'))).toEqual([...LOADERS, ...PLAIN].sort());
  expect(namesOf(processEnvironment(host, 'own'))).toEqual([...PLAIN].sort());
});

test('GT-23: what the person’s settings name stays for commands; the keys if they ask for it', () => {
  const chosen = { variables: new Set(['ENV', 'CDPATH', 'NODE_OPTIONS', 'ANTHROPIC_API_KEY']), folders: [] };
  const host = withEnvironment(nodeHost('/'), whole, chosen);
  expect(namesOf(processEnvironment(host.at('/usr'), 'command'))).toEqual(
    [...LOADERS, ...PLAIN, 'CDPATH', 'ENV', 'NODE_OPTIONS'].sort(),
  );
  expect(namesOf(processEnvironment(host, 'own'))).toEqual([...PLAIN].sort());
  const keeping = nodeHost('/', { ...all(OWN_KEYS), COPPICE_KEEP_KEYS: '1' });
  expect(namesOf(processEnvironment(keeping, 'command'))).toEqual([...OWN_KEYS, 'COPPICE_KEEP_KEYS'].sort());
  expect(namesOf(processEnvironment(keeping, 'own'))).toEqual(['COPPICE_KEEP_KEYS']);
});

test('GT-3: a trusted project’s settings bring none of them back', () => {
  for (const name of [...SHELL, ...OWN_KEYS, 'PATH', 'COPPICE_KEEP_KEYS']) {
    const { settings, ignored } = restrictProject({ env: { [name]: 'x' } }, {}, true, []);
    expect([name, settings.env ?? {}, ignored]).toEqual([name, {}, [{ key: `env.${name}`, reason: 'reserved' }]]);
  }
});

test('GT-23: the PATH has real folders in their order; none relative, missing, in a root by any way, or the home', async () => {
  const base = await scratchFolder();
  for (const name of ['root/tools', 'root/.git', 'root/sub', 'home/bin', 'real', 'rooted']) {
    mkdirSync(join(base, name), { recursive: true });
  }
  symlinkSync(join(base, 'root', 'tools'), join(base, 'home', 'linked'));
  symlinkSync(join(base, 'real'), join(base, 'other'));
  const at = (name: string) => join(base, name);
  const entries = ['', '.', 'root/tools', at('root/tools'), at('home/linked'), at('other'), at('missing'), at('home')];
  const PATH = [...entries, at('rooted'), at('home/bin'), at('real'), '/usr/bin', at('root')].join(':');
  const host = nodeHost(at('root/sub'), { PATH, HOME: at('home') });
  const kept = [at('real'), at('rooted'), at('home/bin'), '/usr/bin'].join(':');
  for (const kind of ['command', 'own'] as const) {
    expect(processEnvironment(host, kind).PATH).toBe(kept);
    expect(processEnvironment(host, kind, [at('root')]).PATH).toBe(kept);
  }
  expect(processEnvironment(host, 'own', [at('rooted')]).PATH).toBe(
    [at('root/tools'), at('real'), at('home/bin'), '/usr/bin', at('root')].join(':'),
  );
  // Started in the home, the person's own programs are still found.
  expect(processEnvironment(host, 'command', [at('home')]).PATH).toContain(at('home/bin'));
  const folders = [at('root/tools')];
  const plugged = withEnvironment(host, host.env, { variables: new Set(), folders });
  expect(processEnvironment(plugged, 'command').PATH?.split(':')).toContain(at('root/tools'));
  expect(processEnvironment(plugged, 'own').PATH).toBe(kept);
});
