/**
 * The declared names of what servers offer: `mcp__server__tool`. The same servers and tools get the same names in any
 * order, and no two get the same one.
 */

import { createHash } from 'node:crypto';

/** The limit of the API and of every other provider. */
const LONGEST = 64;

/**
 * Each configured server's part of a name. It never contains `__`, so `mcp__S__T` splits at the first one after
 * `mcp__`. Rules refer to the user's own servers, so a project's server never takes the part of one of those.
 */
export function nameServers(names: readonly string[], others: OtherServers = {}): ReadonlyMap<string, string> {
  const { foreign = new Set(), taken = [] } = others;
  const own = names.filter((name) => !foreign.has(name));
  const ofOthers = names.filter((name) => foreign.has(name));
  return nameApart([...inOrder(own, serverPart), ...inOrder(ofOthers, serverPart)], serverPart, taken);
}

export type OtherServers = {
  /** Servers of a project. */
  readonly foreign?: ReadonlySet<string>;
  /** Parts that are not available. */
  readonly taken?: readonly string[];
};

/** A server whose name is exactly its part comes first. */
function inOrder(names: readonly string[], partOf: (name: string) => string): readonly string[] {
  const sorted = [...new Set(names)].sort();
  return [...sorted.filter((name) => partOf(name) === name), ...sorted.filter((name) => partOf(name) !== name)];
}

/** Each tool's (or prompt's) part of a name within one server. Equal names are treated as one. */
export function nameWithin(names: readonly string[]): ReadonlyMap<string, string> {
  return nameApart(inOrder(names, toolPart), toolPart);
}

export function longName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}

/** The declared names: a long one is cut, with a hash of the whole to keep it unique. */
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

/** The first of several equal parts stays plain; the others get a hash of their name. */
function nameApart(
  names: readonly string[],
  partOf: (name: string) => string,
  others: readonly string[] = [],
): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const name of names) {
    if (!first.has(partOf(name)) && !others.includes(partOf(name))) first.set(partOf(name), name);
  }
  const parts = new Map([...first].map(([part, name]) => [name, part]));
  const taken = new Set([...parts.values(), ...others]);
  for (const name of names) {
    if (!parts.has(name))
      parts.set(
        name,
        take(taken, (more) => `${partOf(name)}_${hashOf(name, 6 + more)}`),
      );
  }
  return parts;
}

/** The first free candidate, with more and more of the hash. */
function take(taken: Set<string>, candidate: (more: number) => string): string {
  let more = 0;
  while (taken.has(candidate(more))) more += 2;
  taken.add(candidate(more));
  return candidate(more);
}

/** Its part if no other server has a similar name. */
export function serverPart(name: string): string {
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
