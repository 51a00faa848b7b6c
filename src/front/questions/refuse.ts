/** A no, with what the person says to it. */

import type { PermissionAnswer } from '../../protocol/permission.js';

export function refuse(remark: string | undefined): PermissionAnswer {
  const reason = remark?.trim();
  return reason ? { behavior: 'deny', reason } : { behavior: 'deny' };
}
