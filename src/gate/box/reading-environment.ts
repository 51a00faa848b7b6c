/** The environment of a command that only reads, where it is not confined: nothing of the project or of a pager runs. */

import { isAbsolute } from 'node:path';
import type { Environment } from '../../host/host.js';
import { isWithin } from '../permissions/paths/resolve-path.js';
import { readingGitEnvironment } from './git-environment.js';

export type ReadingPlace = {
  /** The folders the agent works in: no program is taken from there. */
  readonly roots: readonly string[];
  /** The person trusts the repository. */
  readonly trusted: boolean;
};

export function readingEnvironment(env: Environment, { roots, trusted }: ReadingPlace): Environment {
  const { LESSOPEN: _, LESSCLOSE: __, PATH = '', ...rest } = env;
  const path = PATH.split(':').filter((folder) => isAbsolute(folder) && !roots.some((root) => isWithin(folder, root)));
  return { ...readingGitEnvironment(rest, [], { trusted }), PATH: path.join(':'), LESSSECURE: '1' };
}
