/** Ids derived from a name: the same name always gives the same id. */

import { v5 } from 'uuid';

const NAMESPACE = '6f1d2c9e-3b52-5d0a-9c1e-7a4d0c8f2b16';

export function idOfName(name: string): string {
  return v5(name, NAMESPACE);
}
