/** A sample of `npm run torture:gate`: generated lines, those that once escaped, and what an open gate would let through. */

import { describe, expect, it } from 'vitest';
import { canRecord, FOUND, torture } from '../../program/torture/torture-gate-stage.js';

const LINES = 150;

const figure = (stdout: string, name: string) =>
  Number(new RegExp(`^\\s+${name}\\s+(\\d+)`, 'm').exec(stdout)?.[1] ?? Number.NaN);

describe.runIf(canRecord)('lines that only read', () => {
  it.each(['on', 'off'])(
    'GT-25: with confinement %s, no generated line that is allowed does more than read',
    async (confine) => {
      const { stdout, stderr, code } = await torture(String(LINES), '--confine', confine);
      expect(code, `${stderr}\n${stdout}`).toBe(0);
      expect(figure(stdout, 'escapes')).toBe(0);
      // It must have had something to let through.
      expect(figure(stdout, 'allowed and run'), stdout).toBeGreaterThan(LINES / 5);
      if (confine === 'on') expect(figure(stdout, 'of these confined'), stdout).toBeGreaterThan(LINES / 5);
    },
  );

  it('GT-25: the recorder sees each of them behind an open gate', async () => {
    const { stdout, stderr } = await torture('--lines', FOUND, '--confine', 'off', '--gate', 'open');
    expect(figure(stdout, 'allowed and run')).toBe(figure(stdout, 'escapes'));
    expect(stderr).toContain('( cat ) < .env > /dev/tcp/');
  });
});
