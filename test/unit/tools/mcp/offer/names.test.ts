/** The names of servers' tools: stable, apart, and such that every provider takes them. */

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createOffering } from '../../../../../src/tools/mcp/offer/make-tools.js';
import { fitNames, nameServers, nameWithin } from '../../../../../src/tools/mcp/offer/names.js';
import fc from '../../../../support/fast-check.js';
import { listed, offer, openServers, type SmallServer } from './offers.js';

const LIMITS = { maxTokens: 25_000, mostChars: 100_000 };
const DECLARED = /^[A-Za-z0-9_-]{1,64}$/;

function make(servers: Readonly<Record<string, SmallServer>>, order = (names: string[]) => names) {
  const offers = order(Object.keys(servers)).map((name) => offer(name, servers[name] ?? {}));
  return createOffering(openServers(servers), LIMITS).make(offers, nameServers(Object.keys(servers)));
}

describe('MC-3: names', () => {
  it('are mcp__server__tool, with what a name may not hold as _', () => {
    const { tools } = make({ 'my server!': { tools: [listed('read.file'), listed('a__b')] } });
    expect(tools.map(({ name }) => name)).toEqual(['mcp__my_server__a__b', 'mcp__my_server__read_file']);
  });

  it('split at the first __ after mcp__, for any server name', () => {
    const names = nameServers(['__a__b__', 'x__y', '_', '', '__proto__', '🌳', '-']);
    expect(Object.fromEntries([...names].filter(([name]) => !['', '_', '🌳'].includes(name)))).toEqual({
      __a__b__: 'a_b',
      x__y: 'x_y',
      ['__proto__']: 'proto',
      '-': '-',
    });
    for (const part of names.values()) expect(part).toMatch(/^(?!_)(?!.*__)[A-Za-z0-9_-]+(?<!_)$/);
  });

  it('of servers that would be alike get a hash, except the one that is written so', () => {
    const names = nameServers(['a.b', 'a b', 'a_b', 'c.d']);
    expect(names.get('a_b')).toBe('a_b');
    expect(names.get('c.d')).toBe('c_d');
    expect(names.get('a.b')).toMatch(/^a_b_[0-9a-f]{6}$/);
    expect(names.get('a b')).toMatch(/^a_b_[0-9a-f]{6}$/);
    expect(new Set(names.values()).size).toBe(4);
    expect(nameServers(['a.b', 'a_b']).get('a.b')).toBe(names.get('a.b'));
  });

  it('do not change when a server is configured but not there', () => {
    const servers = { 'a.b': { tools: [listed('x')] }, a_b: { tools: [listed('x')] } };
    const both = make(servers).tools.map(({ name }) => name);
    const one = createOffering(openServers(servers), LIMITS).make(
      [offer('a.b', servers['a.b'])],
      nameServers(['a_b', 'a.b']),
    );
    expect(both).toContain(one.tools[0]?.name);
  });

  it('a hash that is written as a name is distinguished, too', () => {
    const hashed = nameServers(['a.b', 'a_b']).get('a.b') ?? '';
    const names = nameServers(['a.b', 'a_b', hashed]);
    expect(names.get(hashed)).toBe(hashed);
    expect(new Set(names.values()).size).toBe(3);
  });

  it('hashes with equal beginnings are distinguished in any order', () => {
    const byHash = new Map<string, string>();
    for (let n = 0; ; n += 1) {
      const name = `a${[...n.toString(2)].map((digit) => (digit === '0' ? '.' : ' ')).join('')}b`;
      const hash = createHash('sha256').update(name).digest('hex').slice(0, 6);
      const other = byHash.get(hash);
      byHash.set(hash, name);
      if (other === undefined) continue;
      const names = nameServers([name, other]);
      expect(new Set(names.values()).size).toBe(2);
      expect(nameServers([other, name]).get(name)).toBe(names.get(name));
      return;
    }
  });

  it('within one server: the first of the same name is used, the others are reported', () => {
    const { tools, dropped } = make({
      s: { tools: [listed('x', { description: 'first' }), listed('x'), listed('y')] },
    });
    expect(tools.map(({ name }) => name)).toEqual(['mcp__s__x', 'mcp__s__y']);
    expect(tools[0]?.description).toContain('first');
    expect(dropped).toEqual([expect.stringMatching(/tool x of the MCP server s .*another of the same name/)]);
  });

  it('property: the same offers in any order give the same names, none twice, all as the API takes them', () => {
    const odd = fc.oneof(
      fc.constantFrom(
        '',
        '_',
        '__proto__',
        'constructor',
        'a.b',
        'a_b',
        'a b',
        '🌳',
        '🌲',
        'x'.repeat(10_000),
        '\ud800',
      ),
      fc.string({ maxLength: 5, unit: fc.constantFrom('a', '_', '.', ' ', '-', 'é') }),
      fc.string({ minLength: 55, maxLength: 70, unit: fc.constantFrom('a', '_', '.') }),
    );
    const servers = fc.uniqueArray(fc.tuple(odd, fc.uniqueArray(odd, { maxLength: 8 })), {
      maxLength: 6,
      selector: ([name]) => name,
    });
    fc.assert(
      fc.property(servers, fc.infiniteStream(fc.nat()), (all, random) => {
        const shuffle = <T>(list: readonly T[]): T[] =>
          list
            .map((value) => ({ value, at: random.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ value }) => value);
        const offering = createOffering(openServers({}), LIMITS);
        const offersOf = (list: typeof all) =>
          list.map(([name, tools]) => offer(name, { tools: tools.map((tool) => listed(tool)) }));
        const first = offering.make(offersOf(all), nameServers(all.map(([name]) => name)));
        const mixed = shuffle(all.map(([name, tools]): [string, string[]] => [name, shuffle(tools)]));
        const second = offering.make(offersOf(mixed), nameServers(shuffle(all.map(([name]) => name))));
        const shown = (made: typeof first) =>
          made.tools.map(({ name, aliases, description }) => [name, aliases, description]);
        expect(shown(second)).toEqual(shown(first));
        const names = first.tools.map(({ name }) => name);
        expect(names).toEqual([...names].sort());
        expect(new Set(names).size).toBe(all.reduce((sum, [, tools]) => sum + tools.length, 0));
        for (const name of names) expect(name).toMatch(DECLARED);
      }),
    );
  });

  it('the same offer gives the same objects', () => {
    const servers = openServers({ s: { tools: [listed('x')] }, t: { tools: [listed('y')] } });
    const offering = createOffering(servers, LIMITS);
    const [first, second] = [
      offering.make(servers.offers, nameServers(['s', 't'])),
      offering.make([...servers.offers].reverse(), nameServers(['t', 's'])),
    ];
    expect(second.tools[0]).toBe(first.tools[0]);
    expect(second.tools[1]).toBe(first.tools[1]);
  });
});

describe('MC-17: long names', () => {
  const long = 'a_very_long_name_of_a_tool_that_goes_on_and_on_until_it_is_too_long_for_anybody';

  it('are cut, with a hash; the long one is another name of the tool', () => {
    const { tools } = make({ server: { tools: [listed(`${long}_one`), listed(`${long}_two`)] } });
    expect(new Set(tools.map(({ name }) => name)).size).toBe(2);
    for (const { name } of tools) expect(name).toMatch(/^mcp__server__a_very_long_name.*_[0-9a-f]{8}$/);
    expect(tools.flatMap(({ aliases }) => aliases).sort()).toEqual([
      `mcp__server__${long}_one`,
      `mcp__server__${long}_two`,
    ]);
    expect(tools[0]?.declare({}, { cwd: '/', home: '/' })).toEqual([
      { kind: 'mcp', server: 'server', tool: tools[0]?.aliases?.[0]?.slice('mcp__server__'.length) },
    ]);
  });

  it('a plugin server has its plugin in its name', () => {
    const { tools } = make({ plugin_tools_github: { tools: [listed('x')] } });
    expect(tools[0]?.name).toBe('mcp__plugin_tools_github__x');
  });

  it('a name that is written like the cut form of another stays, and the other differs', () => {
    const whole = `mcp__s__${long}`;
    const cut = fitNames([whole]).get(whole) ?? '';
    const both = fitNames([whole, cut]);
    expect(both.get(cut)).toBe(cut);
    expect(both.get(whole)).not.toBe(cut);
    expect(both.get(whole)).toMatch(DECLARED);
  });

  it('the name as written is another name, too', () => {
    const { tools } = make({ 'my server': { tools: [listed('do it')] } });
    expect(tools[0]?.aliases).toEqual(['mcp__my server__do it']);
    expect(nameWithin(['do it', 'do_it']).get('do_it')).toBe('do_it');
  });

  it('no name of a tool reads as one of another server', () => {
    const { tools } = make({ a: { tools: [listed('b__c')] }, a__b: { tools: [listed('c')] } });
    expect(tools.map(({ name, aliases = [] }) => [name, ...aliases])).toEqual([['mcp__a__b__c'], ['mcp__a_b__c']]);
  });
});
