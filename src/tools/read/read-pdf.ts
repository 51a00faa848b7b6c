/** Reads a PDF as a document block: the whole file or the requested pages. */

import { basename } from 'node:path';
import type * as PdfLibrary from '@cantoo/pdf-lib';
import { type Job, runApart } from '../../host/apart/run-apart.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { fail, type Result } from '../../protocol/result.js';
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
  { files, signal }: ToolContext,
): Promise<ToolOutcome> {
  if (target.stat.size > MAX_FILE_BYTES) {
    return failed(
      `${target.shown} is ${target.stat.size} bytes; at most ${MAX_FILE_BYTES} can be opened. Split it with Bash (qpdf, pdftk) first.`,
    );
  }
  const bytes = await readWhole(target);
  const document = await openDocument({ bytes }, signal);
  if (!document.ok) return failed(`${target.shown} ${document.reason}`);
  const requested = pages === undefined ? undefined : parsePages(pages, document.count);
  if (requested !== undefined && 'problem' in requested) return failed(`${target.shown}: ${requested.problem}`);
  const count = requested?.pages.length ?? document.count;
  if (count > MAX_PAGES) {
    return failed(
      `${target.shown} has ${document.count} pages; at most ${MAX_PAGES} can be read at a time. Give "pages", such as "1-${MAX_PAGES}".`,
    );
  }
  const part = requested === undefined ? undefined : await openDocument({ bytes, pages: requested.pages }, signal);
  if (part?.ok === false) return failed(`${target.shown} ${part.reason}`);
  const sent = part?.part === undefined ? bytes : Buffer.from(part.part);
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

/** A PDF can be made so that reading it takes minutes. Large honest ones take a few seconds. */
const DEADLINE_MS = 20_000;

/** `part`: the requested pages as a document of their own. */
type OpenDocument = { readonly count: number; readonly part?: Uint8Array };

type OpenRequest = { readonly bytes: Uint8Array; readonly pages?: readonly number[] };

async function openDocument(request: OpenRequest, signal: AbortSignal): Promise<Result<OpenDocument>> {
  const done = await runApart(open, request, { deadlineMs: DEADLINE_MS, signal });
  switch (done.kind) {
    case 'done':
      return { ok: true, ...done.value };
    case 'aborted':
      return fail('was not read: the call was interrupted.');
    case 'too-slow':
      return fail(
        `is not shown: reading it took longer than ${DEADLINE_MS / 1000} seconds. Split or repair it with Bash (qpdf, pdftotext) first.`,
      );
    case 'failed': {
      const locked = /encrypt|password/i.test(done.reason);
      const why = locked ? 'it is encrypted. Decrypt it with Bash (qpdf --decrypt) first.' : done.reason.slice(0, 300);
      return fail(`is not a readable PDF: ${why}`);
    }
  }
}

const open: Job<OpenRequest, OpenDocument> = async ({ bytes, pages }, load) => {
  const { PDFDocument } = load('@cantoo/pdf-lib') as typeof PdfLibrary;
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  const count = document.getPageCount();
  if (pages === undefined) return { count };
  const part = await PDFDocument.create();
  const indices = pages.map((page) => page - 1);
  for (const page of await part.copyPages(document, indices)) part.addPage(page);
  return { count, part: await part.save() };
};

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
