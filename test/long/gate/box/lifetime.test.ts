/** How commands in the reading box begin and end: in the background, after a crash, with the folder they ended in. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BOX_WORKS, expectNoBox, setStage } from '../../../program/gate/box/stage.js';
import { bundle } from '../../../support/bundle.js';
import { runningWith } from '../../../support/processes.js';
import { until } from '../../../support/until.js';

describe.runIf(BOX_WORKS)('with a box', () => {
  it('GT-24: what a command leaves running ends with it, even in a session of its own', async () => {
    const { run } = await setStage();
    const ran = await run('setsid sleep 986.1 >/dev/null 2>&1 & nohup sleep 986.1 >/dev/null 2>&1 & echo left');
    expect(ran.output).toBe('left\n');
    expect(runningWith('sleep 986.1').filter((line) => !line.includes('bash'))).toEqual([]);
  });

  it('GT-24: a command that goes on keeps its box, and is ended as a whole', async () => {
    const { confine, host, project } = await setStage();
    const command = await confine(
      `trap '' TERM; for n in 1 2; do read -t 0.2 < <(sleep 9); (echo x > new) 2>/dev/null && echo WROTE; echo "turn $n"; done; exec sleep 986.2`,
    );
    const running = host.processes.start(command);
    let output = '';
    running.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    await until(() => output.includes('turn 2'));
    expect(output).toBe('turn 1\nturn 2\n');
    expect(readdirSync(project)).toEqual([]);
    await running.end(50);
    await until(() => runningWith('sleep 986.2').length === 0);
  });

  it('GT-24: after kill -9 of our process no command runs on, and nothing is left in the project', async () => {
    const { base, host, project, person } = await setStage();
    const program = await bundle(new URL('../../../program/gate/box/box-program.ts', import.meta.url), base);
    const script = 'echo started; setsid sleep 986.3';
    const child = spawn(process.execPath, [program, project, script], { env: host.env as NodeJS.ProcessEnv });
    await once(child.stdout, 'data');
    expect(runningWith('sleep 986.3').length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until(() => runningWith('sleep 986.3').length === 0);
    expect(readdirSync(project)).toEqual([]);
    const kept = readdirSync(join(person, '.coppice/box')).filter((name) => !name.startsWith('etc-'));
    expect(kept.sort()).toEqual(['filter.bpf', 'nothing', 'probe.json', 'working.bpf']);
  });

  it('GT-24: what it reports by its descriptor comes back, and no other descriptor is there', async () => {
    const { confine, host, project } = await setStage();
    await mkdir(join(project, 'sub'));
    const plain = await confine('cd sub; pwd >&3; echo /proc/self/fd/*');
    const { descriptors = [] } = plain;
    expect(descriptors).toHaveLength(1);
    const { box, prepare } = await setStage();
    const prepared = await prepare({ roots: [project] });
    if (!prepared.ok) throw new Error(prepared.reason);
    const command = {
      file: 'bash',
      args: ['-c', 'cd sub; pwd >&3; echo /proc/self/fd/*'],
      cwd: project,
      env: host.env,
    };
    const confined = await box.confine(
      { ...command, descriptors: [{ kind: 'report' }] },
      { kind: 'reading', show: [] },
      { roots: prepared.view.roots, view: prepared.view },
    );
    if (!confined.ok) throw new Error(confined.reason);
    const running = host.processes.start(confined.command);
    const said = await once(running.stdout, 'data');
    expect(String(said[0])).toBe('/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3 /proc/self/fd/4\n');
    expect((await running.report()).toString('utf8')).toBe(`${join(project, 'sub')}\n`);
  });
});
it.skipIf(BOX_WORKS)('GT-24: without a box nothing is confined', expectNoBox);
