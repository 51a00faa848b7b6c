import { describe, expect, it } from 'vitest';
import { todoWriteTool } from '../../../../src/tools/todo/todo-write.js';
import { makeBench } from '../tool-bench.js';

const item = (content: string, status = 'pending', more: object = {}) => ({
  content,
  status,
  activeForm: `${content}ing`,
  ...more,
});

describe('SF-14: TodoWrite checks its items', () => {
  it('SF-14: stores a valid list', async () => {
    const bench = await makeBench();
    const said = await bench.say(todoWriteTool, {
      todos: [item('a', 'completed'), item('b', 'in_progress'), { content: ' c ', status: 'pending' }],
    });
    expect(said).toBe('1 of 3 done. Now: bing.');
    expect(bench.context.todos.items[2]).toEqual({ content: 'c', status: 'pending', activeForm: 'c' });
    expect(await bench.say(todoWriteTool, { todos: [] })).toContain('empty');
    expect(bench.context.todos.items).toEqual([]);
  });

  it('SF-14: takes a list given as text', async () => {
    const bench = await makeBench();
    await bench.call(todoWriteTool, { todos: JSON.stringify([item('a')]) });
    expect(bench.context.todos.items).toHaveLength(1);
  });

  it('SF-14: refuses empty items, two at once, ids used twice, unknown states; the old list stays', async () => {
    const bench = await makeBench();
    await bench.call(todoWriteTool, { todos: [item('old')] });
    const refused = [
      [[item(' ')], 'item 1: "content" is empty'],
      [[item('a', 'in_progress'), item('b'), item('c', 'in_progress')], 'items 1, 3 are all in progress'],
      [[item('a', 'pending', { id: 'x' }), item('b', 'pending', { id: 'x' })], 'items 1 and 2 have the same id'],
      [
        [item('a', 'done')],
        '"todos.0.status": expected one of "pending", "in_progress", "completed", got the string "done"',
      ],
      [Array.from({ length: 201 }, (_, i) => item(`${i}`)), '201 items'],
    ] as const;
    for (const [todos, reason] of refused) {
      const outcome = await bench.call(todoWriteTool, { todos });
      expect(outcome.isError).toBe(true);
      expect(JSON.stringify(outcome.content)).toContain(JSON.stringify(reason).slice(1, -1));
    }
    expect(bench.context.todos.items.map((todo) => todo.content)).toEqual(['old']);
  });
});
