/** Secrets in the words of a server, in the forms in which they come back. */

import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../../../../src/tools/mcp/connect/hide-secrets.js';

const hide = (text: string, ...secrets: string[]) => hideSecrets(text, secrets, 40);

describe('hideSecrets', () => {
  it('MC-25, MC-26: a secret that lies across the cut is hidden as a whole, and none comes in from behind it', () => {
    for (let before = 20; before <= 45; before += 1) {
      const shown = hide(`${'.'.repeat(before)}abcdefghijklmnop rest`, 'Bearer abcdefghijklmnop');
      expect(shown).toBe(
        `${'.'.repeat(Math.min(before, 40))}${before < 40 ? '(hidden)' : ''}${' rest'.slice(0, Math.max(0, 24 - before))}`,
      );
    }
    const many = hide('abcdefghijklmnop abcdefghijklmnop abcdefghijklmnop abcdefghijklmnop', 'abcdefghijklmnop');
    expect(many).toBe('(hidden) (hidden) (hidden)');
  });

  it('MC-25, MC-26: also encoded, in parts, and where two overlap', () => {
    const secret = 'a"b/c+d e=f?ghij';
    expect(hide(`q=${encodeURIComponent(secret)}.`, secret)).toBe('q=(hidden).');
    expect(hide(`${JSON.stringify(secret)}.`, secret)).toBe('"(hidden)".');
    const base64 = Buffer.from('top-secret-value!').toString('base64');
    expect(hide(base64, 'top-secret-value!')).not.toContain(base64.slice(0, 10));
    expect(hide('the password open-sesame is wrong', `Basic ${btoa('me:open-sesame')}`)).toBe(
      'the password (hidden) is wrong',
    );
    expect(hide('session 1234567890 is over', 'sid=1234567890; theme=dark')).toBe('session (hidden) is over');
    expect(hide('abcdefghijklmn', 'abcdefghij', 'efghijklmn')).toBe('(hidden)');
    expect(hide('a short word', 'short')).toBe('a short word');
  });
});
