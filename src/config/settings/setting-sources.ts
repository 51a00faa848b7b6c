/** Which of the person's and the project's files a session reads (CL-2). What is managed is always read. */

export type SettingSource = 'user' | 'project' | 'local';

/** All, if omitted. */
export type WantedSources = readonly SettingSource[] | undefined;

export function isRead(sources: WantedSources, source: SettingSource): boolean {
  return sources === undefined || sources.includes(source);
}
