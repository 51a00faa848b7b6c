/** A model's call that starts an agent. */

export const agentCall = (prompt: string, more: object = {}) => ({ tool: 'Agent', input: { prompt, ...more } });
