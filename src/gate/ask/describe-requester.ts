/** Describes the requester for a question. */

import type { PermissionQuestion } from '../../protocol/permission.js';
import type { Requester } from '../requester.js';

export function describeRequester({ id, type, depth, name, task, worktree }: Requester): PermissionQuestion['agent'] {
  return {
    id,
    type,
    depth,
    ...(name === undefined ? {} : { name }),
    ...(task === undefined ? {} : { task }),
    ...(worktree === undefined
      ? {}
      : { worktree: { name: worktree.name, path: worktree.path, branch: worktree.branch } }),
  };
}
