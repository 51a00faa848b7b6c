import { describe, expect, it } from 'vitest';
import type { HookRun } from '../../../../src/gate/hooks/hook-answer.js';
import { HOOK_EVENTS, type HookEvent } from '../../../../src/gate/hooks/hook-events.js';
import { readOutput } from '../../../../src/gate/hooks/read-output.js';

const exited = (code: number, stdout = '', stderr = '', stdoutCut = false): HookRun => {
  return { kind: 'exited', code, stdout, stderr, stdoutCut };
};
const read = (event: HookEvent, run: HookRun) => readOutput(event, 'the hook', run);
const said = (event: HookEvent, answer: unknown) => read(event, exited(0, JSON.stringify(answer)));
const specific = (output: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } });

describe('what a hook says', () => {
  it.each([
    [{ decision: 'approve' }, 'allow'],
    [{ decision: 'allow' }, 'allow'],
    [{ decision: 'block' }, 'deny'],
    [{ decision: 'deny' }, 'deny'],
    [specific({ permissionDecision: 'allow' }), 'allow'],
    [specific({ permissionDecision: 'ask' }), 'ask'],
    [specific({ permissionDecision: 'deny' }), 'deny'],
    [{ decision: 'approve', ...specific({ permissionDecision: 'deny' }) }, 'deny'],
    [{ decision: 'block', ...specific({ permissionDecision: 'allow' }) }, 'deny'],
    [{ decision: null, reason: null, unknown: { x: 1 } }, undefined],
    [{ decision: '' }, undefined],
  ])('GT-16: %j before a call means %s', (answer, decision) => {
    expect(said('PreToolUse', answer).decision).toBe(decision);
  });

  it('GT-16: the reason is the permission’s, or the old field', () => {
    expect(said('PreToolUse', specific({ permissionDecision: 'ask', permissionDecisionReason: 'why' })).reason).toBe(
      'why',
    );
    expect(said('PreToolUse', { decision: 'block', reason: 'old' }).reason).toBe('old');
  });

  it('GT-16: updatedInput applies before a call, unless the same hook denies it', () => {
    const updatedInput = { command: 'ls' };
    expect(said('PreToolUse', specific({ updatedInput })).updatedInput).toEqual(updatedInput);
    expect(said('PreToolUse', specific({ updatedInput, permissionDecision: 'deny' }))).not.toHaveProperty(
      'updatedInput',
    );
    expect(said('PostToolUse', specific({ updatedInput }))).not.toHaveProperty('updatedInput');
  });

  it('GT-16: a PermissionRequest is answered with behavior, updatedInput and message', () => {
    const allow = { behavior: 'allow', updatedInput: { a: 1 } };
    expect(said('PermissionRequest', specific({ decision: allow }))).toMatchObject({
      decision: 'allow',
      updatedInput: { a: 1 },
    });
    const deny = { behavior: 'deny', message: 'no', interrupt: true };
    expect(said('PermissionRequest', specific({ decision: deny }))).toMatchObject({
      decision: 'deny',
      reason: 'no',
      stop: 'no',
    });
  });

  it('GT-16: additionalContext, systemMessage, continue', () => {
    const answer = said('PostToolUse', {
      continue: false,
      stopReason: 'enough',
      systemMessage: 'formatted',
      ...specific({ additionalContext: 'two files changed' }),
    });
    expect(answer).toEqual({
      context: 'two files changed',
      stop: 'enough',
      messages: [{ level: 'info', hook: 'the hook', text: 'formatted' }],
    });
  });

  it('GT-16: a field of a wrong type is left out and named; the others apply', () => {
    const answer = said('PreToolUse', { decision: 'block', reason: 'real', systemMessage: 5 });
    expect(answer).toMatchObject({ decision: 'deny', reason: 'real' });
    expect(answer.messages).toEqual([
      expect.objectContaining({ level: 'error', text: expect.stringContaining('systemMessage') }),
    ]);
  });

  it.each([
    specific({ permissionDecision: 'defer' }),
    specific({ permissionDecision: 'block' }),
    { decision: 'no' },
    { decision: { behavior: 'deny' } },
    { hookSpecificOutput: 'deny' },
  ])('GT-17: a decision we do not understand (%j) blocks a call, visibly', (answer) => {
    expect(said('PreToolUse', answer)).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('the hook'),
      messages: [{ level: 'error' }],
    });
    expect(said('PostToolUse', answer)).toMatchObject({ messages: [{ level: 'error' }] });
    expect(said('PostToolUse', answer)).not.toHaveProperty('decision');
  });

  it('GT-16: allow and ask mean nothing where there is no call; no means no where something can be blocked', () => {
    expect(said('Stop', { decision: 'approve' })).not.toHaveProperty('decision');
    expect(said('UserPromptSubmit', specific({ permissionDecision: 'ask' }))).not.toHaveProperty('decision');
    expect(said('Stop', { decision: 'block', reason: 'go on' })).toMatchObject({ decision: 'deny', reason: 'go on' });
    expect(said('Notification', { decision: 'block', reason: 'no' })).toMatchObject({
      messages: [{ level: 'warning' }],
    });
    expect(said('Notification', { decision: 'block', reason: 'no' })).not.toHaveProperty('decision');
  });

  it.each(HOOK_EVENTS)('GT-16: exit 2 at %s blocks with stderr as the reason, or is shown', (event) => {
    const answer = read(event, exited(2, '', 'because\n'));
    const told = ['SessionStart', 'SessionEnd', 'Notification', 'SubagentStart', 'WorktreeRemove'].includes(event);
    if (told)
      expect(answer).toMatchObject({ messages: [{ level: 'warning', text: expect.stringContaining('because') }] });
    else expect(answer).toEqual({ decision: 'deny', reason: 'because', messages: [] });
  });

  it('GT-16: exit 2 without a word still has a reason', () => {
    expect(read('PreToolUse', exited(2)).reason).toContain('the hook');
    expect(read('PreToolUse', exited(2, 'on stdout')).reason).toBe('on stdout');
  });

  it.each([1, 3, 128, 255])('GT-16: exit code %i is a visible, non-blocking error', (code) => {
    const answer = read('PreToolUse', exited(code, '{"decision":"approve"}', 'Traceback'));
    expect(answer).toEqual({
      messages: [{ level: 'error', hook: 'the hook', text: `failed with exit code ${code}: Traceback` }],
    });
  });

  it('GT-16: plain text is context for a prompt, a session, a child; elsewhere it is shown', () => {
    for (const event of ['UserPromptSubmit', 'SessionStart', 'SubagentStart'] as const) {
      expect(read(event, exited(0, 'hello\n'))).toEqual({ context: 'hello', messages: [] });
    }
    expect(read('PreToolUse', exited(0, 'checking'))).toEqual({
      messages: [{ level: 'info', hook: 'the hook', text: 'checking' }],
    });
    expect(read('PreToolUse', exited(0, ' \n'))).toEqual({ messages: [] });
  });

  const failures: readonly HookRun[] = [
    exited(126, '', 'Permission denied'),
    exited(127, '', 'not found'),
    exited(0, '{"decision": "blo'),
    exited(1, '{"decision": "blo', 'Traceback'),
    exited(0, `{"reason": "${'x'.repeat(50)}`, '', true),
    { kind: 'not started', reason: 'ENOENT' },
    { kind: 'killed', signal: 'SIGKILL', stderr: '' },
    { kind: 'timed out', seconds: 1 },
    { kind: 'threw', reason: 'oops' },
  ];
  it.each(failures)('GT-17: %j before a call blocks it, visibly; elsewhere it is shown', (run) => {
    const before = read('PreToolUse', run);
    expect(before).toMatchObject({ decision: 'deny', reason: expect.stringContaining('the hook') });
    expect(before.messages).toMatchObject([{ level: 'error' }]);
    for (const event of HOOK_EVENTS) {
      if (event === 'PreToolUse' || event === 'WorktreeCreate' || event === 'ElicitationResult') continue;
      expect(read(event, run)).not.toHaveProperty('decision');
      expect(read(event, run).messages).toMatchObject([{ level: 'error' }]);
    }
  });

  it('GT-16: what is shown or added is capped at 10,000 characters, no character cut in two', () => {
    const long = '😀'.repeat(20_000);
    const texts = [
      read('SessionStart', exited(0, long)).context,
      read('PreToolUse', exited(2, '', long)).reason,
      read('PreToolUse', exited(0, long)).messages[0]?.text,
      read('PreToolUse', exited(1, '', long)).messages[0]?.text,
      read('PreToolUse', exited(127, '', long)).reason,
      said('PreToolUse', { decision: 'block', reason: long }).reason,
      said('PostToolUse', { additionalContext: long }).context,
      said('PostToolUse', { continue: false, stopReason: long }).stop,
      said('PostToolUse', { systemMessage: long }).messages[0]?.text,
    ];
    for (const text of texts) {
      expect(text?.length).toBeLessThanOrEqual(10_000);
      expect(text?.length).toBeGreaterThan(9_900);
      expect(text).toContain('cut');
      expect(text?.isWellFormed()).toBe(true);
    }
  });

  it('GT-14: WorktreeCreate prints a path; without one, or with any failure, there is no worktree', () => {
    expect(read('WorktreeCreate', exited(0, 'making it\n/trees/one\n'))).toEqual({
      worktreePath: '/trees/one',
      messages: [],
    });
    expect(read('WorktreeCreate', exited(0)).decision).toBe('deny');
    expect(read('WorktreeCreate', exited(1, '/trees/one')).decision).toBe('deny');
  });
});
