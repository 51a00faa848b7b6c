/** Reads `mcpServers` from a file or a text. On failure it gives a reason that does not quote the content. */

import type { Host } from '../../host/host.js';
import { readRegularFile } from '../../host/read-regular-file.js';
import { isDeeper, isObject } from '../../protocol/json/json-values.js';
import { findJsonPositions } from '../settings/json-positions.js';

export type ServerFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'read'; readonly servers: readonly NamedValue[] }
  | { readonly kind: 'refused'; readonly reason: string };

export type NamedValue = readonly [name: string, value: unknown];

const MAX_BYTES = 4 * 1024 * 1024;

/** `refuse` returns the reason if the file at this real path must not be read. */
export async function readServerFile(
  host: Host,
  file: string,
  refuse?: (realPath: string) => string | undefined,
): Promise<ServerFile> {
  const found = await readRegularFile(host.files, file, { most: MAX_BYTES, ...(refuse ? { refuse } : {}) });
  switch (found.kind) {
    case 'absent':
      return found;
    case 'refused':
      return { kind: 'refused', reason: `cannot read the file: ${found.reason}` };
    case 'read':
      return parseServers(found.bytes.toString('utf8'));
    default:
      return found satisfies never;
  }
}

export function parseServers(written: string): ServerFile {
  const text = written.replace(/^\uFEFF/, '');
  if (text.trim() === '') return { kind: 'read', servers: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not the parser's message: it quotes the text, and the file may be a link to something private.
    const at = findJsonPositions(text);
    const where = at.ok ? '' : `${at.message} (line ${at.position.line}, column ${at.position.column})`;
    return { kind: 'refused', reason: `not valid JSON: ${where}` };
  }
  if (!isObject(value)) return { kind: 'refused', reason: 'expected an object: {"mcpServers": {…}}' };
  const servers = value.mcpServers;
  if (servers === undefined) {
    const names = Object.keys(value).length;
    return names === 0
      ? { kind: 'read', servers: [] }
      : { kind: 'refused', reason: 'it has no "mcpServers": expected {"mcpServers": {"name": {"command": "…"}}}' };
  }
  // Later checks are recursive, and must not overflow the stack.
  if (isDeeper(servers, MOST_DEPTH)) return { kind: 'refused', reason: 'it is nested too deeply' };
  if (!isObject(servers)) return { kind: 'refused', reason: '"mcpServers" must be an object: name → server' };
  return { kind: 'read', servers: Object.entries(servers) };
}

const MOST_DEPTH = 50;
