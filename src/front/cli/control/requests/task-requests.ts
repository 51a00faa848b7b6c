/** Requests about tasks and queued prompts. */

import { must } from '../session-facts.js';
import { optionalTextIn, textIn } from './read-fields.js';
import { type RequestHandlers, RequestRefused } from './request-handler.js';

export const taskRequests: RequestHandlers = {
  stop_task: async (request, { session }) => {
    must(await session.execute({ type: 'stop-task', task: textIn(request, 'task_id') }));
    return {};
  },
  background_tasks: async (request, { session }) => {
    const call = optionalTextIn(request, 'tool_use_id');
    if (!session.canBackground) throw new RequestRefused('background_tasks: background tasks are turned off here');
    const wanted = call === undefined ? {} : { call };
    const { moved } = await session.execute({ type: 'to-background', ...wanted });
    return call === undefined ? {} : { backgrounded: moved > 0 };
  },
  get_task_output: async (request, { session }) => {
    const task = textIn(request, 'task_id');
    const { output, bytes, isCut } = must(await session.execute({ type: 'task-output', task }));
    return { output, total_bytes: bytes, truncated: isCut };
  },
  cancel_async_message: async (request, { prompts }) => ({
    cancelled: prompts.cancel(textIn(request, 'message_uuid')),
  }),
};
