import { test } from 'vitest';
import { agentCall } from '../../../support/agent-call.js';
import { setTerminalStage } from '../terminal-stage.js';
import { hasTmux, startTmux } from './tmux-stage.js';

for (const [config, prefix, hint] of [
  ['', 'C-b', 'ctrl+b ctrl+b background'],
  ['set -g prefix C-a', 'C-a', 'ctrl+b background'],
] as const) {
  test.runIf(hasTmux)(`TU-17: in tmux hints show its real prefix (${prefix}): ${hint}`, async () => {
    const stage = await setTerminalStage([
      { when: { said: 'CHILD' }, reply: 'never', delay: { firstMs: 600_000 } },
      { when: { user: 'start' }, reply: [agentCall('CHILD: wait', { description: 'waits' })] },
    ]);
    const tmux = await startTmux(stage, config);
    await tmux('send-keys', '-l', 'start');
    await tmux('send-keys', 'Enter');
    await tmux.untilSeen(/agents 1/);
    await tmux('send-keys', 'Escape');
    await tmux.untilSeen(`esc again to interrupt 1 agent · ${hint}`);
  });
}
