/** An abort controller for a whole run: many calls and children listen to it, which is no leak. */

import { setMaxListeners } from 'node:events';

export function newAbort(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
