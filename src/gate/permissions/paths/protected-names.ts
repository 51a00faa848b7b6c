/**
 * Names that control what runs or is allowed later: writing to them always asks, even if they don't exist. In the list is
 * what a program runs by itself, when a folder is entered or opened, with any git command, or with any call of a tool
 * (`npm --version`). Not in it is what runs when a person starts it for this project (package.json, Makefile).
 */

const ANYWHERE = new Set(
  `.git .gitmodules .gitconfig .mcp.json .claude-plugin .claude.json
  .githooks .husky .lefthook .lefthookrc .pre-commit-config.yaml .pre-commit-config.yml .overcommit.yml
  .envrc .tool-versions .asdfrc .rtx.toml .mise .autoenv .autoenv.zsh .cargo rust-toolchain rust-toolchain.toml
  .vscode .idea .devcontainer .devcontainer.json .zed .fleet .cursor .exrc .nvimrc .nvim.lua .vimrc .dir-locals.el
  .dir-locals-2.el .gdbinit .lldbinit
  .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .bazelrc
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout
  .kshrc .cshrc .tcshrc .login .inputrc config.fish .xprofile .xinitrc .pam_environment .ripgreprc`.split(/\s+/),
);
/** Names that come with different endings, and those of environments: `mise.local.toml`. */
const FAMILIES =
  /^(?:\.?lefthook(?:-local)?\.\w+|\.?mise(?:\.[\w-]+)*\.toml|\.?simple-git-hooks\.\w+|\.(?:huskyrc|lintstagedrc)(?:\.\w+)?|lint-staged\.config\.\w+|.*\.code-workspace)$/;
const UNDER_CLAUDE = new Set(['agents', 'hooks', 'commands', 'skills', 'output-styles', 'plugins']);
/** Only a part of these folders runs. */
const UNDER: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['.config', new Set(['mise'])],
  ['.yarn', new Set(['releases', 'plugins'])],
]);

/** The protected name among these path components, as written. */
export function findProtectedName(components: readonly string[]): string | undefined {
  for (const [index, component] of components.entries()) {
    const name = foldName(component);
    // The short name that some file systems give to `.git`.
    if (ANYWHERE.has(name) || /^git~\d+$/.test(name) || FAMILIES.test(name)) return component;
    const next = components[index + 1];
    if (next === undefined) continue;
    const under = foldName(next);
    if (UNDER.get(name)?.has(under)) return `${component}/${next}`;
    if (name !== '.claude' && !/^claude~\d+$/.test(name)) continue;
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
