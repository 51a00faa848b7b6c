/** A child must be able to commit, also where the person never told git who they are. */

import type { Git } from '../../host/git/git.js';
import { type Host, withEnvironment } from '../../host/host.js';

export async function hostWithIdentity(host: Host, git: Git): Promise<Host> {
  const known = await git(['var', 'GIT_COMMITTER_IDENT'], { cwd: host.folder });
  return known.ok ? host : withEnvironment(host, { ...IDENTITY, ...given(host.env) });
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Coppice',
  GIT_AUTHOR_EMAIL: 'coppice@localhost',
  GIT_COMMITTER_NAME: 'Coppice',
  GIT_COMMITTER_EMAIL: 'coppice@localhost',
} as const;

/** A variable that is set but empty is none. */
function given(env: Host['env']): Host['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !(name in IDENTITY) || value));
}
