/**
 * Agents side by side, in rows (TU-31): result, cost, time, files changed by several, differences by file. In columns if
 * there is room for two, one after another otherwise.
 */

import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { duration, exactMoney, percent, plural, wholeCount } from '../../../protocol/format-numbers.js';
import type { ComparedAgent } from '../../commands/agents/comparison.js';
import { clip, pad, wrap } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import { patchRows } from './patch-rows.js';

export type Compared = {
  readonly agents: readonly ComparedAgent[];
  readonly shared: readonly { readonly path: string; readonly by: readonly string[] }[];
};

type RowStyle = { readonly width: number; readonly theme: Theme };

/** Narrower columns are hard to read. */
const LEAST_COLUMN = 56;
const BETWEEN = ' │ ';
const MOST_RESULT_ROWS = 12;

export function comparisonRows({ agents, shared }: Compared, look: RowStyle): readonly string[] {
  const { theme, width } = look;
  const heads = agents.map((agent, index) => (narrow: RowStyle) => headRows(agent, index, narrow));
  const several = shared.map(({ path, by }) => clip(`  ${escapeToLine(path)}: ${stripToLine(by.join(', '))}`, width));
  return [
    ...sideBySide(heads, look),
    ...(several.length === 0 ? [] : [theme.heading('Changed by several'), ...several, '']),
    ...differences(agents, look),
  ];
}

/** The number is the key that applies it. */
function headRows(agent: ComparedAgent, index: number, { width, theme }: RowStyle): readonly string[] {
  const { label, snapshot, result, files, worktree, reason } = agent;
  const { status, elapsedMs, turns, tokensIn, tokensOut, cacheShare, costUsd, description } = snapshot;
  const cached = cacheShare === undefined ? '' : `, cache ${percent(cacheShare)}`;
  const figures = [
    status,
    duration(elapsedMs),
    costUsd === undefined ? 'cost unknown' : exactMoney(costUsd),
    plural(turns, 'turn'),
    `${wholeCount(tokensIn)} in, ${wholeCount(tokensOut)} out${cached}`,
  ].join(' · ');
  const resultRows = wrapAll(result ?? (reason === undefined ? '(no reply yet)' : ''), width - 2);
  const more = resultRows.length - MOST_RESULT_ROWS;
  const changed = files.length === 0 ? 'no files changed' : `${plural(files.length, 'file')} changed`;
  return [
    clip(`${theme.accent(String(index + 1))} ${theme.bold(stripToLine(label))}`, width),
    ...wrapAll(description, width - 2).map((row) => `  ${row}`),
    ...wrapAll(figures, width - 2).map((row) => `  ${theme.dim(row)}`),
    ...resultRows.slice(0, MOST_RESULT_ROWS).map((row) => `  ${row}`),
    ...(more > 0 ? [theme.dim(`  … +${plural(more, 'row')}`)] : []),
    clip(`  ${changed}${worktree === undefined ? '' : ` in the worktree ${stripToLine(worktree)}`}`, width),
    ...(reason === undefined ? [] : wrapAll(reason, width - 4).map((row) => theme.warn(`  ! ${row}`))),
    '',
  ];
}

/** Files changed by several come first: there is something to choose. */
function differences(agents: readonly ComparedAgent[], look: RowStyle): readonly string[] {
  const { theme, width } = look;
  const patches = agents.map(({ diff }) => patchesIn(diff ?? ''));
  const paths = [...new Set(patches.flatMap((byPath) => [...byPath.keys()]))];
  const countOf = (path: string) => patches.filter((byPath) => byPath.has(path)).length;
  const ordered = paths.toSorted((a, b) => countOf(b) - countOf(a));
  return ordered.flatMap((path) => {
    const made = patches.flatMap((byPath, index) => {
      const patch = byPath.get(path);
      const title = theme.accent(`${index + 1} ${stripToLine(agents[index]?.label ?? '')}`);
      if (patch === undefined) return [];
      return [(narrow: RowStyle) => [clip(title, narrow.width), ...patchRows(patch, narrow), '']];
    });
    return [clip(theme.heading(escapeToLine(path)), width), ...sideBySide(made, look)];
  });
}

/** Git's patch of each file, without the lines that only name it. */
function patchesIn(diff: string): ReadonlyMap<string, string> {
  const parts = diff.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
  return new Map(
    parts.map((part) => {
      const path = /^diff --git .* "?b\/(.*?)"?$/m.exec(part)?.[1] ?? part.split('\n', 1)[0] ?? '';
      const lines = part.split('\n').filter((line) => !/^(?:diff --git|index|---|\+\+\+) /.test(line));
      return [path, lines.join('\n')];
    }),
  );
}

/** Each renders its rows for a width. As many columns as fit. */
function sideBySide(
  makers: readonly ((look: RowStyle) => readonly string[])[],
  { width, theme }: RowStyle,
): readonly string[] {
  const most = Math.floor((width + BETWEEN.length) / (LEAST_COLUMN + BETWEEN.length));
  const columns = Math.max(1, Math.min(most, makers.length));
  if (columns === 1) return makers.flatMap((make) => make({ width, theme }));
  const each = Math.floor((width - BETWEEN.length * (columns - 1)) / columns);
  const rows: string[] = [];
  for (let from = 0; from < makers.length; from += columns) {
    const made = makers.slice(from, from + columns).map((make) => make({ width: each, theme }));
    const height = Math.max(...made.map((one) => one.length));
    for (let at = 0; at < height; at += 1) {
      rows.push(
        made
          .map((one) => pad(one[at] ?? '', each))
          .join(theme.dim(BETWEEN))
          .trimEnd(),
      );
    }
  }
  return rows;
}

function wrapAll(text: string, width: number): readonly string[] {
  return stripControls(text.trim())
    .split('\n')
    .flatMap((line) => wrap(line, Math.max(1, width)));
}
