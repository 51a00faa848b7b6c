/** SF-2, SF-9: more wrong arguments of `coppice sim`, and more versions of git for `coppice doctor`. */

import { beforeAll, it } from 'vitest';
import { expectGitFinding, expectRefusedSim } from '../../program/cli/command-checks.js';
import { buildProgram } from '../../support/program.js';

beforeAll(buildProgram);

it.each([
  [['--scenario', 'broken.yaml'], /broken\.yaml/],
  [['--port', 'abc'], /invalid --port/],
  [['--ttft', 'soon'], /invalid --ttft/],
  [['--ttft', '-5'], /invalid --ttft/],
  [['--record', 'a', '--replay', 'b'], /not both/],
  [['--replay', 'missing.jsonl'], /missing\.jsonl/],
  [['--frobnicate'], /unknown option/],
  [['--replay', 'none.jsonl'], /^error: none\.jsonl can't be read: /],
  [['--record', '.'], /^error: \. is a folder: use the name of a new file/],
])('SF-9: coppice sim %j: exit 2 and what is wrong', expectRefusedSim);

it.each([
  ['git version 2.38.0', 'ok', /^git version 2\.38\.0$/],
  ['git version 3.1.0 (Apple Git-200)', 'ok', /3\.1\.0/],
])('SF-2: coppice doctor: %s for worktrees is %s', expectGitFinding);
