/** Adds a git identity, so that a child can commit even if the user never configured one. */

import type { Git } from '../../host/git/git.js';
import { OWN_IDENTITY } from '../../host/git/own-identity.js';
import { type Host, withEnvironment } from '../../host/host.js';

export async function hostWithIdentity(host: Host, git: Git): Promise<Host> {
  const known = await git(['var', 'GIT_COMMITTER_IDENT'], { cwd: host.folder });
  return known.ok ? host : withEnvironment(host, { ...OWN_IDENTITY, ...given(host.env) });
}

/** A variable set to an empty value is ignored. */
function given(env: Host['env']): Host['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !(name in OWN_IDENTITY) || value));
}
