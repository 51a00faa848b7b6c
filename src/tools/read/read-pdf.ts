/** Reads a PDF as a document block: the whole file or the requested pages. */

import { basename } from 'node:path';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { ReadResponse } from '../../protocol/tools/read.js';
import { markOf } from '../edit/file-change.js';
import type { ToolContext } from '../tool.js';
import { type ReadTarget, readWhole } from './read-target.js';

const MAX_PAGES = 20;
const MAX_FILE_BYTES = 100 * 1024 * 1024;
/** Base64 adds a third, and the whole request must stay under 32 MB. */
const MAX_SENT_BYTES = 15 * 1024 * 1024;

export async function readPdf(
  target: ReadTarget,
  pages: string | undefined,
  { files }: ToolContext,
): Promise<ToolOutcome> {
  if (target.stat.size > MAX_FILE_BYTES) {
    return failed(
      `${target.shown} is ${target.stat.size} bytes; at most ${MAX_FILE_BYTES} can be opened. Split it with Bash (qpdf, pdftk) first.`,
    );
  }
  const bytes = await readWhole(target);
  const document = await openDocument(bytes);
  if ('problem' in document) return failed(`${target.shown} is not a readable PDF: ${document.problem}`);
  const requested = pages === undefined ? undefined : parsePages(pages, document.count);
  if (requested !== undefined && 'problem' in requested) return failed(`${target.shown}: ${requested.problem}`);
  const count = requested?.pages.length ?? document.count;
  if (count > MAX_PAGES) {
    return failed(
      `${target.shown} has ${document.count} pages; at most ${MAX_PAGES} can be read at a time. Give "pages", such as "1-${MAX_PAGES}".`,
    );
  }
  const sent = requested === undefined ? bytes : await document.extract(requested.pages);
  if (sent.length > MAX_SENT_BYTES) {
    return failed(
      `${target.shown}: ${count} pages are ${sent.length} bytes; at most ${MAX_SENT_BYTES} can be shown. Give fewer pages.`,
    );
  }
  files.set(target.real, markOf(bytes, target.stat));
  const title = requested === undefined ? basename(target.real) : `${basename(target.real)}, pages ${pages}`;
  const data = sent.toString('base64');
  const file = { filePath: target.shown, base64: data, originalSize: bytes.length };
  return {
    ...succeeded([{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data }, title }]),
    response: (): ReadResponse => ({ type: 'pdf', file }),
  };
}

type OpenDocument = { readonly count: number; extract(pages: readonly number[]): Promise<Buffer> };

async function openDocument(bytes: Buffer): Promise<OpenDocument | { readonly problem: string }> {
  const { PDFDocument } = await import('@cantoo/pdf-lib');
  try {
    const document = await PDFDocument.load(bytes, { updateMetadata: false });
    return {
      count: document.getPageCount(),
      extract: async (pages) => {
        const part = await PDFDocument.create();
        const copies = await part.copyPages(
          document,
          pages.map((page) => page - 1),
        );
        for (const page of copies) part.addPage(page);
        return Buffer.from(await part.save());
      },
    };
  } catch (error) {
    const reason = reasonOf(error);
    const locked = /encrypt|password/i.test(reason);
    return {
      problem: locked ? 'it is encrypted. Decrypt it with Bash (qpdf --decrypt) first.' : `${reason.slice(0, 300)}`,
    };
  }
}

type PageList = { readonly pages: readonly number[] } | { readonly problem: string };

/** Parses "1-5,8": pages from 1, in the given order, each once. */
function parsePages(value: string, count: number): PageList {
  const pages = new Set<number>();
  for (const part of value.split(',')) {
    const match = /^\s*(\d{1,9})\s*(?:-\s*(\d{1,9})?\s*)?$/.exec(part);
    if (match?.[1] === undefined)
      return { problem: `pages "${value}": "${part.trim()}" is not a page or range. Write it like "1-5,8".` };
    const from = Number(match[1]);
    const to = match[2] !== undefined ? Number(match[2]) : part.includes('-') ? count : from;
    if (from < 1 || to < from)
      return { problem: `pages "${value}": "${part.trim()}" is not an ascending range from 1.` };
    if (to > count) return { problem: `pages "${value}": the document has ${count} pages.` };
    for (let page = from; page <= to; page++) pages.add(page);
  }
  return { pages: [...pages] };
}
