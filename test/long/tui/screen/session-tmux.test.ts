/** A whole session inside a real tmux, with its window made smaller and larger. `scripts/install-tmux.sh` installs it. */

import { expect, test } from 'vitest';
import { idsIn, longReply } from '../../../program/tui/screen/long-reply.js';
import { hasTmux, startTmux } from '../../../program/tui/screen/tmux-stage.js';
import { setTerminalStage } from '../../../program/tui/terminal-stage.js';

test.runIf(hasTmux)(
  'TU-1, TU-32: in tmux a session streams while its window is dragged: every line once, and the shell has it back after',
  async () => {
    const reply = longReply(200);
    const stage = await setTerminalStage([{ when: { user: 'go' }, reply, delay: { eventMs: 15 } }, { reply: 'FINE' }]);
    const tmux = await startTmux(stage, '');
    await tmux('send-keys', '-l', 'go');
    await tmux('send-keys', 'Enter');
    await tmux.untilSeen('M0010');
    for (let columns = 96; columns >= 60; columns -= 4) await tmux('resize-window', '-x', String(columns));
    for (let columns = 64; columns <= 120; columns += 4) await tmux('resize-window', '-x', String(columns));
    await tmux('resize-window', '-x', '80', '-y', '20');
    await tmux.untilSeen('THE END');
    expect(idsIn((await tmux.lines()).join('\n'))).toEqual(idsIn(reply));
    await tmux('send-keys', '-l', 'more');
    await tmux.untilSeen('> more');
    await tmux('send-keys', 'Enter');
    await tmux.untilSeen('FINE');
    await tmux.untilSeen(/^(?![\s\S]*esc interrupts)[\s\S]*^> *$/m);
    await tmux('send-keys', 'C-d');
    await tmux.untilSeen(/SHELL\$ *$/m);
    const lines = await tmux.lines();
    expect(lines.filter((line) => /^EARLIER-\d\d$/.test(line))).toHaveLength(40);
    expect(idsIn(lines.join('\n'))).toEqual(idsIn(reply));
    expect((await tmux('display-message', '-p', '#{alternate_on} #{cursor_flag} #{wrap_flag}')).trim()).toBe('0 1 1');
  },
);
