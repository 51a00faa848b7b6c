/** Under which permission mode a named child runs: its definition's wish, within what keeps it from being a way around the person. */

import type { PermissionMode } from '../../protocol/permission.js';

export type ModeQuestion = {
  /** What the definition asks for, if anything. */
  readonly wish: PermissionMode | undefined;
  readonly parent: PermissionMode;
  /** The session was started with every question switched off. */
  readonly startedBypassed: boolean;
  /** A person watches. */
  readonly interactive: boolean;
  /** The person agreed that agents may edit without asking for each edit. */
  readonly editsAgreed: boolean;
  /** Children follow their parent (setting). */
  readonly inherit: boolean;
};

export function childMode(question: ModeQuestion): PermissionMode {
  const { parent, wish = 'acceptEdits' } = question;
  if (question.inherit) return parent;
  if (parent === 'plan' || parent === 'dontAsk') return parent;
  if (wish === 'plan' || wish === 'dontAsk') return wish;
  if (wish === 'bypassPermissions') return question.startedBypassed ? 'bypassPermissions' : withoutBypass(question);
  if (wish === 'acceptEdits') return withoutBypass(question);
  return wish === 'bubble' ? parent : 'default';
}

/** Edits go through unasked only where the parent's do, or where the person agreed to it for agents. */
function withoutBypass({ parent, interactive, editsAgreed }: ModeQuestion): PermissionMode {
  if (parent === 'acceptEdits' || parent === 'bypassPermissions') return 'acceptEdits';
  return interactive && editsAgreed ? 'acceptEdits' : 'default';
}

/** The one question to ask a person before the first child that would edit unasked. */
export function needsAgreement(question: Omit<ModeQuestion, 'editsAgreed'>): boolean {
  if (!question.interactive || question.inherit) return false;
  return (
    childMode({ ...question, editsAgreed: true }) === 'acceptEdits' &&
    childMode({ ...question, editsAgreed: false }) === 'default'
  );
}
