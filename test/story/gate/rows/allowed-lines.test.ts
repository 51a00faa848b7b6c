/** Lines that a person's own rule means run, for real, with the output and the files they are run for (GT-35, GT-36). */

import { chmod } from 'node:fs/promises';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BOX_WORKS } from '../../../program/gate/box/stage.js';
import { setStage } from '../../../support/story.js';
import { contentsOf, git, makeRepository, runLines } from './rows-stage.js';

async function listen(): Promise<number> {
  const server = createServer((request, response) => response.end(`asked for ${request.url}\n`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe.each(BOX_WORKS ? ['auto', 'off'] : ['off'])('confineReads %s', (confineReads) => {
  it('GT-35: runners, substitutions for messages, exit codes, tee, an option we don’t know, file commands', async () => {
    const stage = await setStage();
    await stage.settings({ confineReads });
    await makeRepository(stage, {
      'package.json': JSON.stringify({ name: 'x', version: '1.0.0', scripts: { test: 'echo tested; exit 3' } }),
    });
    const tool = await stage.write('node_modules/.bin/vitest', '#!/bin/sh\necho vitest "$@"\n');
    await chmod(tool, 0o755);
    const port = await listen();
    const rows: readonly (readonly [line: string, output: string])[] = [
      ['npx vitest run 2>&1 | tail -40', 'vitest run'],
      ["node -e 'console.log(6 * 7)'", '42'],
      ["node <<'EOF'\nconsole.log('from a text')\nEOF", 'from a text'],
      ['node -p 1', '1'],
      ['npm test; echo "code $?"', 'code 3'],
      [`npm test 2>&1 | tee out.log; echo "first \${PIPESTATUS[0]}"`, 'first 3'],
      [
        'git add a.txt package.json && git commit --allow-empty -q -m "$(cat <<\'EOF\'\nAdd a test\n\nIt has a body.\nEOF\n)" && git log -1 --format=%B',
        'It has a body.',
      ],
      [`curl -s --path-as-is http://127.0.0.1:${port}/../x`, 'asked for /../x'],
      ['cp a.txt b.txt && mv b.txt c.txt && sed -i s/a/z/ c.txt && chmod 600 c.txt && cat c.txt', 'z'],
      ['rm c.txt && ls', 'a.txt'],
      ['git config user.email', 'a@b.c'],
      ['git log --author="$(git config user.email)" --format=%s', 'Add a test'],
    ];
    const allowedTools = ['Bash(npx:*)', 'Bash(node:*)', 'Bash(npm test:*)', 'Bash(git:*)', 'Bash(curl:*)'];
    const lines = rows.map(([line]) => line);
    const results = await runLines(stage, lines, { trust: true, permissionMode: 'acceptEdits', allowedTools });
    const wrong = rows.flatMap(([line, output], index) =>
      results[index]?.text.includes(output) ? [] : [`${line}: ${results[index]?.text}`],
    );
    expect(wrong).toEqual([]);
    expect(contentsOf(stage.folder, ['out.log', 'c.txt'])).toEqual({
      'out.log': expect.stringContaining('tested'),
      'c.txt': undefined,
    });
    expect(git(stage, 'log', '-1', '--format=%s')).toBe('Add a test\n');
  });
});
