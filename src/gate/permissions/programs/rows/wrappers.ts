/** Programs that run the command in their own words, and those that need privileges. */

import { each } from '../make-rows.js';
import type { Program } from '../program.js';
import { wrapsAfter, wrapsApplet, wrapsEnv, wrapsFlock, wrapsWatch, wrapsXargs } from '../wrapped.js';

export const WRAPPERS: Readonly<Record<string, Program>> = {
  env: { wraps: wrapsEnv },
  xargs: { wraps: wrapsXargs },
  timeout: {
    wraps: wrapsAfter(
      {
        flags: 'vfp',
        valued: 'ks',
        longs: 'foreground preserve-status verbose',
        longValued: 'kill-after signal',
      },
      1,
    ),
  },
  nice: { wraps: wrapsAfter({ valued: 'n', longValued: 'adjustment', digits: true }) },
  ionice: { wraps: wrapsAfter({ flags: 't', valued: 'cn', longs: 'ignore', longValued: 'class classdata' }) },
  nohup: { wraps: wrapsAfter({}) },
  stdbuf: { wraps: wrapsAfter({ valued: 'ioe', longValued: 'input output error' }) },
  setsid: { wraps: wrapsAfter({ flags: 'cfw', longs: 'ctty fork wait' }) },
  watch: { wraps: wrapsWatch },
  flock: { wraps: wrapsFlock, confined: () => 'flock opens its file for writing' },
  taskset: { wraps: wrapsAfter({ flags: 'ac', longs: 'all-tasks cpu-list' }, 1) },
  chrt: { wraps: wrapsAfter({ flags: 'bdfiorRv', longs: 'batch fifo idle other rr' }, 1) },
  ...each('busybox toybox', { wraps: wrapsApplet }),
  ...each('linux32 linux64 setarch unbuffer caffeinate winpty tini dumb-init nocache torify trickle', {
    wraps: 'unclear',
  }),
  strace: {
    wraps: wrapsAfter({ flags: 'cCdfFhiqrtTvVwxyYzZ', valued: 'abeEIOPpsSuUX', longs: 'follow-forks' }),
    risks: [{ letters: 'o', names: 'output', words: /^[|!]/, does: 'may run another program' }],
  },
  ...each(
    `parallel sem script screen tmux at batch entr ltrace cpulimit daemonize dbus-run-session faketime fakeroot gosu hyperfine
    ld.so perf prlimit proot proxychains proxychains4 reptyr rlwrap runcon schedtool setpriv sg sshpass start-stop-daemon
    timelimit valgrind viddy watchexec xvfb-run chpst su-exec s6-setuidgid softlimit envdir setlock setuidgid
    xdg-open crontab`,
    { wraps: 'unclear' },
  ),
  gdb: { wraps: 'unclear', runs: 'code', code: 'operands' },
  ...each(
    `sudo sudoedit su doas pkexec run0 runuser chroot unshare nsenter bwrap firejail systemd-run systemd-nspawn machinectl
    capsh newgrp setcap`,
    { privileged: true, wraps: 'unclear' },
  ),
  ...each(
    `umount insmod rmmod modprobe swapon swapoff losetup cryptsetup iptables nft shutdown reboot poweroff halt useradd
    userdel usermod groupadd passwd visudo`,
    { privileged: true },
  ),
};
