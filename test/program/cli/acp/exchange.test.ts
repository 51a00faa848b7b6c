/** CL-7: the exchange in docs/editors.md is what is really said. UPDATE_DOCS=1 records it again. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../../support/program.js';
import { untilFound } from '../../../support/until.js';
import { choose, connectEditor, setAcpStage } from './acp-stage.js';

const PAGE = join(ROOT, 'docs', 'editors.md');
const EXCHANGE = /(?<=## An exchange\n[^`]*(?:`[^`]+`[^`]*)*\n```\n)[\s\S]*?(?=```\n)/;

/** Lists of which one entry is enough, and members that differ by machine and day. */
const SHORTENED = ['configOptions', 'availableModes', 'availableCommands', 'options'];
const LEFT_OUT = ['jsonrpc', 'version', '_meta', 'rawInput', 'rawOutput', 'description', 'clientInfo'];
/** Numbers that differ, and what a slow reader gets together with what follows. */
const NOT_SHOWN = ['"usage_update"', '"config_option_update"', '"status":"in_progress"'];

it('CL-7: the exchange in the docs is recorded from a run', async () => {
  const stage = await setAcpStage([
    { when: { user: 'fix it' }, reply: [{ tool: 'Read', input: { file_path: 'a.txt' } }] },
    {
      when: { result: { tool: 'Read' } },
      reply: [{ tool: 'Edit', input: { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' } }],
    },
    { reply: 'Fixed.' },
  ]);
  await stage.write('a.txt', 'one\ntwo\n');
  const noted: [from: 'editor' | 'agent', message: object][] = [];
  const editor = await connectEditor(stage, {
    answer: () => choose('allow'),
    note: (from, message) => noted.push([from, message]),
  });
  const { sessionId } = await editor.open();
  await untilFound(() => editor.updates(sessionId, 'available_commands_update')[0], 'the commands');
  await editor.prompt(sessionId, 'fix it');
  const ids = new Map<string, string>();
  const lines = noted
    .map(([from, message]) => [from, JSON.stringify(shorten(message))] as const)
    .filter(([, line]) => !NOT_SHOWN.some((kind) => line.includes(kind)))
    .map(([from, line]) => {
      const named = line
        .replaceAll(stage.folder, '/project')
        .replaceAll(sessionId, '0199…')
        .replace(/toolu_\w+/g, (id) => ids.get(id) ?? ids.set(id, `toolu_${ids.size + 1}`).get(id) ?? id);
      return `${from === 'editor' ? '→' : '←'} ${named}\n`;
    });
  const page = await readFile(PAGE, 'utf8');
  const recorded = page.replace(EXCHANGE, () => lines.join(''));
  if (process.env.UPDATE_DOCS) await writeFile(PAGE, recorded);
  else expect(page).toBe(recorded);
  expect(recorded).toContain(lines.join(''));
});

function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !LEFT_OUT.includes(key))
      .map(([key, member]) => {
        const isShort = SHORTENED.includes(key) && Array.isArray(member) && member.length > 1 && !isOffer(member);
        return [key, isShort ? [shorten(member[0]), '…'] : shorten(member)];
      }),
  );
}

/** What can be answered to a question is shown whole. */
function isOffer(list: readonly unknown[]): boolean {
  return list.some((one) => typeof one === 'object' && one !== null && 'optionId' in one);
}
