/** Finds values in text that vary by machine, day or chance. Pure. */

import type { Span } from './find-secrets.js';
import { rowOf } from './placeholders.js';

/** Values that a session knows when it starts. Paths are absolute, links resolved. */
export type KnownValues = {
  readonly folder?: string | undefined;
  readonly roots?: readonly string[];
  readonly repo?: string | undefined;
  readonly config?: string | undefined;
  readonly state?: string | undefined;
  readonly home?: string | undefined;
  readonly project?: string | undefined;
  readonly session?: string | undefined;
};

export type NamedSpan = Span & { readonly name: string };
/** The recording assigns its number. */
export type IdSpan = Span & { readonly family: string };

/** By placeholder name. Of two equal values, the first is used. */
export function namedValues(known: KnownValues): ReadonlyMap<string, string> {
  const { folder, roots = [], repo, config, state, home, project, session } = known;
  const more = roots.filter((root) => root !== folder).map((root, index) => [`root-${index + 2}`, root] as const);
  const all = [...Object.entries({ folder, repo, config, state, home, project, session }), ...more];
  return new Map(all.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])));
}

/** One list per value, the longest value first, so that a folder inside the home is recognised as that folder. */
export function findValues(text: string, values: ReadonlyMap<string, string>): NamedSpan[][] {
  const seen = new Set<string>();
  const order = [...values].sort(([, a], [, b]) => b.length - a.length);
  return order.flatMap(([name, value]) => {
    if (seen.has(value) || value === '/') return [];
    seen.add(value);
    if (name === 'session' && !isUuid(value)) return [findSessionPaths(text, value, values.get('project'))];
    const whole = occurrences(text, value).filter(({ start, end }) => isWhole(text, start, end));
    return [whole.map((span) => ({ ...span, name }))];
  });
}

function occurrences(text: string, value: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
    spans.push({ start: at, end: at + value.length });
  }
  return spans;
}

/** True if it is not part of a longer name: `/root` is not in `/rootfs`, nor in `/mnt/root`. */
function isWhole(text: string, start: number, end: number): boolean {
  if (/[A-Za-z0-9_.-]/.test(text[start - 1] ?? '')) return isEscaped(text, start);
  return !/^(?:[A-Za-z0-9_-]|\.[A-Za-z0-9_])/.test(text.slice(end, end + 2));
}

/** True after an escaped `\n` or `\t`, as in JSON. */
function isEscaped(text: string, start: number): boolean {
  return text[start - 2] === '\\' && /[nrt]/.test(text[start - 1] ?? '');
}

/** An id chosen by the user may be an ordinary word, so it is only replaced in paths. */
function findSessionPaths(text: string, session: string, project: string | undefined): NamedSpan[] {
  if (project === undefined) return [];
  const before = `${project}/`;
  return occurrences(text, `${before}${session}`).flatMap(({ start, end }) =>
    /[A-Za-z0-9_-]/.test(text[end] ?? '') ? [] : [{ start: start + before.length, end, name: 'session' }],
  );
}

const UUID = new RegExp(`^${rowOf('uuid-1')?.shape ?? ''}$`);

function isUuid(value: string): boolean {
  return UUID.test(value);
}

const ENVIRONMENT = '# Environment\nWorking folder: ';
const IN_ENVIRONMENT: readonly (readonly [name: string, line: RegExp])[] = [
  ['branch', new RegExp(`^Git repository: yes, at .*?, on (${rowOf('branch')?.shape ?? ''})`, 'd')],
  ['platform', new RegExp(`^Platform: (${rowOf('platform')?.shape ?? ''})$`, 'd')],
  ['date', new RegExp(`^Date: (${rowOf('date')?.shape ?? ''})$`, 'd')],
];
const OWN_LINES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['date', /(?<![^\n])Today is (\d{4}-\d\d-\d\d)\.(?![^\n<])/dg],
  ['date', /(?<![^\n])This session was left and goes on now \((\d{4}-\d\d-\d\d)\)\./dg],
  ['branch', /(?<![^\n])The repository is on (branch [^\s,()]+|commit [0-9a-f]{4,40}) now\.(?![^\n<])/dg],
  ['pid', /(?:was ended then|may still act): process (\d+) \(/dg],
  ['ms', /<usage>(?:tokens: \d+, tool calls: \d+, )?duration: (\d+) ms<\/usage>/dg],
];

/** Only in lines that we wrote ourselves: the same text elsewhere is not ours. */
export function findOwnLines(text: string): NamedSpan[] {
  const spans: NamedSpan[] = [];
  for (let at = text.indexOf(ENVIRONMENT); at !== -1; at = text.indexOf(ENVIRONMENT, at + ENVIRONMENT.length)) {
    let start = at;
    for (const line of text.slice(at, at + 20_000).split('\n', 8)) {
      for (const [name, pattern] of IN_ENVIRONMENT) {
        const [from, to] = pattern.exec(line)?.indices?.[1] ?? [0, 0];
        if (to > 0) spans.push({ start: start + from, end: start + to, name });
      }
      start += line.length + 1;
    }
  }
  for (const [name, pattern] of OWN_LINES) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices?.[1] ?? [0, 0];
      spans.push({ start, end, name });
    }
  }
  return spans;
}

const NOT_BEFORE = '(?<![0-9A-Za-z])';
const NOT_AFTER = '(?![0-9A-Za-z])';
const IDS: readonly (readonly [family: string, pattern: RegExp])[] = [
  ['agent', new RegExp(`${NOT_BEFORE}([0-9a-f]{17})${NOT_AFTER}`, 'dg')],
  ['shell', new RegExp(`${NOT_BEFORE}(sh-[0-9a-f]{8})${NOT_AFTER}`, 'dg')],
  ['tree', new RegExp(`${NOT_BEFORE}(?:agent|session)-([0-9a-f]{8})(?![0-9A-Za-z-])`, 'dg')],
  ['kept', /\/tool-results\/([0-9a-f]{12})(?=-)/dg],
  ['cell', /Inserted cell ([0-9a-f]{8}) in /dg],
  ['uuid', new RegExp(`${NOT_BEFORE}(${rowOf('uuid-1')?.shape ?? ''})${NOT_AFTER}`, 'dg')],
];

/** One list per family. */
export function findIds(text: string): IdSpan[][] {
  return IDS.map(([family, pattern]) =>
    [...text.matchAll(pattern)].map((match) => {
      const [start, end] = match.indices?.[1] ?? [0, 0];
      return { start, end, family };
    }),
  );
}

/** Cell ids have no distinctive shape, so only known ones are found. */
export function findCells(text: string, isKnown: (value: string) => boolean): IdSpan[] {
  return [...text.matchAll(/(?<![0-9A-Za-z])[0-9a-f]{8}(?![0-9A-Za-z])/g)].flatMap(({ 0: value, index }) =>
    isKnown(value) ? [{ start: index, end: index + value.length, family: 'cell' }] : [],
  );
}

/** The working folder of the agent, from the body of its request. */
export function folderOf(body: unknown): string | undefined {
  if (typeof body === 'string') return /(?:^|\n)# Environment\nWorking folder: ([^\n]+)/.exec(body)?.[1];
  if (typeof body !== 'object' || body === null) return undefined;
  for (const value of Object.values(body)) {
    const found = folderOf(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
