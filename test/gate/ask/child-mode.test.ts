import { describe, expect, it } from 'vitest';
import { childMode, type ModeQuestion, needsAgreement } from '../../../src/gate/ask/child-mode.js';
import { PERMISSION_MODES, type PermissionMode } from '../../../src/protocol/permission.js';

const headless: ModeQuestion = {
  wish: undefined,
  parent: 'default',
  startedBypassed: false,
  interactive: false,
  editsAgreed: false,
  inherit: false,
};

describe('childMode', () => {
  const rows: readonly (readonly [string, Partial<ModeQuestion>, PermissionMode])[] = [
    ['headless without acceptEdits: default', {}, 'default'],
    ['headless: agreement from elsewhere changes nothing', { editsAgreed: true }, 'default'],
    ['parent accepts edits: so does the child', { parent: 'acceptEdits' }, 'acceptEdits'],
    ['interactive, the person agreed', { interactive: true, editsAgreed: true }, 'acceptEdits'],
    ['interactive, the person did not', { interactive: true }, 'default'],
    ['a definition that wants to ask, asks', { wish: 'default', parent: 'acceptEdits' }, 'default'],
    ['parent plans: read-only', { parent: 'plan' }, 'plan'],
    ['parent plans, whatever is wished', { parent: 'plan', wish: 'bypassPermissions', startedBypassed: true }, 'plan'],
    ['parent never asks', { parent: 'dontAsk' }, 'dontAsk'],
    ['parent never asks, whatever is wished', { parent: 'dontAsk', wish: 'acceptEdits' }, 'dontAsk'],
    ['a definition may plan', { wish: 'plan', parent: 'acceptEdits' }, 'plan'],
    ['bypass in a definition does not count', { wish: 'bypassPermissions' }, 'default'],
    ['bypass, parent accepts edits', { wish: 'bypassPermissions', parent: 'acceptEdits' }, 'acceptEdits'],
    [
      'bypass counts if the session was started so',
      { wish: 'bypassPermissions', parent: 'bypassPermissions', startedBypassed: true },
      'bypassPermissions',
    ],
    [
      'a session switched to bypass later does not make it count',
      { wish: 'bypassPermissions', parent: 'bypassPermissions' },
      'acceptEdits',
    ],
    ['subagents.permissionMode: inherit', { inherit: true, wish: 'plan', parent: 'acceptEdits' }, 'acceptEdits'],
  ];
  it.each(rows)('GT-9: %s', (_name, given, expected) => {
    expect(childMode({ ...headless, ...given })).toBe(expected);
  });

  it('GT-9: no definition makes a child freer than acceptEdits unless the session was started so', () => {
    for (const parent of PERMISSION_MODES.filter((mode) => mode !== 'bypassPermissions')) {
      for (const wish of [undefined, ...PERMISSION_MODES]) {
        for (const interactive of [true, false]) {
          const mode = childMode({ ...headless, parent, wish, interactive, editsAgreed: true });
          expect(mode).not.toBe('bypassPermissions');
          if (parent === 'plan' || parent === 'dontAsk') expect(mode).toBe(parent);
        }
      }
    }
  });

  it('GT-9: the person is asked only where the answer makes a difference', () => {
    expect(needsAgreement({ ...headless, interactive: true })).toBe(true);
    expect(needsAgreement(headless)).toBe(false);
    expect(needsAgreement({ ...headless, interactive: true, parent: 'acceptEdits' })).toBe(false);
    expect(needsAgreement({ ...headless, interactive: true, parent: 'plan' })).toBe(false);
    expect(needsAgreement({ ...headless, interactive: true, wish: 'default' })).toBe(false);
    expect(needsAgreement({ ...headless, interactive: true, inherit: true })).toBe(false);
  });
});
