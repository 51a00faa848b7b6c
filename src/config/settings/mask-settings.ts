/** Masks secrets in settings, and values that look like secrets, before they are shown. Pure. */

import { isObject, mapValues } from '../../protocol/json/json-values.js';
import { maskArgs, maskServer, maskText } from '../mcp/mask-server.js';
import type { Settings } from './settings-table.js';

const MASK = '••••';

const SECRET = /key|token|secret|passw|credential|auth|cookie/i;
/** Names that match SECRET but are not secret. */
const PLAIN = /^(apiKeyHelper|keepsThinking|maxOutputTokens|mcp\.searchAboveTokens|includeCoAuthoredBy)$|_TOKENS$/;

/** Masks values whose key looks secret, and credentials in URLs. */
export function masked(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, key));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(member, name)]));
  }
  if (typeof value !== 'string') return value;
  if (SECRET.test(key) && !PLAIN.test(key)) return MASK;
  return value.replace(/(\w:\/\/)[^/@\s]+@/g, `$1${MASK}@`);
}

/** Masks settings for another program: all values of variables, headers and plugin options, secret or not. */
export function maskSettings(settings: Settings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, maskMember(key, value)]));
}

function maskMember(key: string, value: unknown): unknown {
  if (key === 'mcpServers' && isObject(value)) {
    return mapValues(value, (one) => blankIn(masked(maskServer(one), key)));
  }
  if (key === 'apiKeyHelper') return MASK;
  if (key === 'pluginConfigs') return blankAll(value);
  return blankIn(maskTexts(masked(value, key)), key);
}

/** Command lines may contain a key, in one string or as a separate argument. */
function maskTexts(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return maskArgs(value).map((one) => (typeof one === 'string' ? one : maskTexts(one)));
  return isObject(value) ? mapValues(value, maskTexts) : value;
}

function blankIn(value: unknown, key = ''): unknown {
  if (key === 'env' || key === 'headers') return blankAll(value);
  if (Array.isArray(value)) return value.map((one) => blankIn(one));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, blankIn(one, name)]))
    : value;
}

/** Masks all values and keeps the names. */
function blankAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(blankAll);
  return isObject(value) ? mapValues(value, blankAll) : MASK;
}
