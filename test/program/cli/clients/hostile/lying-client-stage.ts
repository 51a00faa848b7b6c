import type { Rule } from '../../../../../src/sim/index.js';
import { setPlainStage } from '../../plain/plain-stage.js';
import { startRaw } from '../raw-client.js';

export const TOUCH: readonly Rule[] = [
  { when: { user: /hello|last|prompt/ }, reply: 'Here.' },
  { when: { result: { tool: 'Bash', error: true } }, reply: 'It failed: {{result}}' },
  { when: { result: { tool: 'Bash' } }, reply: 'It worked.' },
  { when: { user: /^go\b/m }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
  { reply: 'Here.' },
];

export const ASKS = ['--permission-prompt-tool', 'stdio'];

export async function start(args: readonly string[] = [], rules = TOUCH) {
  const stage = await setPlainStage(rules);
  return { stage, client: startRaw(stage, args) };
}
