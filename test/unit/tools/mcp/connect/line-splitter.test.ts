/** Lines of any length, cut into pieces anywhere. */

import { expect, it } from 'vitest';
import { replaceDropped } from '../../../../../src/tools/mcp/connect/channels/dropped-answer.js';
import { LineSplitter } from '../../../../../src/tools/mcp/connect/channels/line-splitter.js';

function split(limit: number, pieces: readonly string[]) {
  const seen: string[] = [];
  const splitter = new LineSplitter(limit, {
    line: (line) => seen.push(line),
    dropped: (start, end) => seen.push(`dropped ${start.slice(0, 3)}…${end.slice(-3)}`),
  });
  for (const piece of pieces) splitter.push(Buffer.from(piece));
  return seen;
}

it('MC-6: lines come whole, and only those within the limit', () => {
  expect(split(5, ['ab', 'c\nd', 'e\n', '\n\n', '12345\n123456\nx\n'])).toEqual([
    'abc',
    'de',
    '12345',
    'dropped 123…456',
    'x',
  ]);
  expect(split(5, ['abc', 'def', 'ghi', 'jkl\nnext\n', 'never ended'])).toEqual(['dropped abc…jkl', 'next']);
  expect(split(4, [...'é\nabcdé\n'])).toEqual(['é', 'dropped abc…cdé']);
});

it('MC-6: a gigabyte in one line takes a kilobyte of memory', () => {
  const dropped: number[] = [];
  const splitter = new LineSplitter(1024, {
    line: () => expect.unreachable(),
    dropped: (start, end) => dropped.push(start.length, end.length),
  });
  const chunk = Buffer.alloc(65_536, 'x');
  for (let sent = 0; sent < 2 ** 30; sent += chunk.length) splitter.push(chunk);
  splitter.push(Buffer.from('\n'));
  expect(dropped).toEqual([512, 512]);
});

it('MC-6: whose answer was dropped is seen at its ends, and nowhere else', () => {
  const idOf = (start: string, end: string) => replaceDropped(start, end)?.id;
  expect(idOf('{"jsonrpc":"2.0","id":5,"result":{', '}}')).toBe(5);
  expect(idOf('{"id": 6, "jsonrpc":"2.0"', '}}')).toBe(6);
  expect(idOf('{"result":{"content":[', '},"jsonrpc":"2.0","id":7}')).toBe(7);
  expect(idOf('{"result":{', '},"id":8,"jsonrpc":"2.0"}\r')).toBe(8);
  expect(idOf('{"result":{', '"x","id":9}}')).toBeUndefined();
  expect(idOf('{"result":{', '\\"id\\":9}"}')).toBeUndefined();
  expect(idOf('{"jsonrpc":"2.0","method":"m","params":{"id":3', '}}')).toBeUndefined();
  expect(idOf('{"jsonrpc":"2.0","id":"text","result"', '}')).toBeUndefined();
});
