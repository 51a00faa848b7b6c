/** What stays hidden in the box where the home itself is a root, or inside one. */

import { join } from 'node:path';
import { configDir, coppiceHome, personHome } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import type { BoxMount } from '../linux/box-mounts.js';

const SECRETS =
  `.ssh .gnupg .aws .azure .kube .docker .netrc .pgpass .my.cnf .npmrc .pypirc .git-credentials .password-store
  .claude.json .config/gh .config/git/credentials .config/gcloud .config/op .config/hub .config/rclone .config/google-chrome
  .config/chromium .config/BraveSoftware .mozilla .thunderbird .local/share/keyrings .local/share/kwalletd
  .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml
  .gradle/gradle.properties .terraform.d .bash_history .zsh_history`.split(/\s+/);

/** Our own state may contain folders that are shown. */
export function hideHomeSecrets(host: Host): readonly BoxMount[] {
  const home = personHome(host.env);
  const own = coppiceHome(host.env);
  const paths = [...SECRETS.map((name) => join(home, name)), join(configDir(host.env), '.credentials.json')];
  const mounts: BoxMount[] = [];
  for (const path of [...paths, own]) {
    const real = realPath(host, path);
    const kind = real === undefined ? undefined : host.files.sync.lstat(real)?.kind;
    if (real === undefined || kind === undefined) continue;
    if (path === own) mounts.push({ kind: 'empty', path: real });
    else mounts.push({ kind: kind === 'folder' ? 'hide-folder' : 'hide-file', path: real });
  }
  return mounts;
}

/** Undefined if it is missing, or can't be looked at: then the command can't either. */
function realPath(host: Host, path: string): string | undefined {
  try {
    return host.files.sync.realpath(path);
  } catch {
    return undefined;
  }
}
