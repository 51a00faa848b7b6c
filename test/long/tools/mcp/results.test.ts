/** What servers answer, as the model gets it. */

import { describe, expect, it } from 'vitest';
import { outcomeText } from '../../../../src/protocol/outcome.js';
import { convertResult } from '../../../../src/tools/mcp/offer/results.js';

describe('MC-20: size', () => {
  it('a picture of 200 MB is decoded once, for the disk', async () => {
    const data = Buffer.alloc(150_000_000).toString('base64');
    const sizes: number[] = [];
    const outcome = await convertResult(
      { content: [{ type: 'image', data, mimeType: 'image/png' }] },
      { callId: 'c', server: 's', keepOutput: async (_name, content) => `/kept${sizes.push(content.length)}` },
    );
    expect(sizes).toEqual([150_000_000]);
    expect(outcomeText(outcome)).toBe('[image image/png, 150000000 bytes: saved to /kept1]');
  });
});
