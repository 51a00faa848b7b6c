/**
 * Takes the pictures of the terminal in docs/images: runs the real program in a pseudo-terminal against the simulated
 * model, reads the cells of the screen and writes them as SVG. Ids, paths, times and the spinner are made the same every time.
 *
 *   node scripts/capture-screens.mjs [--out FOLDER] [NAME…]
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SCENES } from './screens/scenes.mjs';
import { openStage } from './screens/stage.mjs';
import { toSvg } from './screens/to-svg.mjs';

const { values, positionals: wanted } = parseArgs({
  options: { out: { type: 'string', default: join(import.meta.dirname, '../docs/images') } },
  allowPositionals: true,
});
mkdirSync(values.out, { recursive: true });
for (const play of SCENES) {
  if (wanted.length > 0 && !play.takes.some((name) => wanted.includes(name))) continue;
  const stage = await openStage(play);
  try {
    await play.run(stage, (name, { title, cursor = true }) => {
      if (wanted.length > 0 && !wanted.includes(name)) return;
      const file = join(values.out, `terminal-${name}.svg`);
      writeFileSync(file, toSvg(stage.cells(), { title, cursor: cursor ? stage.cursor() : undefined }));
      console.log(file);
    });
  } finally {
    await stage.close();
  }
}
