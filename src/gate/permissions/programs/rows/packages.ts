/** Package managers and runners: scripts of the project, and packages that may be fetched first. */

import { each } from '../make-rows.js';
import type { Program, Query } from '../program.js';

const ASKED = { words: ['--version', '-V', '--help', '-v'], where: 'trusted' } as const;
const FETCHES: Program = { runs: 'package', launches: true };

const NPM_OPTION =
  /^(?:-g|--global|--all|-a|--json|--long|-l|--depth=\d+|--parseable|-p|--omit=\w+|--include=\w+|--workspaces|-ws)$/;
const PIP_OPTION = /^--(?:outdated|format=(?:json|columns|freeze)|not-required|user|local|verbose|files|all)$/;

const npmQuery = (words: string): Query => ({ words, options: NPM_OPTION, more: true });

export const PACKAGES: Readonly<Record<string, Program>> = {
  npm: {
    runs: 'project',
    commands: each('exec x', FETCHES),
    prefixes: ['test', 'start', 'ci', 'run NAME', 'run-script NAME'],
    versions: ASKED,
    queries: [
      ...['ls', 'list', 'll', 'explain', 'why'].map(npmQuery),
      ...['root', 'prefix', 'bin'].map((words): Query => ({ words, options: NPM_OPTION })),
      { words: 'pkg get', more: true },
      { words: 'run' },
      { words: 'run --list' },
      { words: 'run-script' },
    ],
  },
  pnpm: {
    runs: 'project',
    valued: 'CF',
    longValued: 'filter dir',
    commands: { ...each('dlx', FETCHES), exec: { runs: 'project', launches: true } },
    prefixes: ['test', 'start', 'run NAME', 'exec TOOL'],
    versions: ASKED,
    queries: [...['ls', 'list', 'root', 'why'].map(npmQuery), { words: 'run', options: NPM_OPTION }],
  },
  yarn: {
    runs: 'project',
    commands: { ...each('dlx', FETCHES), exec: { runs: 'project', launches: true } },
    prefixes: ['test', 'start', 'run NAME', 'TOOL'],
    versions: ASKED,
    queries: [
      { words: 'list', options: NPM_OPTION },
      { words: 'why', more: true },
    ],
  },
  bun: { runs: 'project', commands: each('x', FETCHES), prefixes: ['test', 'run NAME'], versions: ASKED },
  ...each('npx bunx uvx', { ...FETCHES, prefixes: ['TOOL'], versions: ASKED }),
  pnpx: FETCHES,
  pipx: { runs: 'package', launches: true, prefixes: ['run TOOL'], versions: ASKED },
  uv: {
    runs: 'project',
    launches: true,
    commands: { tool: { runs: 'project', commands: each('run', FETCHES) } },
    prefixes: ['run TOOL'],
    versions: ASKED,
  },
  poetry: { runs: 'project', launches: true, prefixes: ['run TOOL'], versions: ASKED },
  pip: {
    runs: 'project',
    versions: ASKED,
    queries: ['list', 'show', 'freeze', 'check'].map((words) => ({ words, options: PIP_OPTION, more: true })),
  },
  ...each('conda mamba micromamba brew', { runs: 'project' }),
  corepack: { runs: 'project', launches: true },
};
