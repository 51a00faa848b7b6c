/** Reads and parses definition files. Unchanged files come from the cache. */

import type { Host } from '../../host/host.js';
import { readRegularFile } from '../../host/read-regular-file.js';
import type { Problem } from '../problem.js';
import { decodeText } from './decode-text.js';
import type { Definition, DefinitionCache, DefinitionOrigin, FreshlyParsed } from './definition-cache.js';
import type { FoundFile } from './find-definition-files.js';

export type LoadFiles<T extends Definition> = {
  readonly host: Host;
  readonly cache: DefinitionCache<T>;
  readonly originOf: (found: FoundFile) => DefinitionOrigin<T>;
  /** Called only when a file must be parsed, so that a session without definitions does not load the YAML parser. */
  readonly parser: () => Promise<Parse<T>>;
};

type Parse<T> = (
  text: string,
  origin: DefinitionOrigin<T>,
) => { readonly definition: T | undefined; readonly problems: readonly Problem[] };

export type LoadedFiles<T> = { readonly definitions: readonly T[]; readonly problems: readonly Problem[] };

const MAX_BYTES = 1024 * 1024;

export async function loadFiles<T extends Definition>(
  files: readonly FoundFile[],
  options: LoadFiles<T>,
): Promise<LoadedFiles<T>> {
  const { cache } = options;
  const loaded = await Promise.all(
    files.map((found) => {
      const origin = options.originOf(found);
      return (
        cache.find(found, origin) ?? parseFile(found, origin, options).then((parsed) => cache.add(found.file, parsed))
      );
    }),
  );
  await cache.save();
  return {
    definitions: loaded.flatMap(({ definition }) => (definition === undefined ? [] : [definition])),
    problems: loaded.flatMap((one) => one.problems),
  };
}

const GONE = 'it no longer exists';

async function parseFile<T extends Definition>(
  { file }: FoundFile,
  origin: DefinitionOrigin<T>,
  { host, parser }: LoadFiles<T>,
): Promise<FreshlyParsed<T>> {
  const read = await readRegularFile(host.files, file, { most: MAX_BYTES });
  const skipped = (reason: string): FreshlyParsed<T> => ({
    stat: read.kind === 'read' ? read.stat : undefined,
    problems: [{ severity: 'error', file, line: 1, message: `skipped: ${reason}` }],
  });
  if (read.kind !== 'read') return skipped(`cannot read the file: ${read.kind === 'absent' ? GONE : read.reason}`);
  const decoded = decodeText(read.bytes);
  if (decoded.kind === 'binary') return skipped('not a text file (it contains NUL bytes)');
  const parse = await parser();
  const { definition, problems } = parse(decoded.text, origin);
  const warnings: readonly Problem[] =
    decoded.warning === undefined ? [] : [{ severity: 'warning', file, line: 1, message: decoded.warning }];
  const parsed = { stat: read.stat, problems: [...warnings, ...problems] };
  return definition === undefined ? parsed : { ...parsed, definition };
}
