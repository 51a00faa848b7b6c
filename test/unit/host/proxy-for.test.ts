import { expect, it } from 'vitest';
import { proxyFor } from '../../../src/host/node-network.js';

const PROXY = 'http://proxy.example:3128';

const find = (url: string, env: Readonly<Record<string, string>>) => proxyFor(new URL(url), env);

it('SF-7: each scheme has its variable, ALL_PROXY is for both, lower case wins', () => {
  expect(find('https://a.example/', { HTTPS_PROXY: PROXY })).toBe(PROXY);
  expect(find('http://a.example/', { HTTPS_PROXY: PROXY })).toBeUndefined();
  expect(find('http://a.example/', { ALL_PROXY: PROXY })).toBe(PROXY);
  expect(find('https://a.example/', { HTTPS_PROXY: 'http://other', https_proxy: PROXY })).toBe(PROXY);
  expect(find('https://a.example/', { https_proxy: '', HTTPS_PROXY: PROXY })).toBe(PROXY);
});

it.each([
  ['*', true],
  ['a.example', true],
  ['.example', true],
  ['*.example', true],
  ['b.example, a.example', true],
  ['a.example:443', true],
  ['a.example:8443', false],
  ['xa.example', false],
  ['ample', false],
  ['', false],
])('SF-7: NO_PROXY=%s exempts https://a.example: %s', (rule, exempt) => {
  const found = find('https://A.example/', { HTTPS_PROXY: PROXY, NO_PROXY: rule });
  expect(found).toBe(exempt ? undefined : PROXY);
});
