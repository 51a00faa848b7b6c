/** SF-12: the core of recording and replaying: whose request it is, and when something reached an agent. */

import { describe, expect, it } from 'vitest';
import { parseRecording, type RecordedExchange } from '../../../../src/sim/recording/recording.js';
import { TrafficRecorder } from '../../../../src/sim/recording/traffic-recorder.js';
import { TrafficReplay } from '../../../../src/sim/recording/traffic-replay.js';

const body = (text: string) => ({ model: 'm', messages: [{ role: 'user', content: text }] });
const exchange = (key: string | undefined, text: string, answer: string): RecordedExchange => ({
  ...(key === undefined ? {} : { agent: { key } }),
  request: { method: 'POST', path: '/v1/messages', headers: {}, body: body(text) },
  response: { status: 200, headers: {}, body: answer },
});
const ask = (replay: TrafficReplay, key: string | undefined, text: string) => {
  const agent = key === undefined ? undefined : { key };
  const taken = replay.take({ method: 'POST', path: '/v1/messages', body: body(text), agent });
  return taken.kind === 'found' ? taken.body : taken.difference;
};

describe('SF-12: whose request it is', () => {
  it('SF-12: requests alike get the answers of their agents, in whatever order they come', () => {
    const replay = new TrafficReplay({ exchanges: [exchange('a', 'x', 'for a'), exchange('b', 'x', 'for b')] });
    expect([ask(replay, 'b', 'x'), ask(replay, 'a', 'x')]).toEqual(['for b', 'for a']);
    expect(replay.status).toMatchObject({ ok: true, played: 2 });
  });

  it('SF-12: where it is not known, on either side, those alike are used in order', () => {
    const replay = new TrafficReplay({ exchanges: [exchange(undefined, 'x', '1'), exchange('a', 'x', '2')] });
    expect([ask(replay, 'z', 'x'), ask(replay, undefined, 'x')]).toEqual(['1', '2']);
  });

  it('SF-12: ids are bound by the request that is taken, and stay', () => {
    const id = (digit: string) => digit.repeat(17);
    const exchanges = [
      exchange(undefined, 'made {{coppice:agent-1}}', '"go {{coppice:agent-1}}"'),
      exchange(undefined, 'again {{coppice:agent-1}} {{coppice:agent-2}}', 'ok'),
    ];
    const replay = new TrafficReplay({ exchanges });
    expect(ask(replay, undefined, `made ${id('a')}`)).toBe(`"go ${id('a')}"`);
    const other = new TrafficReplay({ exchanges });
    ask(other, undefined, `made ${id('a')}`);
    expect(ask(other, undefined, `again ${id('b')} ${id('c')}`)).toContain('differs from the recording');
    expect(ask(replay, undefined, `again ${id('a')} ${id('c')}`)).toBe('ok');
  });
});

describe('SF-12: when something reached an agent', () => {
  it('SF-12: inputs that a request did not contain are recorded as later', async () => {
    const lines: string[] = [];
    const recorder = new TrafficRecorder({ write: (line) => void lines.push(line) });
    const begin = (key: string) =>
      recorder.begin({ method: 'POST', path: '/', headers: {}, body: Buffer.from('{}'), agent: { key } });
    recorder.noteInput('notice a 1', 'main', 7);
    recorder.noteInput('notice b 1', 'main', 8);
    recorder.noteTaken('main', [7]);
    const end = begin('main');
    begin('child');
    await end({ status: 200, headers: {}, body: '' });
    recorder.noteTaken('main', [8]);
    recorder.noteRunEnd('main');
    await recorder.close();
    const parsed = parseRecording(lines.join(''), 'f');
    if (!parsed.ok) throw new Error(parsed.mistake);
    const [{ started = 0, ended = 0 } = {}] = parsed.exchanges;
    expect(parsed.inputs).toEqual([
      { input: 'notice a 1', to: 'main', at: 1 },
      { input: 'notice b 1', to: 'main', at: 2, after: started },
      { input: 'run ended', to: 'main', at: ended + 1 },
    ]);
  });
});
