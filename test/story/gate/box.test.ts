/** Bash of a whole session with the limits of a profile: what the gate decided about a call is how it runs. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEngine } from '../../../src/engine/open/open-engine.js';
import { createSessionOf } from '../../../src/front/sdk/session.js';
import { createSandbox } from '../../../src/gate/sandbox/create-sandbox.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { RunProfile } from '../../../src/protocol/permission.js';
import { BOX_WORKS } from '../../program/gate/box/stage.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { begin, mainResults, script } from '../agents/agents-script.js';

const bash = (command: string, more: object = {}) => ({ tool: 'Bash', input: { command, ...more } });
const CONFINED: RunProfile = { kind: 'reading', show: [] };
const WORKING: RunProfile = { kind: 'working', show: [], changes: [] };
const RULED: RunProfile = { kind: 'ruled', programs: 'on', changes: [] };
const PROVEN: RunProfile = { kind: 'proven', refresh: [], changes: [] };

/** A session whose gate allows every call with this profile. */
async function openReading(stage: Stage, run: RunProfile, withBox = true) {
  const opened = await openEngine({ cwd: stage.folder, env: stage.env });
  if (!opened.ok) throw new Error(opened.reason);
  const { engine } = opened;
  const box = createSandbox({ host: nodeHost(stage.folder, stage.env), roots: [stage.folder] });
  const { gate } = engine.runtime.ports;
  Object.assign(gate, {
    decide: async () => {
      const wide = run.kind === 'ruled';
      const prepared = await box.prepare({ roots: [stage.folder], readRoots: [], denied: [], fixed: [], wide });
      const decision = { behavior: 'allow', by: 'test', run };
      return { decision, realPaths: new Map(), ...(prepared.ok && withBox ? { box: prepared.view } : {}) };
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

  it.each([true, false])(
    'GT-34: what a rule allows changes nothing protected, and its result says which (view: %s)',
    async (withView) => {
      const stage = await setStage();
      const seconds = withView ? 4_713 : 4_714;
      await mkdir(join(stage.folder, '.claude'));
      const calls = [
        bash(
          'd=.claude; echo {} > $d/settings.json; echo evil >> ~/.bash_aliases; echo x > made; echo x > ../beside-$$; rm ../beside-$$',
        ),
        bash(`sleep ${seconds} & echo $!`),
      ];
      const results = await tryCalls(stage, calls, RULED, withView);
      expect(results[0]?.text).toContain(`protected, and read-only for this command: ${join(stage.folder, '.claude')}`);
      expect(results[0]?.text).toContain('unconfined: true');
      expect(results[0]?.text).toContain('.bash_aliases is a protected name');
      expect(readdirSync(join(stage.folder, '.claude'))).toEqual([]);
      expect(readdirSync(stage.folder).sort()).toEqual(['.claude', 'made']);
      // What the command left ended with it.
      expect(execFileSync('ps', ['axo', 'args']).toString()).not.toContain(`sleep ${seconds}`);
    },
  );

  it('GT-36: file commands change files in the roots, and nothing beyond or protected', async () => {
    const stage = await setStage();
    const calls = [bash('mkdir a && echo x > a/b && mv a c; echo x > ~/beyond; mkdir .vscode/x; ls -A')];
    const results = await tryCalls(stage, calls, WORKING);
    expect(results[0]?.text).toContain('unconfined: true');
    expect(readdirSync(stage.folder)).toEqual(['c']);
    expect(existsSync(join(stage.home, 'beyond'))).toBe(false);
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
