/** What the tests of apply-cut.test.ts share with those of test:long. */

import { type ApplyStage, LINES, setApplyStage } from './apply-stage.js';

/** Every kind of change at once. */
export async function setChanges(): Promise<ApplyStage> {
  const stage = await setApplyStage({
    before: async (repo) => {
      await repo.write('gone/last', 'gone\n');
      await repo.write('thing', 'thing\n');
      repo.commit();
      await repo.write('f', LINES.replace('one', 'mine'));
    },
  });
  const { child } = stage;
  await child.write('f', LINES.replace('one', 'mine').replace('nine', 'NINE'));
  await child.write('g', 'G, theirs\n');
  await child.write('new/deep/file', 'new\n');
  await child.link('link', 'f');
  await child.remove('gone/last');
  await child.remove('folder');
  await child.write('folder', 'a file now\n');
  await child.remove('thing');
  await child.write('thing/inner', 'a folder now\n');
  return stage;
}
