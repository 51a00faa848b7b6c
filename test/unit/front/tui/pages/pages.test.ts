/** Pages: a text, a list, a transcript of any size. */

import { describe, expect, test } from 'vitest';
import type { KeyEvent, NamedKey } from '../../../../../src/front/tui/input/key-event.js';
import { ListPage } from '../../../../../src/front/tui/pages/list-page.js';
import type { Page, PageHost } from '../../../../../src/front/tui/pages/page.js';
import { TextPage } from '../../../../../src/front/tui/pages/text-page.js';
import { TranscriptPage } from '../../../../../src/front/tui/pages/transcript-page.js';
import type { TranscriptReader } from '../../../../../src/front/tui/pages/transcript-window.js';
import type { Theme } from '../../../../../src/front/tui/theme/theme.js';
import { until } from '../../../../support/until.js';

const SIZE = { columns: 60, rows: 12 };
const theme = new Proxy({}, { get: () => (text: string) => text }) as unknown as Theme;

class TestHost implements PageHost {
  said: string[] = [];
  open(): void {}
  close(): void {
    this.said.push('closed');
  }
  paint(): void {}
  copy(text: string): Promise<string> {
    this.said.push(`copied ${text.length}`);
    return Promise.resolve('copied');
  }
  page(text: string): Promise<void> {
    this.said.push(`paged ${text.length}`);
    return Promise.resolve();
  }
}

function key(name: string): NamedKey {
  return { kind: 'key', name, ...(name.length === 1 ? { text: name } : {}) };
}

function type(page: Page, ...names: string[]): void {
  for (const name of names) page.press(key(name) as KeyEvent);
}

function shown(page: Page): string {
  return page.frame(SIZE, 0).rows.join('\n');
}

test('a text: scroll, search forward and back, copy, pager, close', () => {
  const pageHost = new TestHost();
  const rows = Array.from({ length: 100 }, (_, row) => (row % 30 === 29 ? `row ${row} wanted` : `row ${row}`));
  const page = new TextPage({ title: 'Diff', rows: () => rows, theme, pageHost });
  expect(shown(page)).toContain('row 0\n');
  type(page, 'pagedown');
  expect(shown(page)).toContain('row 8\n');
  type(page, '/', 'w', 'a', 'n', 't', 'enter');
  expect(shown(page)).toContain('row 29 wanted');
  type(page, 'n', 'n');
  expect(shown(page)).toContain('row 89 wanted');
  type(page, 'n');
  expect(shown(page)).toContain('not found');
  type(page, 'N', 'N');
  expect(shown(page)).toContain('row 29 wanted');
  type(page, 'G');
  expect(shown(page)).toContain('row 99');
  type(page, 'c', 'v', 'q');
  expect(pageHost.said).toEqual([expect.stringMatching(/copied/), expect.stringMatching(/paged/), 'closed']);
});

test('a list: filtered by typing, previewed before choosing', async () => {
  const pageHost = new TestHost();
  const items = Array.from({ length: 10_000 }, (_, item) => `session ${item}`);
  const chosen: string[] = [];
  const page = new ListPage({
    title: 'Resume',
    items: () => items,
    textOf: (item) => item,
    row: (item) => item,
    choose: (item) => chosen.push(item),
    preview: (item) => Promise.resolve([`about ${item}`]),
    theme,
    pageHost,
  });
  expect(shown(page)).toContain('› session 0');
  type(page, '9', '9', '9', '9');
  expect(shown(page)).toMatch(/1 of 10000[\s\S]*› session 9999/);
  type(page, 'space');
  await until(() => shown(page).includes('about session 9999'));
  type(page, 'enter', 'esc', 'esc', 'down');
  expect(chosen).toEqual(['session 9999']);
  expect(shown(page)).toContain('› session 1');
  type(page, 'end');
  expect(shown(page)).toContain('› session 9999');
  type(page, 'esc');
  expect(pageHost.said).toEqual(['closed']);
});

/** Records of 1,000 bytes each, made when read. */
class MadeTranscript implements TranscriptReader {
  read = 0;
  constructor(public records: number) {}

  size(): Promise<number> {
    return Promise.resolve(this.records * 1000);
  }

  before(place: number, bytes: number) {
    const to = Math.floor(place / 1000);
    return this.#piece(Math.max(0, to - Math.ceil(bytes / 1000)), to);
  }

  after(place: number, bytes: number) {
    const from = Math.floor(place / 1000);
    return this.#piece(from, Math.min(this.records, from + Math.ceil(bytes / 1000)));
  }

  find(text: string, from: number, way: 'up' | 'down'): Promise<number | undefined> {
    const number = Number(/record (\d+)/.exec(text)?.[1] ?? Number.NaN);
    const place = number * 1000;
    return Promise.resolve((way === 'down' ? place >= from : place < from) ? place : undefined);
  }

  #piece(from: number, to: number) {
    this.read += to - from;
    const events = Array.from({ length: to - from }, (_, index) => ({ seq: from + index, event: {} as never }));
    return Promise.resolve({ events, from: from * 1000, to: to * 1000 });
  }
}

describe('TU-9: the transcript of an agent', () => {
  function open(reader: MadeTranscript) {
    const pageHost = new TestHost();
    const page = new TranscriptPage({
      reader,
      newFold: () => ({ take: (_event, seq) => [{ kind: 'text', text: `record ${seq}` }] }),
      rowsOf: (item) => (item.kind === 'text' ? [`${item.text}.`] : []),
      head: () => ({
        name: 'fork-2',
        directive: 'find it',
        type: 'fork',
        model: 'opus',
        costUsd: 0.5,
        cacheShare: 0.98,
      }),
      theme,
      pageHost,
    });
    const untilShown = async (text: string) => {
      await until(() => shown(page).includes(text), text).catch((error: Error) => {
        throw new Error(`${error.message}\n${shown(page)}`);
      });
    };
    return { pageHost, page, untilShown };
  }

  test('any position in 100 MB is available after reading a few pieces', async () => {
    const reader = new MadeTranscript(100_000);
    const { page, untilShown } = open(reader);
    await untilShown('record 99999.');
    expect(shown(page)).toContain('fork-2 · fork · opus · $0.50 · cache 98%\nfind it');
    type(page, 'g');
    await untilShown('record 0.');
    type(page, '/', ...'record 50000.', 'enter');
    await untilShown('record 50000.');
    type(page, 'G');
    await untilShown('record 99999.');
    expect(reader.read).toBeLessThan(1000);
  });

  test('scrolled over many pieces, no row is missing', async () => {
    const { page, untilShown } = open(new MadeTranscript(2000));
    await untilShown('record 1999.');
    const numbers = () => [...shown(page).matchAll(/record (\d+)\./g)].map(([, number]) => Number(number));
    const seen = new Set(numbers());
    while (!seen.has(0)) {
      const top = Math.min(...seen);
      type(page, 'pageup');
      await until(() => (numbers()[0] ?? top) < top, `rows above ${top}`);
      for (const number of numbers()) seen.add(number);
    }
    expect(seen.size).toBe(2000);
  });

  test('the end is followed; a user who reads further up stays there', async () => {
    const reader = new MadeTranscript(50);
    const { page, untilShown } = open(reader);
    await untilShown('record 49.');
    reader.records = 55;
    page.refresh();
    await untilShown('record 54.');
    type(page, 'pageup');
    reader.records = 60;
    page.refresh();
    expect(shown(page)).not.toContain('record 54.');
    type(page, 'G');
    await untilShown('record 59.');
  });
});
