/** Where a sign-in may send anything (MC-24, MC-25). */

import * as sdk from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { signInReason } from '../../../../../src/tools/mcp/connect/explain-error.js';
import { isIssuerConfigured } from '../../../../../src/tools/mcp/oauth/configured-issuer.js';
import { loginCommand, refuseAddress, showAddress } from '../../../../../src/tools/mcp/oauth/remote-server.js';
import { remote } from '../../../../support/mcp/sign-in-actor.js';

describe('an address of a sign-in', () => {
  it('MC-24: is https, or on this machine if who names it is there too', () => {
    const refused = (url: string, requester: string) => refuseAddress(new URL(url), new URL(requester)) !== undefined;
    const here = 'http://localhost:1/mcp';
    const there = 'https://mcp.example/mcp';
    for (const url of [
      'http://localhost:2/a',
      'http://127.0.0.1/a',
      'http://127.8.8.8/a',
      'http://[::1]:3/',
      'http://as.localhost/',
    ]) {
      expect([url, refused(url, here), refused(url, there)]).toEqual([url, false, true]);
    }
    for (const url of [
      'http://example.com/',
      'http://localhost.example.com/',
      'http://127.0.0.1.example.com/',
      'ftp://localhost/',
      'file:///x',
    ]) {
      expect([url, refused(url, here), refused(url, there)]).toEqual([url, true, true]);
    }
    expect([refused('https://as.example/', here), refused('https://as.example/', there)]).toEqual([false, false]);
    expect(refused('https://me:pass@as.example/', there)).toBe(true);
  });

  it('MC-25: of metadata identifies the issuer, in each of the usual forms; no other does', () => {
    const fits = (authServerMetadataUrl: string, issuer: string) =>
      isIssuerConfigured(remote('https://mcp.example/', { oauth: { authServerMetadataUrl } }), issuer);
    for (const url of [
      'https://as.example/.well-known/oauth-authorization-server/realms/a',
      'https://as.example/.well-known/openid-configuration/realms/a',
      'https://as.example/realms/a/.well-known/openid-configuration',
      'https://as.example/realms/a/.well-known/oauth-authorization-server',
    ]) {
      expect([url, fits(url, 'https://as.example/realms/a')]).toEqual([url, true]);
      expect([url, fits(url, 'https://as.example/realms/b')]).toEqual([url, false]);
      expect([url, fits(url, 'not a URL')]).toEqual([url, false]);
    }
    expect(fits('https://as.example/metadata.json', 'https://other.example')).toBe(true);
  });

  it('MC-25: is shown without what may be secret; a name is quoted for the shell', () => {
    expect(showAddress(new URL('https://me:pass@as.example/a?token=1#2'))).toBe('https://as.example/a');
    expect(loginCommand('sentry')).toBe('coppice mcp login sentry');
    expect(loginCommand("a'; rm x")).toBe("coppice mcp login 'a'\\''; rm x'");
    expect(signInReason(sdk, '$(id)', new Error('401'))).toMatch(/run: coppice mcp login '\$\(id\)'$/);
  });
});
