/**
 * Signatures of thinking blocks: a function of the text and the model, so that an edited block, or one of another
 * model, is detected without any stored state.
 */

import { createHash } from 'node:crypto';

export function signThinking(thinking: string, model: string): string {
  return sign(`thinking:${undated(model)}:${thinking}`);
}

function sign(content: string): string {
  return `sim${createHash('sha256').update(content).digest('base64')}`;
}

/** True if this model signed it. Old signatures without a model are valid for any model. */
export function isSigned(thinking: string, signature: unknown, model: string): boolean {
  return signature === signThinking(thinking, model) || signature === sign(`thinking:${thinking}`);
}

/** The data of a redacted block: opaque to the client, verifiable by us. */
export function redactThinking(thinking: string, model: string): string {
  const hidden = Buffer.from(thinking).toString('base64url');
  return `${hidden}.${seal(hidden, model)}`;
}

export function isRedacted(data: string, model: string): boolean {
  const dot = data.lastIndexOf('.');
  const hidden = data.slice(0, dot);
  return dot >= 0 && [seal(hidden, model), sealOf(`redacted:${hidden}`)].includes(data.slice(dot + 1));
}

function seal(hidden: string, model: string): string {
  return sealOf(`redacted:${undated(model)}:${hidden}`);
}

function sealOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url');
}

/** An id with a date is the same model as the id without it. */
function undated(model: string): string {
  return model.replace(/-\d{8}$/, '');
}
