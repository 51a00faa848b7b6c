import { describe, expect, it } from 'vitest';
import { describeCall, describeResult } from '../../../../src/front/view/describe/describe-call.js';
import { editDiff } from '../../../../src/front/view/edit-diff.js';
import { text } from '../../../../src/protocol/blocks.js';
import { freezeBlock } from '../../../../src/protocol/frozen-block.js';

describe('a call in a line', () => {
  it('GT-20: shows the main argument, escaped, on one line', () => {
    expect(describeCall('Bash', { command: 'ls\u001b[2J\nrm x' })).toBe('Bash: ls\\u{1b}[2J … (+1 line)');
    expect(describeCall('Read', { file_path: 'a\u202eb' })).toBe('Read: a\\u{202e}b');
    expect(describeCall('mcp__x__y', { n: 1 })).toBe('mcp__x__y: {"n":1}');
    expect(describeCall('constructor', {})).toBe('constructor: {}');
  });

  it('GT-20: a result is stripped and cut to its first line', () => {
    const content = [text('\n\u001b]0;t\u0007first\u001b[31m\nsecond')];
    const block = freezeBlock({ type: 'tool_result', tool_use_id: 'c', content });
    expect(describeResult([block])).toEqual({ first: 'first', more: ['second'] });
  });
});

describe('the diff of an edit', () => {
  it('SF-15: shows removed and added lines', async () => {
    const diff = await editDiff('Edit', { old_string: 'a\nb\nc', new_string: 'a\nB\nc' });
    expect(diff?.map(({ sign, text: line }) => sign + line)).toEqual([' a', '-b', '+B', ' c']);
    expect(await editDiff('Bash', { command: 'x' })).toBeUndefined();
    expect(await editDiff('Edit', { old_string: 1 })).toBeUndefined();
  });

  it('SF-15, GT-10: texts too different to compare are shown as all removed and all added', async () => {
    const text = (word: string) => Array.from({ length: 3_000 }, (_, n) => `${word} ${n}`).join('\n');
    const diff = await editDiff('Edit', { old_string: text('old'), new_string: text('new') });
    expect(diff).toHaveLength(6_001);
    expect(diff?.[0]).toEqual({ sign: ' ', text: expect.stringContaining('too different to compare') });
    expect(diff?.[1]).toEqual({ sign: '-', text: 'old 0' });
  });
});
