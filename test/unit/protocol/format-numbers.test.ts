/** Formats of numbers, as tables: what is given, what a person reads. */

import { describe, expect, it } from 'vitest';
import * as format from '../../../src/protocol/format-numbers.js';

const TABLE: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'money: cents; under one cent is said, nothing is $0': [
    [format.money(0), '$0'],
    [format.money(0.000_4), '<$0.01'],
    [format.money(0.009_99), '<$0.01'],
    [format.money(0.01), '$0.01'],
    [format.money(0.046), '$0.05'],
    [format.money(1_204.5), '$1,204.50'],
    [format.money(-0.25), '-$0.25'],
  ],
  'money that is compared': [
    [format.exactMoney(0), '$0'],
    [format.exactMoney(0.000_04), '<$0.0001'],
    [format.exactMoney(0.0123), '$0.0123'],
    [format.exactMoney(12.5), '$12.5000'],
  ],
  'shares: only the whole is 100%': [
    [format.percent(0), '0%'],
    [format.percent(0.976), '98%'],
    [format.percent(0.999_9), '99%'],
    [format.percent(1), '100%'],
    [format.percent(0.866_6, 1), '86.7%'],
    [format.percent(0.999_99, 1), '99.9%'],
    [format.percent(1, 1), '100%'],
  ],
  'counts, every digit': [
    [format.wholeCount(950), '950'],
    [format.wholeCount(871_200), '871,200'],
    [format.wholeCount(1_234_567), '1,234,567'],
  ],
  'counts, short': [
    [format.shortCount(0), '0'],
    [format.shortCount(999), '999'],
    [format.shortCount(1_000), '1k'],
    [format.shortCount(1_249), '1.2k'],
    [format.shortCount(20_100), '20.1k'],
    [format.shortCount(99_949), '99.9k'],
    [format.shortCount(99_950), '100k'],
    [format.shortCount(999_499), '999k'],
    [format.shortCount(999_500), '1M'],
    [format.shortCount(12_340_000), '12.3M'],
  ],
  plurals: [
    [format.plural(0, 'turn'), '0 turns'],
    [format.plural(1, 'turn'), '1 turn'],
    [format.plural(2_000, 'turn'), '2,000 turns'],
    [format.plural(1, 'agent was', 'agents were'), '1 agent was'],
    [format.plural(2, 'agent was', 'agents were'), '2 agents were'],
  ],
  durations: [
    [format.duration(-5), '0s'],
    [format.duration(999), '0s'],
    [format.duration(41_900), '41s'],
    [format.duration(60_000), '1m'],
    [format.duration(130_000), '2m 10s'],
    [format.duration(3_599_999), '59m 59s'],
    [format.duration(3_661_000), '1h 1m'],
    [format.coarseDuration(119_000), '1m'],
    [format.coarseDuration(7_199_000), '1h'],
  ],
  'durations on a clock': [
    [format.clockTime(-5), '0:00'],
    [format.clockTime(59_999), '0:59'],
    [format.clockTime(60_000), '1:00'],
    [format.clockTime(727_000), '12:07'],
    [format.clockTime(3_730_000), '1:02:10'],
  ],
  ages: [
    [format.age(59_999), 'just now'],
    [format.age(-1), 'just now'],
    [format.age(200_000), '3 min ago'],
    [format.age(47 * 3_600_000), '47 h ago'],
    [format.age(48 * 3_600_000), '2 days ago'],
    [format.age(Number.NaN), 'age unknown'],
  ],
  'moments, in local time': [
    [format.localTime(new Date(2026, 10, 8, 8, 5).getTime()), '2026-11-08 08:05'],
    [format.localTime(Number.NaN), 'unknown time'],
  ],
  sizes: [
    [format.byteSize(1), '1 byte'],
    [format.byteSize(950), '950 bytes'],
    [format.byteSize(1_024), '1 KB'],
    [format.byteSize(1_250), '1.2 KB'],
    [format.byteSize(1_048_575), '1 MB'],
    [format.byteSize(10 * 1_048_576), '10 MB'],
  ],
};

describe('numbers for a person (LK-7, WD-6)', () => {
  it.each(Object.entries(TABLE))('%s', (_, rows) => {
    expect(rows.map(([shown]) => shown)).toEqual(rows.map(([, expected]) => expected));
  });
});
