/** The modes a running session can switch to: bypassPermissions is available only from the command line (GT-5). */

import { PERMISSION_MODES, type PermissionMode } from '../../protocol/permission.js';

export function allowedModes(startMode: PermissionMode): readonly PermissionMode[] {
  return PERMISSION_MODES.filter(
    (mode) => mode !== 'bubble' && (mode !== 'bypassPermissions' || startMode === 'bypassPermissions'),
  );
}
