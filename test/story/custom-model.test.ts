/** A model client of the embedder's own: it gets the same around it as ours. */

import { expect, it } from 'vitest';
import type { ModelClient } from '../../src/model/model-client.js';
import type { ModelRequest } from '../../src/model/request.js';
import { text } from '../../src/protocol/blocks.js';
import { freezeBlock } from '../../src/protocol/frozen-block.js';
import { NO_USAGE } from '../../src/protocol/usage.js';
import { fastHost } from '../support/hosts/fast-host.js';
import { faultLines, setStage } from '../support/story.js';

it('LC-23: one that throws and one that ends early are tried again, visibly, and the run continues', async () => {
  const stage = await setStage();
  const requests: ModelRequest[] = [];
  const modelClient: ModelClient = {
    async *request(request) {
      requests.push(request);
      if (requests.length === 1) throw new Error('no paper');
      yield { type: 'response-began', id: 'r', model: request.prefix.model, usage: NO_USAGE };
      if (requests.length === 2) return;
      const block = text('here');
      yield { type: 'block-finished', index: 0, block: { block, frozen: freezeBlock(block) } };
      yield { type: 'response-finished', stop: 'end_turn', usage: NO_USAGE };
    },
  };
  const session = await stage.open({ host: fastHost(stage.folder, stage.env), modelClient, model: 'mine' });
  expect(await session.send('go')).toMatchObject({ reason: 'completed', text: 'here' });
  expect(faultLines(stage)).toEqual([
    expect.stringMatching(/^the model client failed: no paper · retrying/),
    expect.stringMatching(/^the model client ended its stream before the response was complete · retrying/),
  ]);
  // It can be rendered for any API: nothing of ours has to be parsed.
  const { model, tools, system } = requests[0]?.prefix ?? {};
  expect(model).toBe('mine');
  expect(tools?.find(({ name }) => name === 'Read')?.inputSchema).toMatchObject({ required: ['file_path'] });
  expect(system?.join('')).not.toBe('');
});
