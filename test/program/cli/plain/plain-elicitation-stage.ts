/** What the tests of plain-elicitation.test.ts share with those of test:long. */

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ElicitationRequest } from '../../../../src/protocol/mcp/elicitation.js';
import { bundle } from '../../../support/bundle.js';
import { setPlainStage } from './plain-stage.js';

export async function put(request: ElicitationRequest) {
  const stage = await setPlainStage([]);
  const program = await bundle(new URL('./elicitation-program.ts', import.meta.url), stage.folder);
  // A browser that writes down what it opens.
  const bin = join(stage.home, 'bin');
  await mkdir(bin);
  for (const name of ['xdg-open', 'open']) {
    await writeFile(join(bin, name), `#!/bin/sh\necho "$1" > '${stage.folder}/opened'\n`);
    await chmod(join(bin, name), 0o755);
  }
  const env = { PATH: `${bin}:${process.env.PATH}`, NODE: process.execPath, DISPLAY: ':0' };
  const line = `exec "$NODE" '${program}' '${JSON.stringify(request).replaceAll("'", "'\\''")}'`;
  return { ...stage, screen: stage.screen(['-c', line], env, '/bin/sh') };
}

export const FORM: ElicitationRequest = {
  server: 'shop',
  message: 'Where to?\n? y',
  mode: 'form',
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Your name', description: 'on the parcel', minLength: 2 },
      size: {
        type: 'string',
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'l', title: 'Large' },
        ],
        default: 's',
      },
      gifts: { type: 'array', items: { enum: ['pen', 'cup'] } },
      count: { type: 'integer', minimum: 1 },
      door_password: { type: 'string' },
      soon: { type: 'boolean' },
    },
    required: ['name', 'count'],
  },
};
