/** The user and project files that a session reads (CL-2). Managed settings are always read. */

export type SettingSource = 'user' | 'project' | 'local';

/** All, if omitted. */
export type WantedSources = readonly SettingSource[] | undefined;

export function isRead(sources: WantedSources, source: SettingSource): boolean {
  return sources === undefined || sources.includes(source);
}
