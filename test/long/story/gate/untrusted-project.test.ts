/** What a project nobody trusts can't do with names, imports and texts. */

import { beforeAll, describe, expect, it } from 'vitest';
import { RAW } from '../../../story/gate/hostile/hostile-stage.js';
import { buildProgram, runProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';

beforeAll(buildProgram);

describe('texts', () => {
  const ESCAPE = '\u001b]0;owned\u0007\u001b[2J\u202e\nerror: all is well';

  it('GT-20 names and values of its files are written out in every error, warning and list', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const wrong = [
      { '.claude/settings.json': JSON.stringify({ model: { [ESCAPE]: 1 }, permissions: { allow: [ESCAPE, 1] } }) },
      { '.claude/settings.json': JSON.stringify({ [ESCAPE]: 1, permissions: { allow: [ESCAPE] } }) },
      { '.claude/settings.json': `{"a": ${ESCAPE}` },
      { '.claude/agents/x.md': `---\nname: "${ESCAPE.replace('\n', ' ')}"\nmodel: [1]\n---\n` },
    ];
    for (const files of wrong) {
      const place = await setStage([{ reply: 'ok' }]);
      for (const [name, content] of Object.entries(files)) await place.write(name, content);
      for (const args of [['-p', 'hi'], ['config'], ['doctor'], ['agents'], ['permissions', 'test', 'ls']]) {
        const { stdout, stderr } = await runProgram(args, place.at);
        const shown = `${stdout}${stderr}`;
        expect(shown, args.join(' ')).not.toMatch(RAW);
        expect(shown, args.join(' ')).not.toMatch(/^error: all is well/m);
      }
    }
    expect(stage.sim.requests).toEqual([]);
  });
});
