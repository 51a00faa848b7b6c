/** Guessing from real programs' words that the sandbox was in the way. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recogniseRefusal } from '../../../../src/gate/sandbox/recognise-refusal.js';
import { expectRefusal, SANDBOX_WORKS, setStage } from './stage.js';

const node = JSON.stringify(process.execPath);

describe.runIf(SANDBOX_WORKS)('with a sandbox', () => {
  it.each([
    ['echo x > $OUT/a', 'write'],
    ['touch $OUT/a', 'write'],
    ['cp /etc/hostname $OUT/a', 'write'],
    [`${node} -e 'require("fs").writeFileSync(process.env.OUT + "/a", "x")'`, 'write'],
    ['mkdir .vscode/x', 'write'],
    ['exec 3<>/dev/tcp/192.0.2.1/80', 'network'],
    ['exec 3<>/dev/tcp/example.invalid/80', 'network'],
    ['git ls-remote https://example.invalid/x.git', 'network'],
    [`${node} -e 'fetch("http://example.invalid").catch((e) => console.log(e.cause))'`, 'network'],
    [`${node} -e 'require("net").connect(9, "127.0.0.1").on("error", (e) => console.log(e.message))'`, 'network'],
  ] as const)('GT-19: %s is recognised as a refused %s', async (script, kind) => {
    const { run, outside } = await setStage('required', { OUT: 'unset' });
    const { output, explained } = await run(`export OUT=${outside}; ${script}`);
    const refusal = recogniseRefusal(output, { network: false });
    expect(refusal, output).toMatchObject(
      kind === 'write' ? { write: true, network: false } : { network: true, write: false },
    );
    expect(explained).toContain(kind === 'write' ? 'read-only' : 'connections are off');
  });

  it('GT-19: names the path, keeps quiet where the sandbox was not in the way', async () => {
    const { run, outside } = await setStage();
    const { output } = await run(`touch ${outside}/a`);
    expect((await run('echo fine; false')).explained).toBeUndefined();
    expect(recogniseRefusal(output, { network: false })?.paths).toEqual([join(outside, 'a')]);
    expect(recogniseRefusal('3 tests failed\nEACCES: permission denied', { network: false })).toBeUndefined();
    expect(recogniseRefusal('connect: Network is unreachable', { network: true })).toBeUndefined();
  });

  it('looks at a bounded part of the output', () => {
    const long = `${'x: Read-only file system\n'.repeat(100_000)}`;
    expect(recogniseRefusal(long, { network: false })?.paths).toEqual(['x']);
    expect(recogniseRefusal(`127.0.0.1${'a'.repeat(5_000_000)}`, { network: false })).toBeUndefined();
  });
});
it.skipIf(SANDBOX_WORKS)('GT-19: where there is no sandbox, required refuses', expectRefusal);
