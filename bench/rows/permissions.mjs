/** Permission decisions per second, on a mixed set of calls. The floor resolves paths, as any check must. */

import { mkdir, realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { compare, row } from '../measure.mjs';
import { loadSource } from '../source.mjs';

const DECISIONS = 3_000;

export async function measure(stage, runs = 5) {
  const { judge, parseRule, nodeFiles } = await loadSource(
    stage,
    `export { judge } from './src/gate/permissions/judge.js';
     export { parseRule } from './src/gate/permissions/rules/rule.js';
     export { nodeFiles } from './src/host/node-files.js';`,
  );
  await mkdir(join(stage.project, 'src'), { recursive: true });
  await stage.write('src/a.ts', 'export {};\n');
  const calls = callsIn(stage.project);
  const origin = { source: 'bench', base: stage.project };
  const read = (text, behavior) => parseRule(text, behavior, origin).rule;
  const policy = {
    mode: 'default',
    rules: [
      ...['Bash(rm:*)', 'Read(.env)', 'Bash(curl:*)'].map((text) => read(text, 'deny')),
      ...['Bash(npm test:*)', 'Bash(git diff:*)', 'Edit(src/**)', 'WebFetch(domain:example.com)'].map((text) =>
        read(text, 'allow'),
      ),
    ],
    roots: [stage.project],
    home: stage.home,
    trusted: false,
    files: nodeFiles.sync,
  };
  const perSecond = async (decide) => {
    const began = performance.now();
    for (let index = 0; index < DECISIONS; index += 1) await decide(calls[index % calls.length]);
    return DECISIONS / ((performance.now() - began) / 1000);
  };
  const samples = await compare(
    runs,
    () => perSecond((call) => isInside(call, stage.project)),
    () => perSecond((call) => judge(call, policy)),
  );
  return [row('permission decisions', 'per second', samples, { least: 10_000 })];
}

function callsIn(project) {
  const file = join(project, 'src', 'a.ts');
  const shell = (command) => ({
    tool: 'Bash',
    input: { command },
    actions: [{ kind: 'shell', command, cwd: project }],
  });
  const path = (tool, kind) => ({ tool, input: { file_path: file }, actions: [{ kind, path: file }] });
  return [
    path('Read', 'read'),
    path('Edit', 'edit'),
    shell('git status'),
    shell('cat src/a.ts | head -20'),
    shell('npm test -- --run'),
    shell('cd src && ls -la && grep -rn "export" .'),
    shell('for f in *.ts; do wc -l "$f"; done'),
    {
      tool: 'WebFetch',
      input: { url: 'https://example.com/' },
      actions: [{ kind: 'fetch', url: 'https://example.com/' }],
    },
  ].map((call) => ({ ...call, cwd: project }));
}

async function isInside(call, root) {
  const [action] = call.actions;
  const real = await realpath(resolve(call.cwd, action.path ?? '.'));
  return real === root || real.startsWith(root + sep);
}
