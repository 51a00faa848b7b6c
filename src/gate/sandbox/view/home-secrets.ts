/** What of the home stays hidden in the box, wherever it lies in something that is shown. */

import { join } from 'node:path';
import { configDir, coppiceHome, userHome } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import type { Mount } from '../mounts/mounts.js';

const SECRETS =
  `.ssh .gnupg .aws .azure .kube .docker .netrc .pgpass .my.cnf .npmrc .pypirc .git-credentials .password-store
  .claude.json .config/gh .config/git/credentials .config/gcloud .config/op .config/hub .config/rclone .config/google-chrome
  .config/chromium .config/BraveSoftware .mozilla .thunderbird .local/share/keyrings .local/share/kwalletd
  .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml
  .gradle/gradle.properties .terraform.d .bash_history .zsh_history`.split(/\s+/);

/** Covers for what lies in one of these folders. Our own state may contain folders that are shown. */
export function hideHomeSecrets(host: Host, shown: readonly string[]): readonly Mount[] {
  const isInside = ({ path }: Mount) => shown.some((folder) => folder !== path && isWithin(path, folder));
  const own = realPath(host, coppiceHome(host.env));
  const covers = findHomeSecrets(host).map(
    (path): Mount => ({ kind: host.files.sync.lstat(path)?.kind === 'folder' ? 'hide-folder' : 'hide-file', path }),
  );
  return [...covers, ...(own === undefined ? [] : [{ kind: 'empty', path: own } as const])].filter(isInside);
}

/** Real paths of those that exist; not our own state. */
export function findHomeSecrets(host: Host): readonly string[] {
  const home = userHome(host.env);
  const paths = [...SECRETS.map((name) => join(home, name)), join(configDir(host.env), '.credentials.json')];
  return paths.flatMap((path) => realPath(host, path) ?? []);
}

/** Undefined if it is missing, or can't be looked at: then the command can't either. */
function realPath(host: Host, path: string): string | undefined {
  try {
    // Most are missing, and this costs less for those.
    return host.files.sync.lstat(path) && host.files.sync.realpath(path);
  } catch {
    return undefined;
  }
}
