/** Our own folder for boxes. What is in it is small, holds nothing of a project, and stays for later sessions. */

import { join } from 'node:path';
import { coppiceHome } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';

export async function openBoxState(host: Host): Promise<string> {
  const folder = join(coppiceHome(host.env), 'box');
  await host.files.makeFolder(folder, 0o700);
  return host.files.realpath(folder);
}
