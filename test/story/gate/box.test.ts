/** Bash of a whole session in the reading box: what the gate decided about a call is how it runs. */

import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEngine } from '../../../src/engine/open/open-engine.js';
import { createSessionOf } from '../../../src/front/sdk/session.js';
import { createReadingBox } from '../../../src/gate/box/create-box.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { RunProfile } from '../../../src/protocol/permission.js';
import { BOX_WORKS } from '../../program/gate/box/stage.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { begin, mainResults, script } from '../agents/agents-script.js';

const bash = (command: string, more: object = {}) => ({ tool: 'Bash', input: { command, ...more } });
const CONFINED: RunProfile = { kind: 'reading', show: [] };
const PROVEN: RunProfile = { kind: 'proven', refresh: [], changes: [] };

/** A session whose gate allows every call as one that only reads. */
async function openReading(stage: Stage, run: RunProfile, withBox = true) {
  const opened = await openEngine({ cwd: stage.folder, env: stage.env });
  if (!opened.ok) throw new Error(opened.reason);
  const { engine } = opened;
  const box = createReadingBox({ host: nodeHost(stage.folder, stage.env), mode: 'auto', roots: [stage.folder] });
  const { gate } = engine.runtime.ports;
  Object.assign(gate, {
    decide: async () => {
      const prepared = await box.prepare({ roots: [stage.folder], readRoots: [], denied: [] });
      const decision = { behavior: 'allow', by: 'test', run };
      return { decision, realPaths: new Map(), ...(prepared.ok && withBox ? { box: prepared.box } : {}) };
    },
  });
  const session = createSessionOf(engine);
  onTestFinished(() => session.close());
  return session;
}

async function tryCalls(stage: Stage, calls: readonly object[], run: RunProfile, withBox?: boolean) {
  stage.sim.use(script({ main: [calls as never, 'done'] }));
  const session = await openReading(stage, run, withBox);
  await session.send(begin());
  await session.settled();
  await session.close();
  expectAllAccepted(stage.sim);
  return mainResults(stage);
}

describe.runIf(BOX_WORKS)('with a box', () => {
  it('GT-23: a command that is allowed because it reads runs where it can only read, and follows its folder', async () => {
    const stage = await setStage();
    await mkdir(join(stage.folder, 'sub'));
    const results = await tryCalls(
      stage,
      [
        bash('cd sub; { echo x; } >> made; (echo x) > /dev/tcp/127.0.0.1/9; ls -A ~; echo "$ANTHROPIC_API_KEY"'),
        bash('pwd; true'),
        bash('printf "/etc\\0" >&199; exec true'),
        bash('pwd'),
      ],
      CONFINED,
    );
    expect(results[0]?.text).toMatch(
      /Read-only file system[\s\S]*\(the command ran where it can only read: .*unconfined: true/,
    );
    expect(results[0]?.text).not.toContain('test-key');
    expect(results[1]?.text).toBe(join(stage.folder, 'sub'));
    expect(results[2]?.text).toContain('moved to /etc, outside the folders of this session');
    expect(results[3]?.text).toBe(stage.folder);
    expect(readdirSync(join(stage.folder, 'sub'))).toEqual([]);
  });

  it('GT-24: in the background it keeps its box, and its end tells what was hidden', async () => {
    const stage = await setStage();
    await tryCalls(stage, [bash('sleep 0.3; touch made', { run_in_background: true })], CONFINED);
    const notice = stage.sim.requests
      .map(({ body }) => JSON.stringify(body.messages))
      .find((text) => text.includes('task-notification'));
    expect(notice).toContain('the command ran where it can only read');
    expect(existsSync(join(stage.folder, 'made'))).toBe(false);
  });

  it('GT-23: if its box could not be prepared, it is not run, and the reason shows what to do', async () => {
    const stage = await setStage();
    const results = await tryCalls(stage, [bash('touch made')], CONFINED, false);
    expect(results[0]).toMatchObject({ isError: true, text: expect.stringContaining('was not run') });
    expect(existsSync(join(stage.folder, 'made'))).toBe(false);
  });
});

it('GT-26: what is proven by its text keeps its place, with the programs of git off', async () => {
  const stage = await setStage();
  const results = await tryCalls(
    stage,
    [bash('git config core.fsmonitor; echo "$GIT_OPTIONAL_LOCKS"; echo x > made')],
    PROVEN,
  );
  expect(results[0]?.text).toBe('false\n0');
  expect(existsSync(join(stage.folder, 'made'))).toBe(true);
});

it('GT-23: nothing is loaded, tried or kept before the first command that would be confined', async () => {
  const stage = await setStage();
  await rm(join(stage.home, '.coppice', 'box'), { recursive: true, force: true });
  stage.sim.use(script({ main: [[{ tool: 'Glob', input: { pattern: '*' } }] as never, 'done'] }));
  const session = await stage.open();
  await session.send(begin());
  expect(readdirSync(join(stage.home, '.coppice'))).not.toContain('box');
});

it('GT-23: unconfined is declared to the model, unless confineReads is off', async () => {
  for (const confineReads of ['auto', 'off']) {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings({ confineReads });
    await (await stage.open()).send('hello');
    const tools = stage.sim.requests[0]?.body.tools as readonly { name: string; input_schema: object }[];
    const schema = JSON.stringify(tools.find(({ name }) => name === 'Bash')?.input_schema);
    expect(schema.includes('unconfined')).toBe(confineReads === 'auto');
  }
});
