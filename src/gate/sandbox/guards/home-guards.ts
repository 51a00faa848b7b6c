/** What no rule lets a command change beyond the working folders: keys, and what decides which programs run later (GT-35). */

import { dirname, join } from 'node:path';
import { configDir, userHome } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import { cleanPath } from '../../../host/programs/clean-path.js';
import { realPath } from '../../permissions/paths/real-path.js';
import type { Guards } from './find-guards.js';

const PROTECTED = `.ssh .gnupg .aws .npmrc .gitconfig .config/git .claude .claude.json
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc
  .cshrc .tcshrc .login .inputrc .xprofile .xinitrc .xsession .xsessionrc .pam_environment .config/fish
  .config/environment.d .local/bin .config/autostart .config/systemd/user .local/share/systemd/user
  .bashrc.d .bash_completion .zshenv.local .mkshrc .config/zsh .cargo/env .cargo/config.toml .nvm/nvm.sh .netrc .git-credentials
  .pypirc .docker/config.json .kube/config .config/direnv .config/mise .tmux.conf .screenrc .vimrc .config/nvim .emacs .emacs.d/init.el
  .gdbinit .psqlrc .sqliterc .yarnrc .yarnrc.yml .forward`.split(/\s+/);

/** Names that are absent get no stub: nobody expects an empty folder in a home. */
export function guardHome(
  host: Host,
  roots: readonly string[],
  guards: Pick<Guards, 'reads' | 'pins' | 'links' | 'absent'>,
): void {
  const { sync } = host.files;
  const home = realPath(userHome(host.env), sync);
  if (home === undefined) return;
  // A program put into a folder of the PATH would run later, under any name.
  const folders = cleanPath(host, roots)
    .split(':')
    .filter((path) => path !== '');
  for (const path of new Set([...PROTECTED.map((name) => join(home, name)), configDir(host.env), ...folders])) {
    const stat = sync.lstat(path);
    const real = stat === undefined ? undefined : realPath(path, sync);
    if (real !== undefined) guards.reads.push(real);
    guards.pins.push(...wayTo(dirname(real ?? path)).filter((folder) => sync.lstat(folder)?.kind === 'folder'));
    if (stat === undefined) guards.absent.push(path);
    // A link can't be mounted over: what it leads to is guarded, and the link is checked afterwards.
    if (stat?.kind === 'link') guards.links.push({ path, target: sync.readLink(path) });
  }
}

/** A path and the folders above it: renamed away, another could stand in its place. */
export function wayTo(path: string): readonly string[] {
  return path === '/' ? [] : [...wayTo(dirname(path)), path];
}
