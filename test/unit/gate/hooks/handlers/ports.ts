/** Ports of a session that remember what they were asked, and answer as a test says. */

import type {
  HookNews,
  HookPorts,
  HookPrompt,
  HookReply,
  ServerToolCall,
} from '../../../../../src/gate/hooks/hook-ports.js';

export type AskedPorts = {
  readonly ports: () => Promise<HookPorts>;
  readonly calls: ServerToolCall[];
  readonly questions: (HookPrompt & { readonly to: 'model' | 'agent' })[];
  readonly news: HookNews[];
  /** Of all that was asked. */
  readonly signals: AbortSignal[];
};

export function answeringPorts(
  answers: { readonly tool?: () => Promise<string>; readonly reply?: () => Promise<HookReply> } = {},
): AskedPorts {
  const calls: ServerToolCall[] = [];
  const questions: AskedPorts['questions'] = [];
  const news: HookNews[] = [];
  const signals: AbortSignal[] = [];
  const reply = answers.reply ?? (async () => ({ kind: 'said', text: '{"ok": true}' }));
  const ask = (to: 'model' | 'agent') => (question: HookPrompt, signal: AbortSignal) => {
    questions.push({ ...question, to });
    signals.push(signal);
    return reply();
  };
  const ports: HookPorts = {
    callServerTool: async (call, signal) => {
      calls.push(call);
      signals.push(signal);
      return (await answers.tool?.()) ?? '';
    },
    askModel: ask('model'),
    runAgent: ask('agent'),
    deliver: async (one) => void news.push(one),
  };
  return { ports: async () => ports, calls, questions, news, signals };
}
