/** Adds an allow rule to a project's local settings when you answer "always allow". */

import type { Host } from '../../host/host.js';
import { type JsonObject, objectOf } from '../../protocol/json/json-values.js';
import type { UpdateResult } from '../update-json-file.js';
import { changeLocalSettings } from './change-settings-file.js';

export function addLocalRule(host: Host, projectRoot: string, rule: string): Promise<UpdateResult> {
  return changeLocalSettings(
    host,
    projectRoot,
    { change: (content) => withRule(content, rule), holds: (content) => allowed(content).includes(rule) },
    [rule],
  );
}

function withRule(content: JsonObject, rule: string): JsonObject {
  const rules = allowed(content);
  if (rules.includes(rule)) return content;
  return { ...content, permissions: { ...objectOf(content.permissions), allow: [...rules, rule] } };
}

function allowed(content: JsonObject): readonly unknown[] {
  const { allow } = objectOf(content.permissions);
  return Array.isArray(allow) ? allow : [];
}
