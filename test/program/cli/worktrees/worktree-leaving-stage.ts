/** What the tests of worktree-leaving.test.ts share with those of test:long. */

import { BYPASS, type Repository } from './worktree-stage.js';

export async function openWithWork(stage: Repository) {
  const screen = stage.screen(['--plain', '--worktree', 'fix', ...BYPASS]);
  await screen.until(/> $/m);
  screen.type('write it\r');
  await screen.until(/It is written\.\n.*> $/m);
  return screen;
}
