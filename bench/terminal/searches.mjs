/** What is searched while a user types or pages: a file among 50,000, a place in a transcript of 100 MB. */

import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSource } from '../source.mjs';

const FILES = 50_000;
const WORDS = '@src/comp42';
const MEGABYTES = 100;
const PLACES = 40;

export async function measureSearches(stage) {
  const parts = await loadSource(
    stage,
    `export { CompletionMenu } from './src/front/tui/input/completion/completion-menu.ts';
     export { Editor } from './src/front/tui/input/editor/editor.ts';
     export { TranscriptWindow } from './src/front/tui/pages/transcript-window.ts';
     export { transcriptReader } from './src/engine/inspect/transcript-reader.ts';
     export { ItemFold } from './src/front/view/items/item-fold.ts';
     export { itemRows } from './src/front/tui/parts/item-rows.ts';
     export { chooseTheme } from './src/front/tui/theme/choose-theme.ts';
     export { nodeHost } from './src/host/node-host.ts';`,
  );
  return [await completion(parts), await places(stage, parts)];
}

/** The slowest of the keys, the first one with the list of files included. */
async function completion({ CompletionMenu, Editor, chooseTheme }) {
  const paths = Array.from(
    { length: FILES },
    (_, n) => `src/part${Math.floor(n / 500)}/folder${Math.floor(n / 20)}/component-${n}.ts`,
  );
  const theme = chooseTheme({ level: 24, background: 'dark' });
  let filled = () => {};
  const sources = { commands: () => [], files: async () => paths, agents: () => [] };
  const menu = new CompletionMenu(sources, () => filled());
  const editor = new Editor();
  const waits = [];
  for (const [index, key] of [...WORDS].entries()) {
    const loaded = index === 0 ? new Promise((resolve) => (filled = resolve)) : undefined;
    const began = performance.now();
    editor.insert(key);
    menu.update(editor);
    await loaded;
    menu.rows(100, 10, theme);
    waits.push(performance.now() - began);
  }
  return figure(`completion among ${FILES.toLocaleString('en')} files, slowest key`, waits, 50);
}

async function places(stage, { TranscriptWindow, transcriptReader, ItemFold, itemRows, chooseTheme, nodeHost }) {
  const path = join(stage.scratch, 'long.jsonl');
  const size = await writeTranscript(path, MEGABYTES * 1024 * 1024);
  const theme = chooseTheme({ level: 24, background: 'dark' });
  const waits = [];
  for (let n = 0; n < PLACES; n += 1) {
    // As a page does it when it is opened: nothing is kept from the last one.
    const window = new TranscriptWindow({
      reader: transcriptReader(nodeHost(stage.project).files, path),
      newFold: () => new ItemFold(),
      rowsOf: (item, width) => itemRows(item, { width, theme, cwd: stage.project }),
    });
    const place = Math.floor(((n * 0.618) % 1) * size);
    const began = performance.now();
    await window.openAt(place);
    waits.push(performance.now() - began);
    if (window.rows.length === 0) throw new Error(`nothing to see at ${place}`);
  }
  await rm(path);
  return figure(`any place of a transcript of ${MEGABYTES} MB, slowest of ${PLACES}`, waits, 200);
}

async function writeTranscript(path, size) {
  const file = await open(path, 'w');
  const words = 'lorem ipsum **dolor** sit `amet`, and so on.\n'.repeat(20);
  let bytes = 0;
  for (let seq = 1, part = ''; bytes < size; part = '') {
    for (; part.length < 1_000_000; seq += 1) {
      const block = { type: 'text', text: `${seq} ${words}` };
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
      const head = {
        v: 1,
        seq,
        uuid: `u${seq}`,
        parent: seq > 1 ? `u${seq - 1}` : null,
        ts: '2026-01-01T00:00:00.000Z',
      };
      const record = { kind: 'assistant-replied', response: `r${seq}`, model: 'm', stop: 'end_turn', usage };
      part += `${JSON.stringify({ ...head, ...record, requestBytes: 1, blocks: [block] })}\n`;
    }
    await file.write(part);
    bytes += part.length;
  }
  await file.close();
  return bytes;
}

function figure(name, waits, most) {
  return { name, unit: 'ms', ours: Math.max(...waits), target: { most }, samples: { ours: waits } };
}
