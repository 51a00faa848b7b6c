/** The table of programs, put together. */

import type { Program } from '../program.js';
import { ARCHIVES } from './archives.js';
import { CONTAINERS } from './containers.js';
import { FILES } from './files.js';
import { GIT } from './git.js';
import { LANGUAGES } from './languages.js';
import { NETWORK } from './network.js';
import { PACKAGES } from './packages.js';
import { PROJECT_TOOLS } from './project.js';
import { SEARCH } from './search.js';
import { SHELL } from './shell.js';
import { SYSTEM } from './system.js';
import { TEXT } from './text.js';
import { WRAPPERS } from './wrappers.js';

/** Each name is in one topic only, which a test checks. */
export const TOPICS = {
  ARCHIVES,
  CONTAINERS,
  FILES,
  GIT,
  LANGUAGES,
  NETWORK,
  PACKAGES,
  PROJECT_TOOLS,
  SEARCH,
  SHELL,
  SYSTEM,
  TEXT,
  WRAPPERS,
};

export const ROWS: Readonly<Record<string, Program>> = Object.assign({}, ...Object.values(TOPICS));
