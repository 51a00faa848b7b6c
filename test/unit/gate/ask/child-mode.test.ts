import { describe, expect, it } from 'vitest';
import { childMode, EditAgreement, type ModeQuery, needsAgreement } from '../../../../src/gate/ask/child-mode.js';
import { Questions } from '../../../../src/gate/ask/questions.js';
import type { LiveEvent } from '../../../../src/protocol/events.js';
import { PERMISSION_MODES, type PermissionAnswer, type PermissionMode } from '../../../../src/protocol/permission.js';

const headless: ModeQuery = {
  wish: undefined,
  parent: 'default',
  startedBypassed: false,
  interactive: false,
  editsAgreed: false,
  inherit: false,
};

describe('childMode', () => {
  const rows: readonly (readonly [string, Partial<ModeQuery>, PermissionMode])[] = [
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

  it('GT-9: the user is asked only where the answer makes a difference', () => {
    expect(needsAgreement({ ...headless, interactive: true })).toBe(true);
    expect(needsAgreement(headless)).toBe(false);
    expect(needsAgreement({ ...headless, interactive: true, parent: 'acceptEdits' })).toBe(false);
    expect(needsAgreement({ ...headless, interactive: true, parent: 'plan' })).toBe(false);
    expect(needsAgreement({ ...headless, interactive: true, wish: 'default' })).toBe(false);
    expect(needsAgreement({ ...headless, interactive: true, inherit: true })).toBe(false);
  });
});

describe('the user’s agreement', () => {
  const ALWAYS = { kind: 'agents-edit' } as const;

  /** Asks, answers, and gives what came of it. */
  async function agree(answer: PermissionAnswer, keep: () => Promise<string | undefined>) {
    const told: LiveEvent[] = [];
    const questions = new Questions();
    questions.addAnswerer();
    const always = { file: '/home/you/.claude/settings.json', keep };
    const agreement = new EditAgreement({ questions, agreed: undefined, folder: '/w', always, newId: () => 'q1' });
    const requester = { notify: async (event: LiveEvent) => told.push(event) };
    const { signal } = new AbortController();
    const agreed = agreement.isAgreed(requester, signal);
    expect(questions.all()).toMatchObject([
      { about: 'agents-edit', offers: [{ kind: 'agents-edit', file: '/home/you/.claude/settings.json' }] },
    ]);
    questions.answer('q1', answer);
    return { agreed: await agreed, later: await agreement.isAgreed(requester, signal), told };
  }

  it('GT-9: a plain yes holds for the session and keeps nothing; always keeps it, once', async () => {
    let kept = 0;
    const keep = async () => {
      kept += 1;
      return undefined;
    };
    expect(await agree({ behavior: 'allow' }, keep)).toMatchObject({ agreed: true, later: true });
    expect(kept).toBe(0);
    expect(await agree({ behavior: 'allow', always: [ALWAYS] }, keep)).toMatchObject({ agreed: true, later: true });
    expect(kept).toBe(1);
    expect(await agree({ behavior: 'deny' }, keep)).toMatchObject({ agreed: false, later: false });
    expect(kept).toBe(1);
  });

  it('GT-9: an always that can’t be kept holds for the session, and a line says so', async () => {
    const { agreed, later, told } = await agree(
      { behavior: 'allow', always: [ALWAYS] },
      async () => 'the disk is full',
    );
    expect([agreed, later]).toEqual([true, true]);
    expect(told.flatMap((event) => (event.kind === 'line-shown' ? [event.line] : []))).toEqual([
      'agents may edit files in this session, but the answer was not saved: the disk is full',
    ]);
  });
});
