/**
 * The placeholders for values that vary: one table, for recording, replaying and docs/sim.md. A placeholder is written
 * `{{coppice:NAME}}`; a numbered one has several values in one recording.
 */

export type PlaceholderKind =
  /** Known when a session starts: must be the current value. If unknown, the first that matches. */
  | 'value'
  /** Random: anything of the shape at first, then always the same. */
  | 'id'
  /** Anything of the shape, each time. */
  | 'any'
  /** Anything of the shape up to the following text, each time. */
  | 'secret'
  /** The placeholder syntax itself, where it occurs in the text. */
  | 'literal';

export type PlaceholderRow = {
  /** Ends with `-N` if it is numbered. */
  readonly name: string;
  readonly kind: PlaceholderKind;
  /** A description for the documentation. */
  readonly standsFor: string;
  readonly found: string;
  readonly matches: string;
  /** The shape of an `id`, `any` or `secret`. */
  readonly shape?: string;
};

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const NOW = 'what it is now';
const SAME = 'one of that shape, the same throughout';

export const PLACEHOLDERS: readonly PlaceholderRow[] = [
  { name: 'folder', kind: 'value', standsFor: 'the working folder', found: 'as a path', matches: NOW },
  { name: 'root-N', kind: 'value', standsFor: 'a further folder (`--add-dir`)', found: 'as a path', matches: NOW },
  { name: 'repo', kind: 'value', standsFor: 'the top of the repository', found: 'as a path', matches: NOW },
  { name: 'config', kind: 'value', standsFor: 'the config folder (`~/.claude`)', found: 'as a path', matches: NOW },
  { name: 'state', kind: 'value', standsFor: 'our own folder (`~/.coppice`)', found: 'as a path', matches: NOW },
  { name: 'home', kind: 'value', standsFor: 'the home folder', found: 'as a path, unless it is `/`', matches: NOW },
  { name: 'project', kind: 'value', standsFor: "the project's folder in our own", found: 'as a word', matches: NOW },
  {
    name: 'session',
    kind: 'value',
    standsFor: "the session's id",
    found: 'as a word; your own (`--session-id`) only in our paths',
    matches: NOW,
  },
  {
    name: 'agent-N',
    kind: 'id',
    standsFor: "an agent's id",
    found: '17 hexadecimal digits',
    matches: SAME,
    shape: '[0-9a-f]{17}',
  },
  {
    name: 'shell-N',
    kind: 'id',
    standsFor: 'a command in the background',
    found: '`sh-` and 8 hexadecimal digits',
    matches: SAME,
    shape: 'sh-[0-9a-f]{8}',
  },
  {
    name: 'tree-N',
    kind: 'id',
    standsFor: "an agent's or a session's worktree and its branch",
    found: '8 hexadecimal digits after `agent-` or `session-`',
    matches: SAME,
    shape: '[0-9a-f]{8}',
  },
  {
    name: 'kept-N',
    kind: 'id',
    standsFor: 'output kept on disk',
    found: '12 hexadecimal digits after `/tool-results/`',
    matches: SAME,
    shape: '[0-9a-f]{12}',
  },
  {
    name: 'cell-N',
    kind: 'id',
    standsFor: 'a cell that NotebookEdit inserted',
    found: '8 hexadecimal digits, from `Inserted cell …` on',
    matches: SAME,
    shape: '[0-9a-f]{8}',
  },
  {
    name: 'uuid-N',
    kind: 'id',
    standsFor: 'another id of ours',
    found: 'a UUID of version 7',
    matches: SAME,
    shape: UUID,
  },
  {
    name: 'date',
    kind: 'any',
    standsFor: 'the date',
    found: 'in `# Environment`, `Today is …` and `This session was left and goes on now (…)`',
    matches: 'any date',
    shape: '\\d{4}-\\d\\d-\\d\\d',
  },
  {
    name: 'branch',
    kind: 'any',
    standsFor: 'the branch or commit',
    found: 'in `# Environment` and `The repository is on … now`',
    matches: 'any',
    shape: '(?:branch [^\\s,()]+|commit [0-9a-f]{4,40})',
  },
  {
    name: 'platform',
    kind: 'any',
    standsFor: 'system and processor',
    found: 'in `# Environment`',
    matches: 'any',
    shape: '[a-z0-9]+ [a-z0-9]+',
  },
  {
    name: 'ms',
    kind: 'any',
    standsFor: 'how long a task took',
    found: 'in `<usage>`',
    matches: 'any number',
    shape: '\\d+',
  },
  {
    name: 'pid',
    kind: 'any',
    standsFor: 'a process that was left and ended at a resume',
    found: 'in `… was ended then: process …`',
    matches: 'any number',
    shape: '\\d+',
  },
  {
    name: 'secret-N',
    kind: 'secret',
    standsFor: 'a key, token or password',
    found: 'see below',
    matches: 'anything within a line',
    shape: '[^\\n]+',
  },
  {
    name: 'lines-N',
    kind: 'secret',
    standsFor: 'a secret of several lines: a private key',
    found: 'see below',
    matches: 'anything',
    shape: '[^]+',
  },
  {
    name: 'literal',
    kind: 'literal',
    standsFor: '`{{coppice:` itself',
    found: 'in the text',
    matches: '`{{coppice:`',
  },
];

const BY_NAME = new Map(PLACEHOLDERS.map((row) => [row.name.replace(/-N$/, ''), row]));

/** The row of a placeholder as written in a text, with its number. */
export function rowOf(name: string): PlaceholderRow | undefined {
  const row = BY_NAME.get(name.replace(/-\d+$/, ''));
  return row !== undefined && row.name.endsWith('-N') === /-\d+$/.test(name) ? row : undefined;
}
