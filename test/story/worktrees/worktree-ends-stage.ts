import { agentCall } from '../agents/agents-script.js';

export const TASK = 'TASK alpha';

export const apart = (more: object = {}) => agentCall(TASK, { isolation: 'worktree', description: 'a part', ...more });

export const BASH = { allowedTools: ['Bash'] };

export const never = () => new Promise<string>(() => {});
