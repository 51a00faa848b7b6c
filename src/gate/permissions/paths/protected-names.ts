/** Names that control what runs or is allowed later: writing to them always asks, even if they don't exist. */

const ANYWHERE = new Set(
  `.git .gitmodules .gitconfig .mcp.json .claude-plugin .vscode .idea .husky .envrc .claude.json
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout
  .kshrc .cshrc .tcshrc .login .inputrc config.fish .xprofile .xinitrc .pam_environment .ripgreprc`.split(/\s+/),
);
const UNDER_CLAUDE = new Set(['agents', 'hooks', 'commands', 'skills', 'output-styles', 'plugins']);

/** The protected name among these path components, as written. */
export function findProtectedName(components: readonly string[]): string | undefined {
  for (const [index, component] of components.entries()) {
    const name = foldName(component);
    // The short name that some file systems give to `.git`.
    if (ANYWHERE.has(name) || /^git~\d+$/.test(name)) return component;
    if (name !== '.claude' && !/^claude~\d+$/.test(name)) continue;
    const next = components[index + 1];
    if (next === undefined) continue;
    const under = foldName(next);
    if (UNDER_CLAUDE.has(under) || under.startsWith('settings')) return `${component}/${next}`;
  }
  return undefined;
}

export function isHidden(component: string): boolean {
  return foldName(component).startsWith('.');
}

/** Normalises like the most lenient file system: no case, invisible letters, trailing dots or spaces, or streams. */
function foldName(component: string): string {
  return component
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Cc}]/gu, '')
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
}
