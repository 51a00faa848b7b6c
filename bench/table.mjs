/** Formats results as a table: ours, the floor, the ratio, the target, and the previous ratio. */

export function printTable(rows, before) {
  const lines = [['', 'unit', 'floor', 'ours', 'ratio', 'to reach', '', 'last time']];
  for (const row of rows) {
    if (row.notYet !== undefined) lines.push([row.name, '', '', 'not yet', '', '', '', row.notYet]);
    else
      lines.push([
        row.name,
        row.unit,
        show(row.floor),
        show(row.ours),
        ratioText(row),
        ...bar(row),
        change(row, before),
      ]);
  }
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const line of lines) {
    const cells = line.map((cell, column) =>
      isNumeric(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
    );
    console.log(cells.join('  ').trimEnd());
  }
}

function ratioOf({ floor, ours }) {
  return floor === undefined || floor <= 0 ? undefined : ours / floor;
}

/** True if the row reaches its target. Undefined without a target. */
function isReached({ target, ...row }) {
  if (target === undefined) return undefined;
  const checks = [
    target.ratio === undefined || row.ours <= target.ratio * row.floor + (target.plus ?? 0),
    target.most === undefined || row.ours <= target.most,
    target.least === undefined || row.ours >= target.least,
  ];
  return checks.every(Boolean);
}

function bar(row) {
  const { ratio, plus, most, least } = row.target ?? {};
  const words = [
    ratio !== undefined && `≤ ${ratio} × floor${plus === undefined ? '' : ` + ${plus}`}`,
    most !== undefined && `≤ ${most}`,
    least !== undefined && `≥ ${show(least)}`,
  ].filter(Boolean);
  const reached = isReached(row);
  return [words.join(', '), reached === undefined ? '' : reached ? 'yes' : 'NO'];
}

function change(row, before) {
  const last = before.get(row.name);
  if (last === undefined) return '';
  const [now, then] = [ratioOf(row) ?? row.ours, ratioOf(last) ?? last.ours];
  const percent = Math.round((now / then - 1) * 100);
  return `${ratioText(last) || show(last.ours)} (${percent > 0 ? '+' : ''}${percent} %)`;
}

export function ratioText(row) {
  return ratioOf(row)?.toFixed(2) ?? '';
}

export function show(value) {
  if (value === undefined) return '–';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}

function isNumeric(column) {
  return column >= 2 && column <= 4;
}
