/** Reads the fields of a notice, the message that reports a finished task to an agent. */

import { type FrozenBlock, parseBlock } from '../../protocol/frozen-block.js';

export type NoticeFields = {
  readonly call: string | undefined;
  readonly status: string;
  readonly summary: string;
  readonly outputFile: string;
  readonly usage: string;
};

/** Short fields of a notice are escaped, so the first occurrence of each is ours. */
export function readNotice([frozen]: readonly FrozenBlock[]): NoticeFields {
  const block = frozen && parseBlock(frozen);
  const text = block?.type === 'text' ? block.text : '';
  const field = (name: string) => {
    const found = new RegExp(`^(?:.*>)?<${name}>(.*?)</${name}>`, 'm').exec(text)?.[1];
    return found === undefined ? undefined : unescapeField(found);
  };
  return {
    call: field('tool-use-id'),
    status: field('status') ?? 'completed',
    summary: field('summary') ?? '',
    outputFile: field('output-file') ?? '',
    usage: field('usage') ?? '',
  };
}

function unescapeField(field: string): string {
  const plain: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return field.replace(/&(lt|gt|quot|amp);/g, (_, name: string) => plain[name] ?? '');
}
