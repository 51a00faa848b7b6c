/** The one question before the first child that would edit unasked: put once, however many are started together. */

import type { AgentSettings } from '../../agents/runtime.js';

const asking = new WeakMap<AgentSettings, Promise<boolean>>();

export async function agreeOnEdits(rules: AgentSettings, signal: AbortSignal): Promise<boolean> {
  if (rules.editsAgreed !== undefined) return rules.editsAgreed;
  if (rules.askAboutEdits === undefined) return false;
  const open = asking.get(rules) ?? rules.askAboutEdits(signal);
  asking.set(rules, open);
  const agreed = await open;
  asking.delete(rules);
  // A question that was taken back was not answered: the next child asks again.
  if (!signal.aborted) rules.editsAgreed = agreed;
  return agreed;
}
