import { describe, expect, it } from 'vitest';
import { Resources } from '../../../src/engine/resources.js';

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('resources', () => {
  it('are closed in the reverse order of opening, one after the other', async () => {
    const order: string[] = [];
    const resources = new Resources();
    for (const name of ['lock', 'log', 'sandbox']) {
      resources.add(name, async () => {
        order.push(`${name} closes`);
        await tick();
        order.push(`${name} closed`);
      });
    }
    expect(await resources.close()).toEqual([]);
    expect(order).toEqual([
      'sandbox closes',
      'sandbox closed',
      'log closes',
      'log closed',
      'lock closes',
      'lock closed',
    ]);
  });

  it('are closed each, even if another fails, at once or later; why is returned, a line each', async () => {
    const closed: string[] = [];
    const resources = new Resources();
    resources.add('lock', async () => closed.push('lock'));
    resources.add('log', () => Promise.reject(new Error('disk full')));
    resources.add('server', () => {
      throw new Error('not running');
    });
    resources.add('nothing', () => undefined);
    expect(await resources.close()).toEqual([
      'server could not be closed: not running',
      'log could not be closed: disk full',
    ]);
    expect(closed).toEqual(['lock']);
  });

  it('are closed once; what was opened meanwhile is closed as well', async () => {
    const closed: string[] = [];
    const resources = new Resources();
    resources.add('first', async () => closed.push('first'));
    resources.add('second', async () => {
      closed.push('second');
      resources.add('late', async () => closed.push('late'));
    });
    expect(await resources.close()).toEqual([]);
    expect(await resources.close()).toEqual([]);
    expect(closed).toEqual(['second', 'late', 'first']);
  });
});
