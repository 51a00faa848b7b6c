import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../../src/front/sdk/define-tool.js';
import { outcomeText } from '../../../../src/protocol/outcome.js';
import { declareTools } from '../../../../src/tools/registry.js';
import type { Tool, ToolContext } from '../../../../src/tools/tool.js';

const common = { name: 'Weather', description: 'The weather.' };
const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const context = {} as ToolContext;

describe('a tool of the embedder’s own', () => {
  it('SF-14: with zod: the model gets its JSON Schema, built when it is first asked for', async () => {
    let built = 0;
    const city = z.string();
    const schema = z.object({
      get city() {
        built += 1;
        return city;
      },
    });
    const tool = defineTool({ ...common, schema, run: async (input) => `rain in ${input.city}` });
    expect(built).toBe(0);
    expect(declareTools([tool as Tool])).toEqual([{ ...common, inputSchema: expect.objectContaining(inputSchema) }]);
    expect(tool.inputSchema).toBe(tool.inputSchema);
    expect(tool.parse({ city: 7 })).toEqual({ ok: true, input: { city: '7' } });
    expect(tool.parse({})).toMatchObject({ ok: false, reason: expect.stringContaining('"city" is missing') });
    expect(outcomeText(await tool.run({ city: 'Lisbon' }, context))).toBe('rain in Lisbon');
  });

  it('SF-14: with a JSON Schema and a parser: the parser gets an object, and nothing else reaches it', async () => {
    const tool = defineTool<string>({
      ...common,
      inputSchema,
      parse: ({ city }) => (typeof city === 'string' ? { ok: true, input: city } : { ok: false, reason: 'no city' }),
      run: async (city) => `rain in ${city}`,
    });
    expect(declareTools([tool as Tool])[0]?.inputSchema).toBe(inputSchema);
    expect(tool.parse({ city: 'Lisbon' })).toEqual({ ok: true, input: 'Lisbon' });
    expect(tool.parse({})).toEqual({ ok: false, reason: 'no city' });
    expect(tool.parse('Lisbon')).toMatchObject({ ok: false, reason: expect.stringContaining('must be an object') });
    expect(outcomeText(await tool.run('Lisbon', context))).toBe('rain in Lisbon');
  });

  it('SF-14: with a JSON Schema alone: any object is taken, and nothing else', async () => {
    const tool = defineTool({ ...common, inputSchema, run: async (fields) => JSON.stringify(fields) });
    expect(tool.parse({ city: 7, more: [] })).toEqual({ ok: true, input: { city: 7, more: [] } });
    expect(tool.parse('{"city":"x"}')).toEqual({ ok: true, input: { city: 'x' } });
    for (const raw of [[], 'text', 7]) {
      expect(tool.parse(raw)).toMatchObject({ ok: false, reason: expect.stringContaining('must be an object') });
    }
    expect(outcomeText(await tool.run({ a: 1 }, context))).toBe('{"a":1}');
  });
});
