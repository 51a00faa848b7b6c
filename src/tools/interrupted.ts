/** The outcome of a call that was called off. */

import { failed, type ToolOutcome } from '../protocol/outcome.js';

export function interrupted(rest = ''): ToolOutcome {
  return failed(`The call was interrupted before it finished.${rest === '' ? '' : ` ${rest}`}`);
}
