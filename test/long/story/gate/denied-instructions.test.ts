/** GT-4: what a rule keeps from being read does not reach the model as an instruction of the project either. */

import { describe, expect, it } from 'vitest';
import { converse, link, plant, RULES, WARNING } from '../../../story/gate/denied-instructions-stage.js';

describe('a denied file as an instruction', () => {
  it('GT-4: rules of settings count too, also those that only ask, and the person can not import it either', async () => {
    for (const behavior of ['deny', 'ask']) {
      const stage = await plant();
      await stage.settings({ permissions: { [behavior]: RULES } });
      await stage.write('CLAUDE.md', 'Whistle. @./.env');
      await link(stage, '../../secrets/key.md', '.claude/rules/a.md');
      await stage.write('../home/.claude/CLAUDE.md', `Hum. @${stage.folder}/node.pem`);
      const { sent, warnings } = await converse(stage, {});
      expect(sent).toContain('Whistle.');
      expect(sent).toContain('Hum.');
      expect(sent.includes('hunter2'), behavior).toBe(false);
      expect(warnings.filter((line) => WARNING.test(line))).toHaveLength(3);
    }
  });

  it('GT-4: a rule about a path through a link counts for the folder it leads to', async () => {
    const stage = await plant();
    await link(stage, 'secrets', 'open');
    await stage.write('CLAUDE.md', 'Whistle. @secrets/key.md');
    const { sent } = await converse(stage, { disallowedTools: ['Read(open/**)'] });
    expect(sent.includes('hunter2')).toBe(false);
  });
});
