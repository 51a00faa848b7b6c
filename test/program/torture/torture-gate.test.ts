/** A sample of `npm run torture:gate`: generated lines, those that once escaped, and what an open gate would let through. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../support/scratch.js';
import { canRecord, FOUND, torture } from './torture-gate-stage.js';

describe.runIf(canRecord)('lines that only read', () => {
  it.each(['on', 'off'])(
    'GT-25: with confinement %s, none of the lines that once escaped does so again',
    async (confine) => {
      const { stdout, stderr, code } = await torture('--lines', FOUND, '--confine', confine);
      expect(code, `${stderr}\n${stdout}`).toBe(0);
    },
  );

  it('GT-25: the recorder tells files, reads, programs, connections, pipes and sockets', async () => {
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
