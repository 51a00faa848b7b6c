/** One server of a session: its lists, its restarts, its end. */

import { describe, expect, it } from 'vitest';
import type { Connected } from '../../../../src/tools/mcp/connect/connection.js';
import { never, setServerStage } from './server-stage.js';

const FAILED: Connected = { ok: false, kind: 'failed', reason: 'it fell over' };

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

describe('lists that change', () => {
  it('MC-16: a change during the first list, or right after it, is not lost', async () => {
    const stage = setServerStage();
    stage.tools = async ({ request }) => {
      if (stage.lists === 1) request.onListChanged('tools');
      return [`tool ${stage.lists}`];
    };
    await stage.server.connect();
    await stage.clock.settle();
    expect([stage.lists, stage.names()]).toEqual([2, ['tool 2']]);
  });

  it('MC-16: a change before the first list costs no second one', async () => {
    const stage = setServerStage();
    stage.connect = async ({ request, connection }) => {
      request.onListChanged('tools');
      return { ok: true, connection };
    };
    await stage.server.connect();
    await stage.clock.advance(60_000);
    expect(stage.lists).toBe(1);
  });

  it('MC-16: a server that reports changes with each failing list is polled less and less, with one warning', async () => {
    const stage = setServerStage();
    await stage.server.connect();
    stage.tools = async ({ request }) => {
      request.onListChanged('tools');
      throw new Error('no list today');
    };
    const at: number[] = [];
    stage.lines[0]?.request.onListChanged('tools');
    for (let seen = 1; stage.clock.elapsed() < 120_000; await stage.clock.advance(500)) {
      await stage.clock.settle();
      if (stage.lists > seen) at.push(stage.clock.elapsed());
      seen = stage.lists;
    }
    expect(at).toEqual([0, 1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000]);
    expect(stage.names()).toEqual(['one']);
    expect(stage.warnings).toEqual([
      "MCP server s: its new list of tools can't be read, the old one stays: no list today",
    ]);
  });

  it('MC-16: reasons that differ each time are reported ten times at most', async () => {
    const stage = setServerStage();
    await stage.server.connect();
    stage.tools = async ({ request }) => {
      request.onListChanged('tools');
      throw new Error(`reason ${stage.lists}`);
    };
    stage.lines[0]?.request.onListChanged('tools');
    await stage.clock.settle();
    await stage.clock.advance(3_600_000);
    expect(stage.lists).toBeGreaterThan(100);
    expect(stage.warnings).toHaveLength(10);
  });

  it('MC-16: changes in a burst share a list; the last is never missed, and a later one is taken at once', async () => {
    const stage = setServerStage();
    await stage.server.connect();
    stage.tools = async () => [`tool ${stage.lists}`];
    const change = () => stage.lines[0]?.request.onListChanged('tools');
    for (let time = 0; time < 100; time += 1) {
      change();
      await stage.clock.advance(1);
    }
    expect(stage.lists).toBe(2);
    await stage.clock.advance(1_000);
    expect([stage.lists, stage.names()]).toEqual([3, ['tool 3']]);
    await stage.clock.advance(60_000);
    expect(stage.lists).toBe(3);
    change();
    await stage.clock.settle();
    expect(stage.names()).toEqual(['tool 4']);
  });

  it('MC-16: a server that reports a change with each list is polled every 8 seconds in the end, and no more once it is gone', async () => {
    const stage = setServerStage();
    await stage.server.connect();
    stage.tools = async ({ request }) => {
      request.onListChanged('tools');
      return ['one'];
    };
    stage.lines[0]?.request.onListChanged('tools');
    await stage.clock.settle();
    await stage.clock.advance(15_500);
    const [early, pauses] = [stage.lists, 10];
    await stage.clock.advance(pauses * 8_000);
    expect([early, stage.lists]).toEqual([7, 7 + pauses]);
    await stage.server.close();
    const before = stage.lists;
    await stage.clock.advance(60_000);
    expect([stage.lists, stage.clock.next]).toEqual([before, undefined]);
  });
});

describe('a server that can’t be reached', () => {
  it.each([
    ['user', FAILED, 'MCP server s: it fell over. /mcp reconnect s tries again'],
    ['agent', FAILED, 'MCP server s: it fell over'],
    [
      'user',
      { ok: false, kind: 'needs-sign-in', reason: 'run: coppice mcp login s' },
      'MCP server s: run: coppice mcp login s',
    ],
  ] as const)('MC-14: is told to the person, once: of %s, %j', async (scope, connected, line) => {
    const stage = setServerStage(scope);
    stage.connect = async () => connected;
    await stage.server.connect();
    await expect(stage.server.connection(never)).rejects.toThrow();
    await stage.server.reconnect();
    expect(stage.lines).toHaveLength(3);
    expect(stage.warnings).toEqual([line]);
  });

  it('MC-14: not when the session ends meanwhile', async () => {
    const stage = setServerStage();
    stage.connect = async () => {
      void stage.server.close();
      return FAILED;
    };
    await stage.server.connect();
    expect(stage.warnings).toEqual([]);
  });

  it('MC-6: concurrent calls that find it lost use one restart, and a refused one uses none', async () => {
    const stage = setServerStage();
    await stage.server.connect();
    const lose = () => stage.lines.at(-1)?.request.onLost('gone');
    lose();
    stage.whyNotAgain = async () => 'not approved';
    for (let call = 0; call < 4; call += 1) {
      await expect(stage.server.connection(never)).rejects.toThrow('The MCP server s is not there: not approved');
    }
    stage.whyNotAgain = async () => undefined;
    for (let restart = 1; restart <= 3; restart += 1) {
      await Promise.all([1, 2, 3].map(() => stage.server.connection(never)));
      expect(stage.lines).toHaveLength(1 + restart);
      lose();
    }
    await expect(stage.server.connection(never)).rejects.toThrow(
      'gone. It was started again 3 times; /mcp reconnect s',
    );
    await stage.server.reconnect();
    expect(stage.server.status).toBe('connected');
  });

  it('MC-14: one whose approval can’t be read is a failure like any other', async () => {
    const stage = setServerStage();
    stage.connect = async () => FAILED;
    await stage.server.connect();
    stage.whyNotAgain = () => Promise.reject(new Error('the disk is gone'));
    await expect(stage.server.connection(never)).rejects.toThrow('is not there: the disk is gone');
  });

  it('MC-14: one that is lost before its connection is taken is not taken for connected', async () => {
    const stage = setServerStage();
    stage.connect = async ({ request, connection }) => {
      request.onLost('it ended at once');
      return { ok: true, connection: { ...connection, offers: { tools: false, resources: true, prompts: false } } };
    };
    await stage.server.connect();
    expect([stage.server.status, stage.server.trouble.reason]).toEqual(['failed', 'it ended at once']);
    expect(stage.lines[0]?.isClosed).toBe(true);
  });

  it('MC-14: messages of an old connection change nothing', async () => {
    const stage = setServerStage();
    await stage.server.connect();
    await stage.server.reconnect();
    stage.lines[0]?.request.onLost('gone');
    stage.lines[0]?.request.onListChanged('tools');
    await stage.clock.settle();
    expect([stage.server.status, stage.lists, stage.warnings]).toEqual(['connected', 2, []]);
  });
});

describe('reconnect and close', () => {
  it('MC-14: a reconnect while it connects does not end the connection that calls wait for', async () => {
    const stage = setServerStage();
    const slow = gate();
    stage.connect = async ({ connection }) => {
      await slow.opened;
      return { ok: true, connection };
    };
    const call = stage.server.connection(never);
    const again = stage.server.reconnect();
    slow.open();
    await Promise.all([call, again]);
    expect(stage.lines.map(({ isClosed }) => isClosed)).toEqual([false]);
  });

  it('MC-15: the end waits for connections that were lost or left, and for no list', async () => {
    const stage = setServerStage();
    const processes = gate();
    await stage.server.connect();
    const [first] = stage.lines;
    if (first === undefined) expect.unreachable();
    first.ending = processes.opened;
    first.request.onLost('gone');
    let isClosed = false;
    const closed = stage.server.close().then(() => {
      isClosed = true;
    });
    await stage.clock.settle();
    expect([first.isClosed, isClosed]).toEqual([true, false]);
    processes.open();
    await closed;
    await expect(stage.server.connection(never)).rejects.toThrow('the session is closed');
    expect(stage.lines).toHaveLength(1);
  });

  it('MC-15: a reconnect in progress does not hide its old connection from the end', async () => {
    const stage = setServerStage();
    const processes = gate();
    await stage.server.connect();
    const [first] = stage.lines;
    if (first === undefined) expect.unreachable();
    first.ending = processes.opened;
    const again = stage.server.reconnect();
    await stage.clock.settle();
    let isClosed = false;
    const closed = stage.server.close().then(() => {
      isClosed = true;
    });
    await stage.clock.settle();
    expect(isClosed).toBe(false);
    processes.open();
    await Promise.all([closed, again]);
    expect([stage.lines.length, stage.server.status]).toEqual([1, 'failed']);
  });

  it('MC-15: one that never lists its tools does not hold up the end', async () => {
    const stage = setServerStage();
    stage.tools = (line) =>
      new Promise((_, reject) => {
        line.connection.close = async () => {
          line.isClosed = true;
          reject(new Error('closed'));
        };
      });
    const connecting = stage.server.connect();
    await stage.clock.settle();
    await stage.server.close();
    await connecting;
    expect([stage.lines[0]?.isClosed, stage.server.trouble.reason, stage.warnings]).toEqual([
      true,
      'the session is closed',
      [],
    ]);
  });

  it('MC-26: a connection is given the way to ask whether its helper may still run', async () => {
    const stage = setServerStage();
    await stage.server.connect();
    stage.whyNotAgain = async () => 'its script has changed';
    expect(await stage.lines[0]?.request.mayRun?.()).toBe('its script has changed');
  });
});
