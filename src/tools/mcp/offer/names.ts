/**
 * The names under which what servers offer is declared: `mcp__server__tool`. The same servers and tools get the same
 * names in whatever order they come, and no two get the same one.
 */

import { createHash } from 'node:crypto';

/** What the API takes, and what every other provider takes too. */
const LONGEST = 64;

/** Each configured server's part of a name. It never holds `__`, so `mcp__S__T` splits at the first one after `mcp__`. */
export function nameServers(names: readonly string[]): ReadonlyMap<string, string> {
  return nameApart([...new Set(names)].sort(), serverPart);
}

/** Each tool's (or prompt's) part of a name within one server. Equal names are one. */
export function nameWithin(names: readonly string[]): ReadonlyMap<string, string> {
  return nameApart([...new Set(names)].sort(), toolPart);
}

export function longName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}

/** The names as declared: a long one is cut, and a hash of the whole tells it apart. */
export function fitNames(longNames: readonly string[]): ReadonlyMap<string, string> {
  const fitted = new Map(longNames.filter((name) => name.length <= LONGEST).map((name) => [name, name]));
  const taken = new Set(fitted.keys());
  for (const name of [...new Set(longNames)].filter((one) => one.length > LONGEST).sort()) {
    fitted.set(
      name,
      take(taken, (more) => {
        const hash = hashOf(name, 8 + more);
        return `${name.slice(0, LONGEST - hash.length - 1)}_${hash}`;
      }),
    );
  }
  return fitted;
}

/** Whoever is written exactly so, or has nobody beside it, keeps the plain part; the others get a hash of their name. */
function nameApart(names: readonly string[], partOf: (name: string) => string): ReadonlyMap<string, string> {
  const alike = new Map<string, string[]>();
  for (const name of names) alike.set(partOf(name), [...(alike.get(partOf(name)) ?? []), name]);
  const keeps = (name: string) => name === partOf(name) || alike.get(partOf(name))?.length === 1;
  const parts = new Map(names.filter(keeps).map((name) => [name, partOf(name)]));
  const taken = new Set(parts.values());
  for (const name of names) {
    if (!parts.has(name))
      parts.set(
        name,
        take(taken, (more) => `${partOf(name)}_${hashOf(name, 6 + more)}`),
      );
  }
  return parts;
}

/** The first that nobody has, with more and more of the hash. */
function take(taken: Set<string>, candidate: (more: number) => string): string {
  let more = 0;
  while (taken.has(candidate(more))) more += 2;
  taken.add(candidate(more));
  return candidate(more);
}

function serverPart(name: string): string {
  return plain(name).replace(/_+/g, '_').replace(/^_|_$/g, '') || 'server';
}

function toolPart(name: string): string {
  return plain(name) || 'tool';
}

function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, '_');
}

function hashOf(name: string, length: number): string {
  return createHash('sha256').update(name).digest('hex').slice(0, length);
}
