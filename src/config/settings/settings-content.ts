/** The content of a settings file that is about to be changed: any JSON object. */

export type SettingsContent = Readonly<Record<string, unknown>>;

/** Undefined if the text is not a JSON object. */
export function parseContent(text: string): SettingsContent | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns an empty object unless the value is an object. */
export function recordIn(value: unknown): SettingsContent {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is SettingsContent {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
