/** The permission rules and the hook of this project: the model is scripted to do what must not happen. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startSim } from 'coppice/sim';
import { openProject } from './open-project.mjs';

/**
 * Lets the model make these calls, one after another, and returns what came back for each.
 * @param {import('node:test').TestContext} t
 * @param {(cwd: string) => readonly { tool: string; input: object }[]} callsIn
 * @param {string} [file] A file of the project to look at afterwards.
 */
async function attempt(t, callsIn, file) {
  const sim = await startSim();
  t.after(() => sim.close()); // also if the project can't be opened: an open server would keep the run from ending
  const { session, cwd, close } = await openProject({ env: { ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: 'any' } });
  const calls = callsIn(cwd);
  sim.use([...calls.map((call, index) => ({ when: { nth: index + 1 }, reply: [call] })), { reply: 'Done.' }]);
  await session.send('go');
  const results = sim.requests.slice(1).map(({ results }) => results.at(-1));
  const content = file === undefined ? '' : await readFile(join(cwd, file), 'utf8');
  await close();
  return { results, content };
}

test('a push is denied, also inside a longer line', async (t) => {
  const { results } = await attempt(t, () => [
    { tool: 'Bash', input: { command: 'git push origin main' } },
    { tool: 'Bash', input: { command: 'true && git push --force' } },
  ]);
  for (const result of results) assert.match(result?.text ?? '', /denied by the rule Bash\(git push \*\)/);
});

test('.env is not read', async (t) => {
  const { results } = await attempt(t, (cwd) => [{ tool: 'Read', input: { file_path: join(cwd, '.env') } }]);
  assert.match(results[0]?.text ?? '', /denied by the rule Read\(\.env\)/);
});

test('files in src are edited without a question', async (t) => {
  const { results, content } = await attempt(
    t,
    (cwd) => [
      { tool: 'Read', input: { file_path: join(cwd, 'src/price.mjs') } },
      {
        tool: 'Edit',
        input: {
          file_path: join(cwd, 'src/price.mjs'),
          old_string: 'net + net * rate',
          new_string: 'Math.round(net * (1 + rate))',
        },
      },
    ],
    'src/price.mjs',
  );
  assert.equal(results[1]?.error, false);
  assert.match(content, /Math\.round/);
});

test('the hook refuses to edit what is generated', async (t) => {
  const { results, content } = await attempt(
    t,
    (cwd) => [
      { tool: 'Read', input: { file_path: join(cwd, 'src/rates.generated.mjs') } },
      {
        tool: 'Edit',
        input: { file_path: join(cwd, 'src/rates.generated.mjs'), old_string: '0.19', new_string: '0.2' },
      },
    ],
    'src/rates.generated.mjs',
  );
  assert.match(results[1]?.text ?? '', /is generated\. Change what it is made from/);
  assert.match(content, /0\.19/);
});
