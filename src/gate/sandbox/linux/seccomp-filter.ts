/**
 * The system calls a command without anyone's permission may not make, as a seccomp program for bubblewrap. Sockets of other
 * programs answer on a read-only file system too, so a command gets no socket that could reach one.
 */

type Architecture = {
  /** AUDIT_ARCH_… */
  readonly audit: number;
  readonly socket: number;
  readonly socketpair: number;
  /** Calls that don't exist in the box: io_uring makes sockets without `socket`, and keyrings are shared with outside. */
  readonly absent: readonly number[];
  /** Calls that change a file's mode, owner, times or attributes. */
  readonly changing: readonly number[];
  /** From here on, numbers belong to another calling convention (x32). */
  readonly limit?: number;
};

/** With the same number everywhere: fchmodat2, setxattrat, removexattrat, file_setattr. */
const CHANGING = [452, 463, 466, 469];

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    ...{ audit: 0xc000003e, socket: 41, socketpair: 53, absent: [425, 248, 249, 250], limit: 0x40000000 },
    // chmod … lchown, utime, setxattr …, removexattr …, utimes, fchownat, futimesat, fchmodat, utimensat
    changing: [90, 91, 92, 93, 94, 132, 188, 189, 190, 197, 198, 199, 235, 260, 261, 268, 280, ...CHANGING],
  },
  arm64: {
    ...{ audit: 0xc00000b7, socket: 198, socketpair: 199, absent: [425, 217, 218, 219] },
    // setxattr …, removexattr …, fchmod, fchmodat, fchownat, fchown, utimensat
    changing: [5, 6, 7, 14, 15, 16, 52, 53, 54, 55, 88, ...CHANGING],
  },
};

/** AF_INET, AF_INET6 and AF_NETLINK: they end in the box's own, empty network. */
const FAMILIES = [2, 10, 16];
/** SOCK_STREAM and SOCK_SEQPACKET stay connected to each other; a datagram socket could be sent elsewhere. */
const PAIR_TYPES = [1, 5];
const TYPE_MASK = 0xf;

const EROFS = 30;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
const ALLOW = 0x7fff0000;
const refuse = (errno: number) => 0x00050000 | errno;

/** Offsets in the kernel's `struct seccomp_data`; the low half of an argument comes first. */
const NUMBER = 0;
const AUDIT = 4;
const argument = (index: number) => 16 + 8 * index;

/**
 * Undefined for an architecture we have no numbers for. `ownsDevices`: the devices in the box belong to its user. They
 * are the machine's own, and a mount on which a device can be opened can't be made read-only through bubblewrap; so
 * nothing can be changed but content.
 */
export function seccompFilter(arch: string, { ownsDevices }: { readonly ownsDevices: boolean }): Buffer | undefined {
  const machine = ARCHITECTURES[arch];
  if (machine === undefined) return undefined;
  const { audit, socket, socketpair, absent, changing, limit } = machine;
  return encode([
    load(AUDIT),
    ...unless(equal(audit), refuse(ENOSYS)),
    load(NUMBER),
    ...(limit === undefined ? [] : when(atLeast(limit), refuse(ENOSYS))),
    ...absent.flatMap((number) => when(equal(number), refuse(ENOSYS))),
    ...(ownsDevices ? changing : []).flatMap((number) => when(equal(number), refuse(EROFS))),
    ...onlyFor(socket, [
      load(argument(0)),
      ...FAMILIES.flatMap((family) => when(equal(family), ALLOW)),
      end(refuse(EAFNOSUPPORT)),
    ]),
    ...onlyFor(socketpair, [
      load(argument(1)),
      { code: 0x54, k: TYPE_MASK },
      ...PAIR_TYPES.flatMap((type) => when(equal(type), ALLOW)),
      end(refuse(EAFNOSUPPORT)),
    ]),
    end(ALLOW),
  ]);
}

/** An instruction of classic BPF; `yes` and `no` are how many instructions a jump skips. */
type Instruction = { readonly code: number; readonly k: number; readonly yes?: number; readonly no?: number };
type Test = { readonly code: number; readonly k: number };

const load = (offset: number): Instruction => ({ code: 0x20, k: offset });
const end = (value: number): Instruction => ({ code: 0x06, k: value });
const equal = (value: number): Test => ({ code: 0x15, k: value });
const atLeast = (value: number): Test => ({ code: 0x35, k: value });
const when = (test: Test, value: number): readonly Instruction[] => [{ ...test, yes: 0, no: 1 }, end(value)];
const unless = (test: Test, value: number): readonly Instruction[] => [{ ...test, yes: 1, no: 0 }, end(value)];
const onlyFor = (number: number, body: readonly Instruction[]): readonly Instruction[] => [
  { ...equal(number), yes: 0, no: body.length },
  ...body,
];

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, k, yes = 0, no = 0 }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(k >>> 0, index * 8 + 4);
  }
  return bytes;
}
