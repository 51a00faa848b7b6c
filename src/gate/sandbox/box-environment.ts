/** The environment in the reading box: a list of variables that hold no keys, and folders of the box's own. */

import { safeGitEnvironment } from '../../host/git/git-environment.js';
import type { Environment, Host } from '../../host/host.js';
import { cleanPath } from '../../host/programs/clean-path.js';

/** With the same value in the box as outside. All others are missing there, or are the box's own. */
export const BOX_VARIABLES: ReadonlySet<string> = new Set(
  `PATH HOME USER LOGNAME SHELL SHLVL PWD OLDPWD LANG LANGUAGE TZ TERM COLORTERM COLUMNS LINES CI
   NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE LS_COLORS PAGER GIT_PAGER GIT_TERMINAL_PROMPT COPPICE
   LC_ALL LC_ADDRESS LC_COLLATE LC_CTYPE LC_IDENTIFICATION LC_MEASUREMENT LC_MESSAGES LC_MONETARY LC_NAME LC_NUMERIC
   LC_PAPER LC_TELEPHONE LC_TIME
   MANPATH INFOPATH TERMINFO TERMINFO_DIRS XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_DATA_DIRS XDG_CONFIG_DIRS
   JAVA_HOME GOROOT GOPATH GOTOOLCHAIN CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN NVM_DIR NVM_BIN NODE_PATH VOLTA_HOME
   FNM_DIR FNM_MULTISHELL_PATH PNPM_HOME BUN_INSTALL DENO_INSTALL_ROOT N_PREFIX PYENV_ROOT PYENV_VERSION PYENV_SHELL
   VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV RBENV_ROOT RBENV_VERSION GEM_HOME GEM_PATH ASDF_DIR ASDF_DATA_DIR
   MISE_DATA_DIR SDKMAN_DIR DOTNET_ROOT HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY NIX_PROFILES`.split(/\s+/),
);

export type BoxPlace = {
  /** The box's own folder, the only one that can be written. */
  readonly temporary: string;
  /** The file with the person's git settings, as it is named in the box; undefined: there are none. */
  readonly gitConfig: string | undefined;
  /** The folders the agent works in: no program is taken from there. */
  readonly roots: readonly string[];
  /** Git may look into submodules. */
  readonly trusted: boolean;
};

export function boxEnvironment(
  host: Host,
  env: Environment,
  { temporary, gitConfig, trusted, roots }: BoxPlace,
): Environment {
  const kept = Object.entries(env).filter(([name]) => BOX_VARIABLES.has(name));
  return {
    ...safeGitEnvironment(Object.fromEntries(kept), [], { trusted }),
    PATH: cleanPath({ ...host, env }, roots),
    // The person's own configuration is what we read of it.
    GIT_CONFIG_GLOBAL: gitConfig ?? '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    LESSSECURE: '1',
    TMPDIR: temporary,
    XDG_CACHE_HOME: `${temporary}/cache`,
    GOCACHE: `${temporary}/go-build`,
    COPPICE_BOX: '1',
  };
}
