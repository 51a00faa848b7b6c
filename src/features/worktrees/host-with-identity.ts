/** A child must be able to commit, also where the person never told git who they are. */

import type { Git } from '../../host/git/git.js';
import { OWN_IDENTITY } from '../../host/git/own-identity.js';
import { type Host, withEnvironment } from '../../host/host.js';

export async function hostWithIdentity(host: Host, git: Git): Promise<Host> {
  const known = await git(['var', 'GIT_COMMITTER_IDENT'], { cwd: host.folder });
  return known.ok ? host : withEnvironment(host, { ...OWN_IDENTITY, ...given(host.env) });
}

/** A variable that is set but empty is none. */
function given(env: Host['env']): Host['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !(name in OWN_IDENTITY) || value));
}
