/** Makes what differs in every run the same, without moving a cell: paths, ids, times, the spinner, the last digits of counts. */

/** `shown`: pairs of equal length, what is there and what the picture has. */
export function evenOut(rows, shown) {
  const ids = new Map();
  const idFor = (found) => {
    if (!ids.has(found)) ids.set(found, digits(found.length, ids.size + 1));
    return ids.get(found);
  };
  return rows.map((cells) => {
    const before = cells.map(({ text }) => (text.length === 1 ? text : '\u0000')).join('');
    let after = before;
    for (const [is, has] of shown) after = after.replaceAll(is, has);
    after = after
      .replace(/(?<=agent-)[0-9a-f]{8}\b/g, idFor)
      .replace(/\b[0-9a-f]{17}\b/g, idFor)
      .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, idFor)
      .replace(/(?<=\()[0-9a-f]{7,8}(?=\))/g, idFor)
      .replace(/\b\d:\d\d\b/g, '0:04')
      .replace(/\b\d s\b/g, '4 s')
      // What a request costs depends on the digits of times in it.
      .replace(/\b(\d\d)\d{3}(?= in\b)/g, '$1000')
      .replace(/(?<=\$0\.0\d)\d\d\b/g, '00')
      .replace(/^[✻✽✶✳✢]/, '✻');
    if (after.length !== before.length) throw new Error(`a row changed its length: ${before}`);
    return cells.map((cell, column) => (after[column] === before[column] ? cell : { ...cell, text: after[column] }));
  });
}

/** Looks like an id, and is the same for the same count. */
function digits(length, count) {
  const source = '7f3a1c02e95d4b86';
  return Array.from({ length }, (_, index) => source[(index * 7 + count * 5) % 16]).join('');
}
