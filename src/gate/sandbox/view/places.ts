/** Mounts are made by name: before a command starts, each name must still be what was looked at. */

import type { SyncFiles } from '../../../host/files.js';
import type { RecordedPath } from '../sandbox.js';

/** Of real paths. What is missing is no place. */
export function recordPlaces(paths: readonly string[], files: SyncFiles): readonly RecordedPath[] {
  return [...new Set(paths)].flatMap((path) => {
    const identity = files.lstat(path)?.identity;
    return identity === undefined ? [] : [{ path, identity }];
  });
}

/** The first that is gone, reached through a link by now, or another file or folder. */
export function findMoved(places: readonly RecordedPath[], files: SyncFiles): string | undefined {
  return places.find(({ path, identity }) => {
    return files.realpath(path) !== path || files.lstat(path)?.identity !== identity;
  })?.path;
}
