/** TodoWrite: the agent's own to-do list. */

import * as z from 'zod';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { type TodoItem, type TodoWriteResponse, todoWriteFacts } from '../../protocol/tools/todo-write.js';
import DECLARED_INPUTS from '../declared-inputs.json' with { type: 'json' };
import type { Tool, ToolContext } from '../tool.js';
import { zodTool } from '../zod-tool.js';

/** The description of TodoWrite for the model. */
const todoWriteText = `Keeps the list of what is to be done in this session, where the person can see it.

Use it for work of three or more steps, or when the person names several things to do. Leave it out for a single simple step.

- Each call gives the whole list; it replaces the one before.
- \`content\` says what to do ("Add a test for the parser"), \`activeForm\` what is going on while it is done ("Adding a test for the parser").
- \`status\` is \`pending\`, \`in_progress\` or \`completed\`. At most one item is in progress.
- Mark an item completed as soon as it is really done, not before: a failing test or an open error keeps it in progress.
- Add what you find on the way; drop what no longer matters.`;

const MAX_ITEMS = 200;

const schema = () =>
  z.object({
    todos: z
      .array(
        z.object({
          content: z.string().describe('What is to be done'),
          status: z.enum(['pending', 'in_progress', 'completed']),
          activeForm: z.string().optional().describe('The same, as something going on'),
          id: z.string().optional().describe('Your own name for the item, unique in the list'),
        }),
      )
      .describe('The whole list'),
  });

type Input = z.infer<ReturnType<typeof schema>>;

export const todoWriteTool: Tool<Input> = zodTool({
  name: todoWriteFacts.name,
  description: todoWriteText,
  schema,
  inputSchema: DECLARED_INPUTS.TodoWrite,
  concurrent: false,
  declare: () => [{ kind: 'session' }],
  run: async (input, context) => writeTodos(input, context),
});

function writeTodos({ todos }: Input, context: ToolContext): ToolOutcome {
  const problems = findProblems(todos);
  if (problems.length > 0) return failed(`The list was not saved:\n${problems.join('\n')}`);
  const items = todos.map(toItem);
  const oldTodos = context.todos.items;
  context.todos.items = items;
  const done = items.filter((item) => item.status === 'completed').length;
  const current = items.find((item) => item.status === 'in_progress');
  const now = current === undefined ? '' : ` Now: ${current.activeForm}.`;
  const output = items.length === 0 ? 'The list is now empty.' : `${done} of ${items.length} done.${now}`;
  return { ...succeeded(output), response: (): TodoWriteResponse => ({ oldTodos, newTodos: items }) };
}

function findProblems(todos: Input['todos']): readonly string[] {
  const problems: string[] = [];
  if (todos.length > MAX_ITEMS) problems.push(`- ${todos.length} items; at most ${MAX_ITEMS} are allowed.`);
  const ids = new Map<string, number>();
  const active: number[] = [];
  todos.forEach((todo, index) => {
    const at = index + 1;
    if (todo.content.trim() === '') problems.push(`- item ${at}: "content" is empty.`);
    if (todo.status === 'in_progress') active.push(at);
    if (todo.id === undefined) return;
    const first = ids.get(todo.id);
    if (first === undefined) ids.set(todo.id, at);
    else problems.push(`- items ${first} and ${at} have the same id "${todo.id}".`);
  });
  if (active.length > 1) {
    problems.push(
      `- items ${active.join(', ')} are all in progress; leave one, set the others to pending or completed.`,
    );
  }
  return problems;
}

function toItem(todo: Input['todos'][number]): TodoItem {
  const content = todo.content.trim();
  const activeForm = todo.activeForm?.trim() || content;
  return { content, status: todo.status, activeForm, ...(todo.id === undefined ? {} : { id: todo.id }) };
}
