/** A client that writes its own lines, right or wrong, to the real program. */

import type { PlainStage } from '../plain/plain-stage.js';

const ARGS = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

export type Line = Record<string, unknown> & { readonly type: string };
type Asked = { readonly request_id: string; readonly request: Record<string, unknown> & { readonly subtype: string } };

export type RawClient = ReturnType<typeof startRaw>;

export function startRaw(stage: PlainStage, args: readonly string[] = [], env: Record<string, string> = {}) {
  const program = stage.pipe([...ARGS, ...args], env);
  const lines = () =>
    program
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const ofType = (type: string) => lines().filter((line) => line.type === type);
  const send = (line: object) => program.say(JSON.stringify(line));
  return {
    ...program,
    lines,
    ofType,
    send,
    prompt: (content: unknown, more: object = {}) =>
      send({ type: 'user', message: { role: 'user', content }, ...more }),
    request: (request_id: string, request: object) => send({ type: 'control_request', request_id, request }),
    /** The answer to one of our requests. */
    answer: async (id: string) => {
      await program.until(new RegExp(`"control_response".*"request_id":"${id}"`));
      const found = ofType('control_response').find((line) => (line.response as Line).request_id === id);
      return found?.response as Record<string, unknown>;
    },
    /** The nth request of a kind to us. */
    asked: async (subtype: string, nth = 1) => {
      await program.until(new RegExp(`(?:"control_request"[^\\n]*"subtype":"${subtype}"[\\s\\S]*){${nth}}`));
      const all = ofType('control_request') as unknown as readonly Asked[];
      return all.filter(({ request }) => request.subtype === subtype)[nth - 1] as Asked;
    },
    reply: (request_id: string, response: unknown) =>
      send({ type: 'control_response', response: { subtype: 'success', request_id, response } }),
    fail: (request_id: string, error: string) =>
      send({ type: 'control_response', response: { subtype: 'error', request_id, error } }),
    /** Lines that say that something was wrong. */
    errors: () => ofType('system').flatMap((line) => (line.is_error === true ? [String(line.content)] : [])),
    results: () => ofType('result').map((line) => line.result),
  };
}
