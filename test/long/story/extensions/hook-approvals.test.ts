/** Hooks of a project that are no commands: they are shown whole, and run exactly as they were approved (GT-3). */

import { describe, expect, it } from 'vitest';
import { openTrust } from '../../../../src/config/trust.js';
import { approve, host, projectHooks, run, touch, wasMade } from '../../../story/extensions/hook-approvals-stage.js';
import { serve } from '../../../support/plain-server.js';
import { setStage } from '../../../support/story.js';

describe('EX-23 GT-3: hooks of a project', () => {
  it('GT-3: without an approval nothing is posted; with it, it decides; a changed key of it needs another', async () => {
    let posted = 0;
    const { url } = await serve((request, response) => {
      posted += 1;
      request.resume().on('end', () => response.end('{"decision":"block","reason":"no"}'));
    });
    const stage = await setStage(touch);
    const hook = { type: 'http', url, headers: { A: 'b' } };
    await stage.write('.claude/settings.json', projectHooks(hook));
    await openTrust(host(stage)).trust(stage.folder);
    expect(await run(stage)).toHaveLength(1);
    expect([posted, wasMade(stage)]).toEqual([0, true]);
    await approve(stage);
    expect(await run(stage)).toEqual([]);
    expect(posted).toBe(1);
    const other = { ...hook, headers: { A: '$HOME' }, allowedEnvVars: ['HOME'] };
    await stage.write('.claude/settings.json', projectHooks(other));
    expect(await run(stage)).toHaveLength(1);
    expect(posted).toBe(1);
  });
});
