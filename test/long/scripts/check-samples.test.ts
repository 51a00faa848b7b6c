/** Samples of the docs are compiled, and an error is told at its line of the page. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';

it('a sample keeps its line numbers, and gets the code that the page leaves out', async () => {
  const { extractSamples } = await import(join(ROOT, 'scripts/extract-samples.mjs'));
  const page =
    '# A page\n\n<!-- sample in src/model: declare const a: number; -->\n```ts\nconsole.log(a);\n```\n\n```js\nb();\n```\n';
  expect(extractSamples(page)).toEqual([
    { folder: 'src/model', text: '\n\n\ndeclare const a: number;\nconsole.log(a);\n' },
    { folder: '', text: '\n\n\n\n\n\n\n\nb();\n' },
  ]);
});

it('SF-6: the types say what a hook, a question and a fork hold; what they do not hold is an error', async () => {
  const page = join(await scratchFolder(), 'page.md');
  const sample = (...lines: string[]) =>
    `\`\`\`ts\nimport { createSession } from 'coppice';\n${lines.join('\n')}\n\`\`\`\n`;
  writeFileSync(
    page,
    [
      sample(
        'const session = await createSession({',
        "  onPermission: async ({ call }) => ({ behavior: call.tool === 'Bash' && call.input.command === 'ls' ? 'allow' : 'deny' }),",
        '  hooks: {',
        "    PostToolUse: [{ hooks: [({ tool_name, tool_response }) => { if (tool_name === 'Bash') console.log(tool_response.stdout); }] }],",
        '  },',
        '});',
        "console.log((await session.fork('x')).usage.cacheRead);",
      ),
      sample(
        'await createSession({',
        "  onPermission: async ({ call }) => ({ behavior: call.input.command === 'ls' ? 'allow' : 'deny' }),",
        '  hooks: {',
        "    PreToolUse: [{ hooks: [({ tool_name, tool_input }) => { if (tool_name === 'Read') console.log(tool_input.command); }] }],",
        '  },',
        '});',
      ),
    ].join(''),
  );
  const run = spawnSync(process.execPath, ['scripts/check-samples.mjs', page], { cwd: ROOT, encoding: 'utf8' });
  const places = [...run.stdout.matchAll(/page\.md\((\d+),\d+\): error (TS\d+)/g)].map(([, line, code]) => [
    line,
    code,
  ]);
  expect(places).toEqual([
    ['14', 'TS2339'],
    ['16', 'TS2339'],
  ]);
  expect(run.status).toBe(1);
});
