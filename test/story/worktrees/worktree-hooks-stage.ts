import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentCall, begin, script } from '../agents/agents-script.js';
import { setRepository } from './worktree-stage.js';

export const TASK = 'TASK alpha';

export const apart = (more: object = {}) => agentCall(TASK, { isolation: 'worktree', description: 'a part', ...more });

export const bash = (command: string) => ({ tool: 'Bash', input: { command } });

export const BASH = { allowedTools: ['Bash'] };

export const run = (command: string) => [{ hooks: [{ type: 'command', command }] }];

export const places = async (home: string) => (await readFile(join(home, 'places.txt'), 'utf8')).trim().split('\n');

export const SCRIPT = '#!/bin/sh\necho "$PWD" >> "$HOME/places.txt"\n';

export async function scriptStage(isCommitted: boolean, child: readonly unknown[]) {
  const own = { 'a.txt': 'a', ...(isCommitted ? { 'hooks/look.sh': SCRIPT } : {}) };
  const stage = await setRepository(script({ [TASK]: child as never[], main: [[apart()], 'End.'] }), own);
  await stage.write('hooks/look.sh', SCRIPT);
  await mkdir(join(stage.folder, '.claude'), { recursive: true });
  const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'sh hooks/look.sh' }] }] };
  await writeFile(join(stage.folder, '.claude', 'settings.json'), JSON.stringify({ hooks }));
  await (await stage.open({ ...BASH, trust: true })).send(begin());
  return stage;
}
