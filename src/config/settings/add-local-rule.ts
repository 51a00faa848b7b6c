/** Adds an allow rule to a project's local settings when you answer "always allow". */

import type { Host } from '../../host/host.js';
import type { UpdateResult } from '../update-json-file.js';
import { changeLocalSettings } from './change-settings-file.js';
import { type SettingsContent as Content, recordIn as record } from './settings-content.js';

export function addLocalRule(host: Host, projectRoot: string, rule: string): Promise<UpdateResult> {
  return changeLocalSettings(
    host,
    projectRoot,
    { change: (content) => withRule(content, rule), holds: (content) => allowed(content).includes(rule) },
    [rule],
  );
}

function withRule(content: Content, rule: string): Content {
  const rules = allowed(content);
  if (rules.includes(rule)) return content;
  return { ...content, permissions: { ...record(content.permissions), allow: [...rules, rule] } };
}

function allowed(content: Content): readonly unknown[] {
  const { allow } = record(content.permissions);
  return Array.isArray(allow) ? allow : [];
}
