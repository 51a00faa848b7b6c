/** `coppice acp`: serves an editor over stdin and stdout. Only protocol messages go to stdout. */

import { messageStream } from '../../acp/message-stream.js';
import { serveEditor } from '../../acp/serve-editor.js';
import { EXIT, exitOf } from '../exit-code.js';
import type { Flags } from '../flags.js';
import { openOutput } from '../lost-output.js';
import { isReadSoon, onSignals } from '../on-signals.js';
import { optionsFromFlags } from '../options-from-flags.js';

/** The flags of a session. */
export type AcpFlags = Omit<Flags, 'outputFormat' | 'inputFormat' | 'backgroundWait'>;

export async function runAcp(flags: AcpFlags): Promise<number> {
  const { resumeWaitMs: _, ...options } = optionsFromFlags({
    ...flags,
    outputFormat: 'text',
    inputFormat: 'text',
    backgroundWait: 0,
  });
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const signals = onSignals(leave);
  const output = openOutput(leave);
  process.stdin.once('end', leave).once('close', leave).once('error', leave);
  const served = serveEditor(messageStream({ input: process.stdin, write: output.write }), options);
  await Promise.race([left, served.gone]);
  await served.leave();
  process.stdin.destroy();
  signals.stop();
  const signal = signals.received();
  const code = signal === undefined ? EXIT.done : exitOf(signal);
  if (!(await isReadSoon(output.write('')))) process.exit(code);
  return code;
}
