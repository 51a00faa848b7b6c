/** The modes a running session can be put in: what bypasses every question counts only from the command line (GT-5). */

import { PERMISSION_MODES, type PermissionMode } from '../../protocol/permission.js';

export function allowedModes(startMode: PermissionMode): readonly PermissionMode[] {
  return PERMISSION_MODES.filter(
    (mode) => mode !== 'bubble' && (mode !== 'bypassPermissions' || startMode === 'bypassPermissions'),
  );
}
