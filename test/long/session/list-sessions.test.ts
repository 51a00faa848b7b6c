import { describe, expect, it } from 'vitest';
import type { DurableEvent } from '../../../src/protocol/events.js';
import { listSessions } from '../../../src/session/store/list-sessions.js';
import { scratchFolder } from '../../support/scratch.js';
import { admitted, ended, replied, started } from '../../unit/session/sample-events.js';
import { counting, host, save, session } from '../../unit/session/store/list-sessions-stage.js';

describe('listing sessions', () => {
  it('failures 14, 15: a huge first prompt, huge reminders and a huge last record are seen; files are not read whole', async () => {
    const home = await scratchFolder();
    const filler: DurableEvent[] = Array.from({ length: 200 }, () =>
      replied([{ type: 'text', text: 'x'.repeat(100_000) }]),
    );
    const long = `say "this" \\ ${'é'.repeat(1_000_000)}`;
    await save(home, 'prompt', [...session('prompt', long), ...filler, ended()]);
    const { host: counted, bytes } = counting();
    const first = (await listSessions(counted, { home })).sessions[0];
    expect(first?.prompt.startsWith('say "this" \\ ééé')).toBe(true);
    expect(first?.prompt.length).toBeLessThanOrEqual(200);
    expect(first).toMatchObject({ ended: 'completed', damaged: undefined });
    expect(bytes()).toBeLessThan(200_000);

    const reminder = admitted('r'.repeat(1_500_000), 'reminder');
    await save(home, 'reminder', [started('reminder'), reminder, admitted('after it'), ended()]);
    await save(home, 'last', [...session('last'), admitted('y'.repeat(900_000))]);
    const { sessions } = await listSessions(host, { home });
    expect(sessions.find((one) => one.id === 'reminder')?.prompt).toBe('after it');
    expect(sessions.find((one) => one.id === 'last')).toMatchObject({
      prompt: 'first words of it',
      ended: 'completed',
      damaged: undefined,
    });
  });
});
