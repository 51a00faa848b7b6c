/** What looks secret in an entry is not printed (MC-8). */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of entries are written so.

import { describe, expect, it } from 'vitest';
import { maskServer } from '../../../../src/config/mcp/mask-server.js';

describe('MC-8: masks', () => {
  it.each([
    [['--header', 'Authorization: SECRET']],
    [['--header', 'Authorization: Bearer SECRET']],
    [['--header=Authorization:Bearer SECRET']],
    [['-H', 'X-Api-Key: SECRET']],
    [['-H', 'Cookie: a=SECRET; b=SECRET']],
    [['--api-key', 'SECRET']],
    [['--api-key', '-SECRET']],
    [['--api-key=SECRET']],
    [['--apiKey', 'SECRET']],
    [['API_KEY=SECRET']],
    [['-e', 'GITHUB_TOKEN=SECRET']],
    [['say', 'then Bearer SECRET and more']],
    [['say', 'basic SECRET']],
    [['--env=DB_PASSWORD=SECRET']],
    [['-c', 'helper -v --password SECRET x']],
    [['-c', 'PASSWORD=-SECRET helper']],
    [['{"env": {"DB_PASSWORD": "SECRET"}}']],
    [['{\\"password\\": \\"SECRET SECRET\\"}']],
    [['https://u:SECRET@x.example/']],
    [['--url=https://SECRET@x.example/']],
    [['https://x.example/?api_key=SECRET&b=1']],
    [['-c', 'TOKEN=SECRET npx server --token SECRET --password="SECRET SECRET"']],
    [['-c', "curl -H 'Authorization: SECRET SECRET' x"]],
    [['{"Authorization": "SECRET"}']],
    [['{"api_key": "SECRET SECRET"}']],
    [['--key', 'sk-SECRET']],
    [['the key is sk-SECRET']],
  ])('MC-8: %j', (args) => {
    const shown = JSON.stringify(maskServer({ command: 'x', args }));
    expect(shown).not.toContain('SECRET');
    expect(shown).toContain('••••');
  });

  it.each([
    'printf \'{"Authorization": "Bearer SECRET"}\'',
    'echo "{\\"Authorization\\": \\"Bearer SECRET\\"}"',
    'helper --token SECRET --region eu',
    'API_TOKEN=SECRET helper',
    'curl https://me:SECRET@x.example/',
  ])('MC-8: headersHelper: %s', (headersHelper) => {
    expect(JSON.stringify(maskServer({ type: 'http', url: 'https://x', headersHelper }))).not.toContain('SECRET');
  });

  it('MC-8: what is not secret is shown', () => {
    const args = [
      '-y',
      '@modelcontextprotocol/server-filesystem@1.2.3',
      '--root',
      './a b',
      '--token',
      '${TOKEN}',
      '--header',
      'Authorization: Bearer ${TOKEN}',
      'https://x.example/a?page=2',
      '--verbose',
      'LEVEL=high',
      '--auth',
      '--verbose',
    ];
    const shown = maskServer({
      command: 'npx',
      args,
      headersHelper: './headers.sh --token "$TOKEN"',
    });
    expect(shown).toEqual({ command: 'npx', args, headersHelper: './headers.sh --token "$TOKEN"' });
  });

  it('MC-8: a long text takes no time', () => {
    const text = `${'a'.repeat(50_000)} ${'--token='.repeat(5_000)}${'--key '.repeat(5_000)}"${' '.repeat(50_000)}`;
    expect(maskServer({ command: 'x', args: [text] })).toBeDefined();
  });
});
