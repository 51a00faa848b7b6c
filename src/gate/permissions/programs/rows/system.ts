/** Programs that tell about the machine, its processes, its network and its file systems. */

import { examineDate } from '../examine/builtins.js';
import { objectToOperands } from '../examine/objections.js';
import { each, readers } from '../make-rows.js';
import type { Program } from '../program.js';

const HELP = 'help version';
const PROCESSES = 'processes outside the sandbox';
const NETWORK = "the machine's network";
const FILE_SYSTEMS = 'file systems outside the sandbox';

export const SYSTEM: Readonly<Record<string, Program>> = {
  ...readers({
    sleep: { longs: HELP, operands: 'text' },
    true: { operands: 'text' },
    false: { operands: 'text' },
    pwd: { flags: 'LP', operands: 'none' },
    whoami: { longs: HELP, operands: 'none' },
    id: { flags: 'aGgnruzZ', longs: `group groups name real user zero ${HELP}`, operands: 'text' },
    groups: { longs: HELP, operands: 'text' },
    uname: {
      flags: 'asnrvmpio',
      longs: `all kernel-name nodename kernel-release kernel-version machine processor operating-system ${HELP}`,
      operands: 'none',
    },
    arch: { operands: 'none' },
    hostname: { flags: 'fsdiI', operands: 'none' },
    nproc: { longs: `all ${HELP}`, operands: 'none' },
    uptime: { flags: 'ps', longs: `pretty since ${HELP}`, operands: 'none' },
    free: { flags: 'bkmghtwlv', longs: `human total ${HELP}`, operands: 'none' },
    getconf: { flags: 'a', operands: 'text', mostOperands: 1 },
    locale: { flags: 'amck', longs: 'all-locales charmaps', operands: 'text' },
    tty: { flags: 's', operands: 'none' },
    logname: { operands: 'none' },
    lscpu: { flags: 'abBJxy', operands: 'none' },
    which: { flags: 'a', longs: 'all', operands: 'text' },
    whereis: { flags: 'bms', operands: 'text' },
    type: { flags: 'afptP', operands: 'text' },
    cal: { flags: '13my', operands: 'text' },
  }),
  ...each('expr', { reads: () => ({ reads: true, problems: [], paths: [] }), confined: 'any' }),
  date: { reads: examineDate, confined: 'any' },
  ...readers(
    {
      who: { flags: 'abHmqsTu', operands: 'none' },
    },
    { blindTo: PROCESSES },
  ),
  // By their words alone they are never proven: options read in another way print every program's environment.
  ...each('tput vmstat', { confined: 'any' }),
  // They are about processes that no sandbox shows.
  ...each('kill pkill killall renice fuser', { privileged: true }),
  ...each('ps pgrep pidof top lsof w pstree', { confined: 'any', blindTo: PROCESSES }),
  ...readers(
    {
      ss: {
        flags: 'nalotuwxpiems46H',
        longs:
          'numeric all listening options extended memory processes info summary ipv4 ipv6 tcp udp raw unix no-header',
        operands: 'none',
      },
    },
    { blindTo: NETWORK },
  ),
  // It looks up names on the network.
  netstat: { confined: 'any', blindTo: NETWORK },
  ip: {
    confined: objectToChange,
    blindTo: NETWORK,
    risks: [{ words: /^netns$|^-[a-z]*b/, does: 'runs another program' }],
  },
  ifconfig: { confined: objectToOperands, blindTo: NETWORK },
  ...readers(
    {
      df: {
        flags: 'ahHiklPT',
        valued: 'Btx',
        longs: `all human-readable inodes portability print-type total ${HELP}`,
        longValued: 'type block-size',
        longOptional: 'output',
      },
      lsblk: { flags: 'fpalbdJ', operands: 'none' },
    },
    { blindTo: FILE_SYSTEMS },
  ),
  findmnt: { confined: 'any', blindTo: FILE_SYSTEMS },
  mount: { confined: objectToOperands, blindTo: FILE_SYSTEMS, privileged: true },
  man: {
    confined: 'any',
    risks: [
      { letters: 'PH', names: 'pager html preprocessor', does: 'runs another program' },
      { letters: 'CM', names: 'config-file manpath', does: 'reads another configuration' },
      { letters: 'l', names: 'local-file', does: 'formats a file, which can run programs' },
    ],
  },
};

/** `ip addr show` and the like only tell. */
function objectToChange(words: readonly { readonly value: string | undefined }[]): string | undefined {
  const operands = words.slice(1).flatMap(({ value }) => (value?.startsWith('-') === true ? [] : [value]));
  const [, verb = 'show'] = operands;
  return !operands.includes(undefined) && /^(?:sh|sho|show|ls|list|lst)$/.test(verb)
    ? undefined
    : 'ip changes the network with these words';
}
