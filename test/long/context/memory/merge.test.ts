import { describe, expect, it } from 'vitest';
import { mergeMemory } from '../../../../src/context/memory/snapshots/merge-memory.js';
import fc from '../../../support/fast-check.js';
import { memoryStage, snapshotJson, textsOf } from '../../../unit/context/memory/snapshots/memory-stage.js';
import { diverged } from '../../../unit/context/memory/snapshots/merge-stage.js';

const T3 = '2026-11-03T10:00:00.000Z';

describe('ME-5: merge', () => {
  it('ME-5 property: no line that either side has added is missing, and there is no marker', async () => {
    const line = fc.constantFrom('a', 'b', 'c', '- note', '', 'ünïcode', '=======');
    const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(fc.option(text, { nil: undefined }), text, text, async (base, mine, team) => {
        const stage =
          base === undefined
            ? await memoryStage({ 'a.md': mine }, { 'a.md': team, 'snapshot.json': snapshotJson(T3) })
            : await diverged({ 'a.md': base }, { 'a.md': mine }, { 'a.md': team });
        expect(await mergeMemory(stage.host, stage.place)).toMatchObject({ ok: true });
        const merged = linesOf(Buffer.from(textsOf(stage.mine)['a.md'] ?? '', 'latin1').toString('utf8'));
        const known = base === undefined ? new Set<string>() : new Set(linesOf(base));
        for (const wanted of [...linesOf(mine), ...linesOf(team)])
          if (!known.has(wanted)) expect(merged).toContain(wanted);
        expect(merged.join('\n')).not.toMatch(/^(?:<<<<<<<|>>>>>>>)/m);
      }),
      { numRuns: 20 },
    );
  });
});

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
