/** The reason why bubblewrap could not start a command, and what to install or enable. */

import type { Host } from '../../../host/host.js';

export const INSTALL = 'install bubblewrap (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap)';

export async function explainStart(host: Host, stderr: string, timedOut: boolean): Promise<string> {
  if (timedOut) return 'it timed out';
  const said = stderr.trim().split('\n')[0] ?? '';
  if (said === '') return 'it printed no error';
  if (!/uid map|user namespace|namespace|mount|Operation not permitted|Permission denied/i.test(said)) return said;
  const advice = await findObstacles(host);
  return `${said}. User namespaces seem to be switched off: ${advice.join('; or ')}`;
}

/** Reports only what this machine has visibly disabled. */
async function findObstacles(host: Host): Promise<readonly string[]> {
  const setting = async (name: string) =>
    (await host.files.read(`/proc/sys/${name}`).catch(() => undefined))?.toString('utf8').trim();
  const exists = async (path: string) => (await host.files.stat(path).catch(() => undefined)) !== undefined;
  const advice: string[] = [];
  if ((await setting('user/max_user_namespaces')) === '0') {
    advice.push('set the sysctl user.max_user_namespaces to 10000');
  }
  if ((await setting('kernel/unprivileged_userns_clone')) === '0') {
    advice.push('set the sysctl kernel.unprivileged_userns_clone to 1');
  }
  if ((await setting('kernel/apparmor_restrict_unprivileged_userns')) === '1') {
    advice.push('add an AppArmor profile that allows bwrap user namespaces (Ubuntu: apt install apparmor-profiles)');
  }
  if ((await exists('/.dockerenv')) || (await exists('/run/.containerenv'))) {
    advice.push(
      'start this container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined',
    );
  }
  if (advice.length > 0) return advice;
  return ['allow user namespaces for bwrap: a sysctl, an AppArmor profile, or the security profile of the container'];
}
