/** The contract of every log of records, as tests: for a transcript here, and for any other storage. */

import { describe, expect, it } from 'vitest';
import type { DurableEvent } from '../../../../src/protocol/events.js';
import type { AppendPort, Fences, TranscriptError } from '../../../../src/session/transcript/append-port.js';
import { admitted, turn } from '../sample-events.js';

/** One log and its writers. */
export type AppendStage = {
  /** Opens the log for writing: the first time as a new one, then where it ends. Each opening raises its fence. */
  open(): Promise<AppendPort>;
  /** The records of the log, by number. */
  records(): Promise<readonly { readonly seq: number; readonly event: DurableEvent }[]>;
  /** Every write fails, after part of it, until it is switched off again. */
  fail(on: boolean): void;
};

const EVENTS: readonly DurableEvent[] = [turn(1), admitted('two'), turn(3)];

export function testAppendPort(name: string, start: (fences: Fences) => Promise<AppendStage>): void {
  const stage = () => start(new Map());
  const seqs = async (one: AppendStage) => (await one.records()).map(({ seq }) => seq);

  async function filled() {
    const one = await stage();
    const port = await one.open();
    for (const [index, event] of EVENTS.entries()) expect(await port.append(event, index + 1)).toBe(index + 1);
    return { one, port };
  }

  async function refused(work: Promise<unknown>): Promise<string> {
    const error = await work.then(
      () => undefined,
      (reason: TranscriptError) => reason,
    );
    expect(error?.name).toBe('TranscriptError');
    return error?.message ?? '';
  }

  describe(`${name} as a log of records`, () => {
    it('DU-1: resolves with the number that was expected, and holds each record under it', async () => {
      const { one, port } = await filled();
      await port.close();
      expect((await one.records()).map(({ seq, event }) => [seq, event.kind])).toEqual([
        [1, 'turn-started'],
        [2, 'input-admitted'],
        [3, 'turn-started'],
      ]);
    });

    it('DU-2: one that is there already resolves, and nothing is written', async () => {
      const { one, port } = await filled();
      const before = await one.records();
      for (const seq of [3, 1]) expect(await port.append(turn(99), seq)).toBe(seq);
      expect(await one.records()).toEqual(before);
      expect(await port.append(turn(4), 4)).toBe(4);
      expect(await seqs(one)).toEqual([1, 2, 3, 4]);
      await port.close();
    });

    it('DU-1: a gap is refused, and the next number still goes', async () => {
      const { one, port } = await filled();
      expect(await refused(port.append(turn(9), 5))).toContain('gap');
      expect(await seqs(one)).toEqual([1, 2, 3]);
      expect(await port.append(turn(4), 4)).toBe(4);
      await port.close();
    });

    it('DU-2: a writer is refused from the moment another has opened the log, whatever it writes', async () => {
      const { one, port } = await filled();
      const other = await one.open();
      for (const seq of [3, 4, 5]) await refused(port.append(turn(9), seq));
      expect(await seqs(one)).toEqual([1, 2, 3]);
      expect(await other.append(turn(4), 4)).toBe(4);
      await refused(port.append(turn(9), 5));
      expect(await seqs(one)).toEqual([1, 2, 3, 4]);
      await Promise.all([port.close(), other.close()]);
    });

    it.each([
      ['that is synced', admitted('lost')],
      ['that is not', turn(9)],
    ])(
      'DU-2: of a record %s and could not be written nothing is left, and it can be tried again',
      async (_name, event) => {
        const { one, port } = await filled();
        one.fail(true);
        await refused(port.append(event, 4));
        one.fail(false);
        expect(await seqs(one)).toEqual([1, 2, 3]);
        expect(await port.append(event, 4)).toBe(4);
        expect(await port.append(turn(5), 5)).toBe(5);
        expect((await one.records()).slice(3).map(({ event: { kind } }) => kind)).toEqual([event.kind, 'turn-started']);
        await port.close();
      },
    );

    it('DU-1: concurrent appends are written in order', async () => {
      const one = await stage();
      const port = await one.open();
      const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
      expect(await Promise.all(numbers.map((seq) => port.append(turn(seq), seq)))).toEqual(numbers);
      expect((await one.records()).map(({ event }) => event.kind === 'turn-started' && event.turn)).toEqual(numbers);
      await port.close();
    });

    it('LC-5: released, it is reopened by the next record; closed, it accepts no more', async () => {
      const { one, port } = await filled();
      await port.release();
      await port.release();
      expect(await port.append(turn(4), 4)).toBe(4);
      await port.close();
      await port.close();
      await refused(port.append(turn(5), 5));
      expect(await seqs(one)).toEqual([1, 2, 3, 4]);
    });
  });
}
