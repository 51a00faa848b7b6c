/** The schemas of a server's entry. Unknown keys are dropped from the result. */

import * as z from 'zod';
import { once } from '../../protocol/once.js';

/** Built on first use. */
export const serverSchemas = once(() => {
  const line = z.string().refine((value) => !value.includes('\0'), 'a string without NUL characters');
  const filled = line.refine((value) => value.trim() !== '', 'a string that is not empty');
  const value = z
    .unknown()
    .refine((one) => ['string', 'number', 'boolean'].includes(typeof one) && !String(one).includes('\0'), 'a string')
    .transform(String);
  const oauth = z.object({
    clientId: filled.optional(),
    scopes: z.union([line, z.array(line).transform((scopes) => scopes.join(' '))]).optional(),
    callbackPort: z.int().min(1).max(65_535).optional(),
    authServerMetadataUrl: filled
      .refine((url) => URL.canParse(url) && new URL(url).protocol === 'https:', 'a URL that begins with https://')
      .optional(),
  });
  const variable = z.string().regex(/^[^=\0]+$/, 'a name without "="');
  return {
    stdio: z.object({
      command: filled,
      args: z.array(line).optional(),
      env: z.record(variable, value).optional(),
    }),
    remote: z.object({
      url: filled,
      headers: z.record(z.string(), value).optional(),
      headersHelper: filled.optional(),
      oauth: oauth.optional(),
    }),
  };
});
