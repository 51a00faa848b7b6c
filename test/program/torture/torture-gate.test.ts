/** A sample of `npm run torture:gate`: generated lines, those that once escaped, and what an open gate would let through. */

import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';

const LINES = 150;
const FOUND = join(ROOT, 'test/unit/gate/generated/found.jsonl');

/** The recorder needs both; without user namespaces neither a box nor a playground can be made. */
const canRecord =
  spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0 &&
  spawnSync('strace', ['-V']).status === 0;
if (!canRecord) process.stdout.write('\ntorture:gate: no bubblewrap or no strace here, so nothing is recorded\n');

type Ran = { readonly stdout: string; readonly stderr: string; readonly code: number };

async function torture(...args: string[]): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['scripts/torture-gate.mjs', ...args], {
      cwd: ROOT,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { stdout, stderr, code: 0 };
  } catch (error) {
    const { stdout = '', stderr = '', code = -1 } = error as Partial<Ran>;
    return { stdout, stderr, code };
  }
}

const figure = (stdout: string, name: string) =>
  Number(new RegExp(`^\\s+${name}\\s+(\\d+)`, 'm').exec(stdout)?.[1] ?? Number.NaN);

describe.runIf(canRecord)('lines that only read', () => {
  it.each(['on', 'off'])(
    'GT-25: with confinement %s, no generated line that is allowed does more than read',
    {
      timeout: 240_000,
    },
    async (confine) => {
      const { stdout, stderr, code } = await torture(String(LINES), '--confine', confine);
      expect(code, `${stderr}\n${stdout}`).toBe(0);
      expect(figure(stdout, 'escapes')).toBe(0);
      // It must have had something to let through.
      expect(figure(stdout, 'allowed and run'), stdout).toBeGreaterThan(LINES / 5);
      if (confine === 'on') expect(figure(stdout, 'of these confined'), stdout).toBeGreaterThan(LINES / 5);
    },
  );

  it.each(['on', 'off'])(
    'GT-25: with confinement %s, none of the lines that once escaped does so again',
    {
      timeout: 120_000,
    },
    async (confine) => {
      const { stdout, stderr, code } = await torture('--lines', FOUND, '--confine', confine);
      expect(code, `${stderr}\n${stdout}`).toBe(0);
    },
  );

  it('GT-25: the recorder sees each of them behind an open gate', { timeout: 120_000 }, async () => {
    const { stdout, stderr } = await torture('--lines', FOUND, '--confine', 'off', '--gate', 'open');
    expect(figure(stdout, 'allowed and run')).toBe(figure(stdout, 'escapes'));
    expect(stderr).toContain('( cat ) < .env > /dev/tcp/');
  });

  it('GT-25: the recorder tells files, reads, programs, connections, pipes and sockets', {
    timeout: 60_000,
  }, async () => {
    const effects: readonly (readonly [line: string, effect: string])[] = [
      ['echo x > out', 'made @/out'],
      ['rm README.md', 'removed @/README.md'],
      ['chmod 600 README.md', 'changed @/README.md'],
      ['echo x >> ~/.bashrc', 'changed '],
      ['cat ../elsewhere/secret.txt', 'canary of outside'],
      ['tr a-z n-za-m < ../elsewhere/secret.txt', 'read '],
      ['cat .env | rev', 'canary of env'],
      ['ls ~/.ssh', 'listed '],
      ['cat /etc/passwd', 'read /etc/passwd'],
      ['base64 /etc/shadow', 'read /etc/shadow'],
      ['echo "$ANTHROPIC_API_KEY"', 'canary of key'],
      ['./evil.sh', 'evil.sh'],
      ['touch /tmp/x', 'started /usr/bin/touch'],
      ['echo x > /dev/tcp/127.0.0.1/@port@', 'used: tcp'],
      ['echo x > /dev/udp/127.0.0.1/@port@', 'connected'],
      ['echo x > fifo', 'FIFO written'],
      ['perl -MSocket -e \'socket(S,1,1,0); connect(S,sockaddr_un("socket"))\'', 'used: unix socket'],
      ['echo x > >(cat > out)', 'made @/out'],
      ['( sleep 0.01; echo x > out ) &', 'made @/out'],
    ];
    const file = join(await scratchFolder(), 'lines.jsonl');
    await writeFile(file, effects.map(([line]) => `${JSON.stringify({ line, mode: 'default' })}\n`).join(''));
    const { stderr } = await torture('--lines', file, '--confine', 'off', '--gate', 'open');
    const told = stderr.split(/^seed (?=\d+ escaped)/m).slice(1);
    for (const [index, [line, effect]] of effects.entries()) {
      const own = told.find((text) => text.startsWith(`${index} `)) ?? '';
      expect(own.replaceAll(/\/tmp\/torture-gate-\w+\/project/g, '@'), line).toContain(effect);
    }
  });
});
